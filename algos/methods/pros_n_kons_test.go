package methods

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
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
func (d *naiveDictionary) choose(t *testing.T, seed uint64, kernel *mat.Dense, row int, gamma, beta, epsilon float64) bool {
	t.Helper()
	rows, weights := append(append([]int(nil), d.rows...), row), append(append([]float64(nil), d.weights...), 1)
	n := len(rows)
	sks, ks := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	sks.Apply(func(i, j int, _ float64) float64 { return weights[i] * kernel.At(rows[i], rows[j]) * weights[j] }, sks)
	for i, r := range rows {
		ks.SetVec(i, weights[i]*kernel.At(r, row))
	}
	tau := (1 + epsilon) / gamma * (kernel.At(row, row) - mat.Dot(ks, ridge(t, sks, gamma, identity(n), ks).ColView(0)))
	p := min(beta*tau, 1)
	if compute.NewStream(seed, "kors", uint64(row)).Float64() >= p {
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
func (d *naiveDictionary) basis(t *testing.T, kernel *mat.Dense) *mat.Dense {
	t.Helper()
	values, u := algostest.Spectrum(t, block(kernel, d.rows, d.rows))
	var b mat.Dense
	b.Apply(func(i, _ int, v float64) float64 { return v / math.Sqrt(values[i]) }, u.T())
	return &b
}

// embed returns Σ^(-1/2)Uᵀk for a row.
func (d *naiveDictionary) embed(basis, kernel *mat.Dense, row int) *mat.VecDense {
	return mat.NewVecDense(len(d.rows), product(basis, block(kernel, d.rows, []int{row})))
}

// naiveProsNKons returns the predictions of one output, by the formulas of the doc comment of ProsNKons.
func naiveProsNKons(t *testing.T, seed uint64, kernel *mat.Dense, y []float64, lambda float64, a *ProsNKons) (predictions []float64, points int) {
	t.Helper()
	released := a.Variant == "released"
	d := &naiveDictionary{released: released}
	clip := func(z float64) float64 { return max(-a.C, min(a.C, z)) }
	h := func(z float64) float64 { return math.Copysign(max(math.Abs(z)-a.C, 0), z) }
	var basis, A *mat.Dense
	var w, g *mat.VecDense
	for row := range y {
		late := 0.0
		if basis != nil {
			late = clip(mat.Dot(w, d.embed(basis, kernel, row)))
		}
		entered := d.choose(t, seed, kernel, row, lambda, a.Beta, a.Epsilon)
		if entered {
			n := len(d.rows)
			basis, A = d.basis(t, kernel), mat.NewDense(n, n, nil)
			A.Scale(lambda, identity(n))
			w, g = mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		}
		if basis == nil {
			predictions = append(predictions, 0)
			continue
		}
		phi := d.embed(basis, kernel, row)
		if entered && released {
			phi.Zero()
		}
		if !entered {
			var step, aphi, u mat.VecDense
			require.NoError(t, step.SolveVec(A, g))
			require.NoError(t, aphi.SolveVec(A, phi))
			u.SubVec(w, &step)
			w.AddScaledVec(&u, -h(mat.Dot(phi, &u))/mat.Dot(phi, &aphi), &aphi)
		}
		forecast := mat.Dot(phi, w)
		g.ScaleVec(2*(forecast-y[row]), phi)
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
			p := squares(n, c.lambda/n)
			u, x, y := record(t, a, p, n)
			kernel := kernelOf(algostest.Gaussian).matrix(x, x)
			for o := range 2 {
				want, points := naiveProsNKons(t, p.Seed, kernel, y.ColRange(o, o+1).Clone().Data, c.lambda, a)
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
	a := &ProsNKons{KORSSettings: parts.KORSSettings{Beta: 1e12, Epsilon: 0.5, Points: n}, C: 1, Variant: "correct"}
	f := after(t, a, algostest.Problem(n, losses.Square{}), n).(*prosNKons)
	points := parts.View(f.X, 3)
	require.Equal(t, n, points.Rows)
	k := f.p.Engine.KernelMatrix(f.p.Kernel, points, points)
	var phi [][]float64
	for i := range n {
		phi = append(phi, slices.Clone(f.Span.Coordinates(k.Row(i))))
		for j := range i + 1 {
			assert.InDelta(t, k.At(i, j), floats.Dot(phi[i], phi[j]), 1e-8)
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
