package algos

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// exactGram is K of the inputs of p with its eigenvalues, descending, and eigenvectors.
type exactGram struct {
	k, vectors *mat.Dense
	values     []float64
}

func newExactGram(t *testing.T, p *Problem) exactGram {
	t.Helper()
	x, _ := p.Dense()
	n := x.Rows
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, gaussian(x.Row(i), x.Row(j)))
		}
	}
	var e mat.EigenSym
	require.True(t, e.Factorize(k, true))
	var v mat.Dense
	e.VectorsTo(&v)
	g := exactGram{k: mat.DenseCopyOf(k), vectors: mat.NewDense(n, n, nil), values: make([]float64, n)}
	for i, l := range e.Values(nil) {
		g.values[n-1-i] = l
		for r := range n {
			g.vectors.Set(r, n-1-i, v.At(r, i))
		}
	}
	return g
}

// smallSquare is a problem of seven points with ν = 0, whose rows are visited in order.
func smallSquare() *Problem { return single(inputs7, targets7, losses.Square{}, 0) }

// constant is a constant step size.
func constant(gamma float64) schedules.Schedule { return &schedules.Constant{Gamma0: gamma} }

// coefficientsOf returns the coefficients of a fit's model from its predictions at the training rows.
func coefficientsOf(t *testing.T, g exactGram, p *Problem, f Fit) []float64 {
	t.Helper()
	x, _ := p.Dense()
	u := f.Model().Predict(x)
	var alpha mat.Dense
	require.NoError(t, alpha.Solve(g.k, mat.NewDense(u.Rows, 1, u.Data)))
	return mat.Col(nil, 0, &alpha)
}

// Two iterations of ma2017 Table 2 written out with the dense D = EΛ⁻¹(I - C)Eᵀ of the exact eigenvectors, for
// both flattenings, a τ, and K stored or not. Seven points and a sketch of seven columns make RSVD exact.
func TestEigenProByHand(t *testing.T) {
	const k, m, eta = 3, 3, 0.7
	for _, flatten := range []string{"sqrt", "full"} {
		for _, memory := range []int64{0, -1} {
			t.Run(fmt.Sprintf("%s, memory %d", flatten, memory), func(t *testing.T) {
				p := smallSquare()
				p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: memory})
				g := newExactGram(t, p)
				alpha := make([]float64, 7)
				for step := range 2 {
					rows := []int{3 * step, 3*step + 1, 3*step + 2}
					r := make([]float64, m)
					for b, i := range rows {
						r[b] = -targets7[i] / m
						for j, a := range alpha {
							r[b] += g.k.At(i, j) * a / m
						}
					}
					for b, i := range rows {
						alpha[i] -= eta * r[b]
					}
					for e := range k {
						c := 0.5 * g.values[k] / g.values[e]
						if flatten == "sqrt" {
							c = 0.5 * math.Sqrt(g.values[k]/g.values[e])
						}
						s := 0.0
						for j := range 7 {
							for b, i := range rows {
								s += g.vectors.At(j, e) * g.k.At(i, j) * r[b]
							}
						}
						for j := range 7 {
							alpha[j] += eta * g.vectors.At(j, e) * (1 - c) / g.values[e] * s
						}
					}
				}
				a := &EigenPro{EigenProSettings{Batch: m, Directions: k, Subsample: 7, Tau: 0.5, Flatten: flatten, Step: constant(eta)}}
				f := start(t, a, p)
				steps(t, f, 2)
				// Rounding errors in α are those of K times its condition number of 1e3.
				assert.InDeltaSlice(t, alpha, coefficientsOf(t, g, p, f), 1e-11)
				assert.InDeltaSlice(t, alpha, f.(Expansion).Coefficients().Data, 1e-11)
				fitted := f.(Fitter).Fitted()
				x, _ := p.Dense()
				assert.InDeltaSlice(t, f.Model().Predict(x).Data, fitted.Data, 1e-13)
			})
		}
	}
}

// With all eigenvectors but the last and full flattening, PK/n is λ_n/n times the identity, so that a single
// iteration on all rows with η = n/λ_n interpolates: ma2017 Sec. 3.3, exact in the span of the top k + 1.
func TestEigenProSolvesTheSpanAtOnce(t *testing.T) {
	p := smallSquare()
	g := newExactGram(t, p)
	a := &EigenPro{EigenProSettings{Batch: 7, Directions: 6, Subsample: 7, Tau: 1, Flatten: "full", Step: constant(7 / g.values[6])}}
	f := start(t, a, p)
	steps(t, f, 1)
	assert.InDeltaSlice(t, targets7, f.(Fitter).Fitted().Data, 1e-10) // condition number 1e3
}

// The step sizes of both rules, from the exact spectrum.
func TestEigenProStepSizes(t *testing.T) {
	p := smallSquare()
	g := newExactGram(t, p)
	first, next := g.values[0]/7, g.values[3]/7
	for _, c := range []struct {
		rule string
		eta  float64
		want float64
	}{
		{"code", 0, 0.75 / first * math.Sqrt(first/next)},
		{"code", 5, 5 * math.Sqrt(first/next)},
		{"full", 0, 0.75 / next},
		{"bound", 0, func() float64 {
			trace, norm := 1.0, 0.0
			for _, l := range g.values[:4] {
				trace -= l * l / 49
				norm = max(norm, l/7*(1-l/7))
			}
			ln := math.Log(8 * trace / norm / 0.05)
			return 1 / (next + 2*(next+1)/(3*5)*ln + math.Sqrt(2*next/5*ln))
		}()},
	} {
		a := &EigenPro{EigenProSettings{Batch: 5, Directions: 3, Subsample: 7, Tau: 1, Flatten: "sqrt", Rule: c.rule, Eta: c.eta}}
		f := start(t, a, p).(*eigenPro)
		assert.InEpsilon(t, c.want, f.gamma(1), 1e-12, c.rule)
		assert.Equal(t, f.gamma(1), f.gamma(100))
	}
	for _, a := range []EigenProSettings{{Rule: "full", Eta: 5}, {Rule: "code", Eta: 5, Step: constant(1)}} {
		_, err := (&EigenPro{a}).Start(p)
		assert.ErrorContains(t, err, "remove eta")
		_, err = (&EigenProRF{EigenProSettings: a}).Start(p)
		assert.ErrorContains(t, err, "remove eta")
	}
}

// Gradient descent from 0 multiplies what is left of each eigendirection by 1 - ηλ/n, or with ν converges
// by 1 - η(λ/n + ν) to kernel ridge regression: ma2017 eq. (8).
func TestGDClosedForm(t *testing.T) {
	for _, nu := range []float64{0, 0.03} {
		p := smallSquare()
		p.Nu = nu
		g := newExactGram(t, p)
		want := make([]float64, 7) // fitted values after 50 steps
		for e, l := range g.values {
			s := 0.0
			for j, y := range targets7 {
				s += g.vectors.At(j, e) * y
			}
			s *= l / 7 / (l/7 + nu) * (1 - math.Pow(1-0.75/(g.values[0]/7+nu)*(l/7+nu), 50))
			for j := range want {
				want[j] += s * g.vectors.At(j, e)
			}
		}
		f := start(t, &GD{Subsample: 7}, p)
		steps(t, f, 50)
		assert.InDeltaSlice(t, want, f.(Fitter).Fitted().Data, 1e-12, "ν = %g", nu)
	}
}

// Pegasos with batches of all rows is GD; two steps of three rows by hand.
func TestPegasosByHand(t *testing.T) {
	a, b := smallSquare(), smallSquare()
	all, whole := start(t, &GD{Subsample: 7}, a), start(t, &Pegasos{Batch: 7, Subsample: 7}, b)
	steps(t, all, 5)
	steps(t, whole, 5)
	assert.InDeltaSlice(t, all.(*primal).Alpha, whole.(*primal).Alpha, 1e-13)

	p := smallSquare()
	p.Nu = 0.1
	g := newExactGram(t, p)
	f := start(t, &Pegasos{Batch: 3, Step: constant(0.9)}, p)
	steps(t, f, 2)
	want := make([]float64, 7)
	for i := range 3 {
		want[i] = 0.9 * targets7[i] / 3
	}
	r := make([]float64, 3)
	for b, i := range []int{3, 4, 5} {
		r[b] = targets7[i]
		for j := range 3 {
			r[b] -= g.k.At(i, j) * want[j]
		}
	}
	for i := range 3 {
		want[i] *= 1 - 0.9*0.1
		want[3+i] = 0.9 * r[i] / 3
	}
	assert.InDeltaSlice(t, want, f.(*primal).Alpha, 1e-14)
}

// A matrix of a rank that the sketch holds is decomposed to rounding errors, as gonum's SVD does it.
func TestRSVDAgainstSVD(t *testing.T) {
	const m, d, k = 40, 60, 5
	s := compute.NewStream(3, "rsvd", 0)
	left, right := mat.NewDense(m, 2*(k+1), nil), mat.NewDense(d, 2*(k+1), nil)
	for j := range 2 * (k + 1) {
		for i := range m {
			left.Set(i, j, s.Normal()*math.Pow(2, -float64(j)))
		}
		for i := range d {
			right.Set(i, j, s.Normal())
		}
	}
	var a mat.Dense
	a.Mul(left, right.T())
	var svd mat.SVD
	require.True(t, svd.Factorize(&a, mat.SVDThin))
	var v mat.Dense
	svd.VTo(&v)

	got, err := rsvd(compute.NewEngine(compute.Options{Threads: 1}), denseOperator{&a}, k, sketchOf(k), compute.NewStream(1, "sketch", 0))
	require.NoError(t, err)
	require.Len(t, got.values, k+1)
	for j, want := range svd.Values(nil)[:k+1] {
		assert.InEpsilon(t, want*want, got.values[j], 1e-12, "eigenvalue %d", j+1)
		if j == k {
			break
		}
		dot := 0.0
		for i := range d {
			dot += got.vectors.At(i, j) * v.At(i, j)
		}
		assert.InDelta(t, 1, math.Abs(dot), 1e-12, "eigenvector %d", j+1)
	}
	_, err = rsvd(compute.NewEngine(compute.Options{Threads: 1}), denseOperator{&a}, 12, sketchOf(12), compute.NewStream(1, "sketch", 0))
	assert.EqualError(t, err, "eigenvalue 13 is below 1e-7 of the first, where rounding errors begin: take fewer than 12 eigenvectors")
	_, err = rsvd(compute.NewEngine(compute.Options{Threads: 1}), denseOperator{&a}, 40, sketchOf(40), compute.NewStream(1, "sketch", 0))
	assert.EqualError(t, err, "40 eigenvectors and one eigenvalue more need as many rows and columns, of 40 × 60")
}

// denseOperator is a matrix of gonum as an operator.
type denseOperator struct{ a *mat.Dense }

func (o denseOperator) Dims() (r, c int)                 { return o.a.Dims() }
func (o denseOperator) MulTo(dst, v compute.Matrix)      { multiply(dst, o.a, v) }
func (o denseOperator) MulTransTo(dst, v compute.Matrix) { multiply(dst, o.a.T(), v) }
func multiply(dst compute.Matrix, a mat.Matrix, v compute.Matrix) {
	mat.NewDense(dst.Rows, dst.Cols, dst.Data).Mul(a, mat.NewDense(v.Rows, v.Cols, v.Data))
}

// One iteration of ma2017 Table 1 on 12 features, 20 points and an exact sketch, against dense algebra; without a
// preconditioner it is SGD.
func TestEigenProFeaturesByHand(t *testing.T) {
	const n, r, k, m, eta = 20, 12, 5, 8, 0.6
	problemOf := func() *Problem {
		p := problem(n, losses.Square{})
		p.Nu, p.FileOrder = 0, true
		return p
	}
	p := problemOf()
	x, y := p.Dense()
	features := p.Kernel.(kernels.Featured).Features(p.Seed, 3, r)
	z := mat.NewDense(n, r, nil)
	for i := range n {
		for j := range r {
			z.Set(i, j, naiveFeature(features, 0, j, x.Row(i))/math.Sqrt(r))
		}
	}
	var cov mat.SymDense
	cov.SymOuterK(1./n, z.T())
	var e mat.EigenSym
	require.True(t, e.Factorize(&cov, true))
	values := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)

	zm, ym := z.Slice(0, m, 0, r), mat.NewDense(m, 2, y.Data[:2*m])
	var g mat.Dense
	g.Mul(zm.T(), ym)
	g.Scale(-1./m, &g) // the gradient at α = 0
	sgd := mat.NewDense(r, 2, nil)
	sgd.Scale(-eta, &g)
	pro := mat.DenseCopyOf(sgd)
	for i := range k {
		c := 0.25 * math.Sqrt(values[r-1-k]/values[r-1-i])
		column := v.ColView(r - 1 - i)
		for o := range 2 {
			s := mat.Dot(column, g.ColView(o))
			for j := range r {
				pro.Set(j, o, pro.At(j, o)+eta*(1-c)*s*column.AtVec(j))
			}
		}
	}
	for name, c := range map[string]struct {
		a    Algorithm
		want *mat.Dense
	}{
		"eigenpro-rf": {&EigenProRF{EigenProSettings{Batch: m, Directions: k, Subsample: n, Tau: 0.25, Flatten: "sqrt", Step: constant(eta)}, r}, pro},
		"sgd-rf":      {&SGDRF{Batch: m, Features: r, Step: constant(eta)}, sgd},
	} {
		f := start(t, c.a, problemOf())
		steps(t, f, 1)
		assert.InDeltaSlice(t, c.want.RawMatrix().Data, f.(*featuresFit).Alpha, 1e-12, name)
	}
	f := start(t, &SGDRF{Batch: m, Features: r, Subsample: n}, problemOf()).(*featuresFit)
	assert.InEpsilon(t, 0.75/values[r-1], f.gamma(1), 1e-12)
	for _, rule := range []string{"code", "bound"} {
		s := EigenProSettings{Batch: m, Directions: k, Subsample: n, Tau: 0.25, Flatten: "sqrt", Rule: rule}
		first, next, want := values[r-1], values[r-1-k], 0.0
		if want = 0.75 / first * math.Sqrt(first/next); rule == "bound" {
			kappa, ln := 0.0, math.Log(2*r/0.05)
			for i := range m { // the first rows of the subsample
				kappa = max(kappa, math.Pow(mat.Norm(z.RowView(compute.NewStream(p.Seed, "subsample", 0).Perm(n)[i]), 2), 2))
			}
			want = 1 / (next + 2*(next+kappa)/(3*m)*ln + math.Sqrt(2*next*kappa/m*ln))
		}
		f := start(t, &EigenProRF{s, r}, problemOf()).(*featuresFit)
		assert.InEpsilon(t, want, f.gamma(1), 1e-9, rule)
	}
}

// A state saved with K stored continues where there is no memory for it.
func TestEigenProStateWithoutMemory(t *testing.T) {
	a := &EigenPro{EigenProSettings{Batch: 7, Directions: 5, Subsample: 60, Tau: 1, Flatten: "sqrt", Rule: "code"}}
	p, q := problem(60, losses.Square{}), problem(60, losses.Square{})
	p.Nu, q.Nu = 0, 0
	q.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: -1})
	f, g := start(t, a, p), start(t, a, q)
	steps(t, f, 10)
	restore(t, g, encode(t, f))
	x := queries(3)
	assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-10)
	steps(t, f, 10)
	steps(t, g, 10)
	assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-10)
}
