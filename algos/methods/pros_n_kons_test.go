package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// naiveDictionary is KORS by its formulas, with a direct solve a round.
type naiveDictionary struct {
	rows     []int
	weights  []float64
	released bool
}

// choose adds row t with the probability of KORS and reports whether it did.
func (d *naiveDictionary) choose(seed uint64, kernel compute.Matrix, t int, gamma, beta, epsilon float64) bool {
	rows, weights := append(append([]int(nil), d.rows...), t), append(append([]float64(nil), d.weights...), 1)
	n := len(rows)
	sks, ks := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i, r := range rows {
		for j, s := range rows {
			sks.Set(i, j, weights[i]*kernel.At(r, s)*weights[j])
		}
		sks.Set(i, i, sks.At(i, i)+gamma)
		ks.SetVec(i, weights[i]*kernel.At(r, t))
	}
	var solved mat.VecDense
	if err := solved.SolveVec(sks, ks); err != nil {
		panic(err)
	}
	tau := (1 + epsilon) / gamma * (kernel.At(t, t) - mat.Dot(ks, &solved))
	p := min(beta*tau, 1)
	if compute.NewStream(seed, "kors", uint64(t)).Float64() >= p {
		return false
	}
	weight := 1 / math.Sqrt(p)
	if d.released {
		weight = 1 / p
	}
	d.rows, d.weights = rows, append(d.weights, weight)
	return true
}

// basis returns Σ^(-1/2)Uᵀ of the kernel matrix of the dictionary.
func (d *naiveDictionary) basis(kernel compute.Matrix) *mat.Dense {
	n := len(d.rows)
	if n == 0 {
		return nil
	}
	k := mat.NewSymDense(n, nil)
	for i, r := range d.rows {
		for j, s := range d.rows {
			k.SetSym(i, j, kernel.At(r, s))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(k, true) {
		panic("no eigenvectors")
	}
	var u mat.Dense
	e.VectorsTo(&u)
	b := mat.DenseCopyOf(u.T())
	for i, v := range e.Values(nil) {
		for j := range n {
			b.Set(i, j, b.At(i, j)/math.Sqrt(v))
		}
	}
	return b
}

// embed returns Σ^(-1/2)Uᵀk for row t.
func (d *naiveDictionary) embed(basis *mat.Dense, kernel compute.Matrix, t int) *mat.VecDense {
	k, phi := mat.NewVecDense(len(d.rows), nil), mat.NewVecDense(len(d.rows), nil)
	for i, r := range d.rows {
		k.SetVec(i, kernel.At(r, t))
	}
	phi.MulVec(basis, k)
	return phi
}

// naiveProsNKons returns the predictions of one output, by the formulas of the doc comment of ProsNKons.
func naiveProsNKons(seed uint64, kernel compute.Matrix, y []float64, lambda float64, a *ProsNKons) (predictions []float64, points int) {
	released := a.Variant == "released"
	d := &naiveDictionary{released: released}
	clip := func(z float64) float64 { return max(-a.C, min(a.C, z)) }
	h := func(z float64) float64 { return math.Copysign(max(math.Abs(z)-a.C, 0), z) }
	var basis, A *mat.Dense
	var w, g *mat.VecDense
	for t := range y {
		late := 0.0
		if basis != nil {
			late = clip(mat.Dot(w, d.embed(basis, kernel, t)))
		}
		entered := d.choose(seed, kernel, t, lambda, a.Beta, a.Epsilon)
		if entered {
			basis = d.basis(kernel)
			n := len(d.rows)
			A = mat.NewDense(n, n, nil)
			for i := range n {
				A.Set(i, i, lambda)
			}
			w, g = mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		}
		if basis == nil {
			predictions = append(predictions, 0)
			continue
		}
		phi := d.embed(basis, kernel, t)
		if entered && released {
			phi.Zero()
		}
		if !entered {
			var step, aphi, u mat.VecDense
			if err := step.SolveVec(A, g); err != nil {
				panic(err)
			}
			u.SubVec(w, &step)
			if err := aphi.SolveVec(A, phi); err != nil {
				panic(err)
			}
			w.AddScaledVec(&u, -h(mat.Dot(phi, &u))/mat.Dot(phi, &aphi), &aphi)
		}
		forecast := mat.Dot(phi, w)
		g.ScaleVec(2*(forecast-y[t]), phi)
		sigma := 1 / (8 * a.C * a.C)
		A.RankOne(A, sigma/2, g, g)
		if released {
			forecast = late
		}
		predictions = append(predictions, forecast)
	}
	return predictions, len(d.rows)
}

// Every one of 200 predictions is that of the formulas with dense matrices.
func TestProsNKonsByDefinition(t *testing.T) {
	const n = 200
	for _, variant := range []string{"correct", "released"} {
		for _, c := range []struct{ lambda, C, beta, epsilon float64 }{{0.3, 1, 1, 0.5}, {1, 0.4, 0.7, 0.2}, {4, 3, 0.1, 0.5}} {
			a := &ProsNKons{KORSSettings: parts.KORSSettings{Beta: c.beta, Epsilon: c.epsilon, Points: n}, C: c.C, Variant: variant}
			p := algostest.Problem(n, losses.Square{})
			p.Nu = c.lambda / n
			u, x, y := record(t, a, p, n)
			kernel := p.Engine.KernelMatrix(p.Kernel, x, x)
			for o := range 2 {
				targets := make([]float64, n)
				for i := range n {
					targets[i] = y.At(i, o)
				}
				want, points := naiveProsNKons(p.Seed, kernel, targets, c.lambda, a)
				require.Greater(t, points, 5)
				require.Less(t, points, n/2)
				for i := range n {
					require.InDelta(t, want[i], u[i][o], 1e-8, "%s, λ = %v, round %d of %d points", variant, c.lambda, i, points)
				}
			}
		}
	}
}

// If every point enters the dictionary, φ̃(x)·φ̃(z) is k(x, z) for all of them, up to the tolerance of a Span.
func TestProsNKonsEmbeddingIsTheKernel(t *testing.T) {
	const n = 200
	p := algostest.Problem(n, losses.Square{})
	f := algostest.Start(t, &ProsNKons{KORSSettings: parts.KORSSettings{Beta: 1e12, Epsilon: 0.5, Points: n}, C: 1, Variant: "correct"}, p).(*prosNKons)
	algostest.Steps(t, f, n)
	points := parts.View(f.X, 3)
	require.Equal(t, n, points.Rows)
	k := p.Engine.KernelMatrix(p.Kernel, points, points)
	for i := range n {
		phi := f.Span.Coordinates(k.Row(i))
		for j := range i + 1 {
			assert.InDelta(t, k.At(i, j), mat.Dot(mat.NewVecDense(len(phi), phi), mat.NewVecDense(len(phi), f.Span.Coordinates(k.Row(j)))), 1e-8)
		}
	}
}

// A full dictionary takes no more points, and the fit goes on.
func TestProsNKonsBoundsItsDictionary(t *testing.T) {
	p := algostest.Problem(100, losses.Square{})
	f := algostest.Start(t, &ProsNKons{KORSSettings: parts.KORSSettings{Beta: 1e9, Epsilon: 0.5, Points: 7}, C: 1, Variant: "correct"}, p).(*prosNKons)
	algostest.Steps(t, f, 100)
	assert.Len(t, f.Dictionary.S, 7)
	assert.NotZero(t, f.W)
}

// A prediction in a model is that of the next round.
func TestOnlineModelsPredictTheNextRound(t *testing.T) {
	const n = 60
	for _, name := range algos.Names() {
		a := configured(t, name, map[string]any{"features": 16})
		if !algos.TraitsOf(a).Online {
			continue
		}
		p := algostest.Problem(n, losses.Square{})
		p.Nu = 0.3 / n
		s := &recorder{Stream: parts.NewStream(p)}
		p.Stream = s
		f := algostest.Start(t, a, p)
		order := parts.NewOrder(p)
		_, x, _ := order.Batch(0, n)
		for i := range n {
			before := f.Model().Predict(x.RowRange(i, i+1))
			algostest.Steps(t, f, 1)
			// Only rounding differs: predictions are at most about 1.
			require.InDeltaSlice(t, before.Row(0), s.u[i], 1e-12, "%s, round %d", name, i)
		}
	}
}
