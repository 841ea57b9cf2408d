package methods

import (
	"fmt"
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

// projection4 are eigenpro4 with the settings of a hand calculation.
func projection4(centres, period int, base EigenPro2) *EigenPro4 {
	exact := ProjectionSettings{Projection: "exact", Epochs: 1}
	return &EigenPro4{EigenPro3: EigenPro3{Centres: centres, ProjectionSettings: exact, EigenPro2: base}, Period: period}
}

// If the centres are the training rows, eigenpro3 is eigenpro2, and so is eigenpro4 whatever its period: projections change nothing.
func TestEigenPro3OnAllRowsIsEigenPro2(t *testing.T) {
	x := algostest.Queries(3)
	base := EigenPro2{Batch: 7, Device: 1, Subsample: 30, Directions: 5, Exponent: 0.95, Step: constant(8)}
	problem := func() *algos.Problem {
		p := algostest.Problem(60, losses.Square{})
		p.Nu = 0
		return p
	}
	want := algostest.Start(t, &base, problem())
	algostest.Steps(t, want, 20)
	three := projection4(0, 1, base).EigenPro3
	for name, a := range map[string]algos.Algorithm{"eigenpro3": &three, "period 1": projection4(0, 1, base), "period 3": projection4(0, 3, base)} {
		f := algostest.Start(t, a, problem())
		algostest.Steps(t, f, 20)
		// The condition number of K times roundings.
		assert.InDeltaSlice(t, want.Model().Predict(x).Data, f.Model().Predict(x).Data, 1e-8, name)
	}
}

// Five steps in two periods and a half by direct dense computation, on four centres of seven points: the function is a sum over
// centres, temporary centres and the subsample, and K(Z, Z)θ = f(Z) projects it.
func TestEigenPro4ByHand(t *testing.T) {
	const s, q, m, p, eta = 5, 3, 3, 4, 0.7
	for _, period := range []int{1, 2} {
		t.Run(fmt.Sprintf("period %d", period), func(t *testing.T) {
			problem := algostest.SmallSquare()
			g := algostest.NewExactGram(t, problem)
			sub := parts.Subsample(problem, s)
			centres, err := parts.SelectLandmarks("", problem, p, parts.Uniform)
			require.NoError(t, err)
			block := mat.NewSymDense(s, nil)
			for a, i := range sub {
				for b, j := range sub {
					block.SetSym(a, b, g.K.At(i, j)/s)
				}
			}
			var e mat.EigenSym
			require.True(t, e.Factorize(block, true))
			lambda := e.Values(nil) // ascending
			var v mat.Dense
			e.VectorsTo(&v)

			f := make([]float64, 7) // the coefficients of f at all points
			values := func(i int) (sum float64) {
				for j, a := range f {
					sum += g.K.At(i, j) * a
				}
				return sum
			}
			project := func() []float64 {
				kzz, at := mat.NewDense(p, p, nil), mat.NewVecDense(p, nil)
				for a, i := range centres {
					at.SetVec(a, values(i))
					for b, j := range centres {
						kzz.Set(a, b, g.K.At(i, j))
					}
				}
				var theta mat.VecDense
				require.NoError(t, theta.SolveVec(kzz, at))
				on := make([]float64, 7)
				for a, i := range centres {
					on[i] = theta.AtVec(a)
				}
				return on
			}
			for step, rows := range [][]int{{0, 1, 2}, {3, 4, 5}, {6}, {0, 1, 2}, {3, 4, 5}} {
				r := make([]float64, len(rows))
				for b, i := range rows {
					r[b] = values(i) - algostest.Targets[i]
				}
				for b, i := range rows {
					f[i] -= eta / m * r[b]
				}
				for j := range q - 1 {
					dot := 0.0
					for a, l := range sub {
						for b, i := range rows {
							dot += v.At(a, s-1-j) * g.K.At(l, i) * r[b]
						}
					}
					for a, l := range sub {
						f[l] += eta / m * v.At(a, s-1-j) * (1 - lambda[s-q]/lambda[s-1-j]) / (s * lambda[s-1-j]) * dot
					}
				}
				if (step+1)%period == 0 {
					f = project()
				}
			}
			a := projection4(p, period, EigenPro2{Batch: m, Device: 1, Subsample: s, Directions: q, Exponent: 1, Step: constant(eta)})
			fit := algostest.Start(t, a, problem)
			algostest.Steps(t, fit, 5)
			f = project() // what is predicted
			x, _ := problem.Dense()
			want := make([]float64, 7)
			for i := range want {
				want[i] = values(i)
			}
			assert.InDeltaSlice(t, want, fit.Model().Predict(x).Data, 1e-11) // condition number 1e3
			var on []float64
			for _, i := range centres {
				on = append(on, f[i])
			}
			assert.InDeltaSlice(t, on, fit.(*eigenPro3).coefficients().Data, 1e-10)
		})
	}
}

// An iterative projection of many passes comes to the exact one.
func TestEigenPro3IterativeProjection(t *testing.T) {
	base := EigenPro2{Batch: 3, Device: 1, Subsample: 5, Directions: 3, Exponent: 1}
	exact, iterative := projection4(4, 2, base), projection4(4, 2, base)
	iterative.Projection, iterative.Epochs = "iterative", 2000
	x := algostest.Queries(2)
	small := func(l losses.Loss) *algos.Problem { return algostest.Single(algostest.Inputs, algostest.Targets, l, 0) }
	var f algos.Fit
	for _, l := range []losses.Loss{losses.Logistic{}, losses.Square{}} { // a projection is least squares, whatever the loss
		f = algostest.Start(t, exact, small(l))
		g := algostest.Start(t, iterative, small(l))
		algostest.Steps(t, f, 3)
		algostest.Steps(t, g, 3)
		assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-8, l.Name())
	}
	iterative.Epochs = 1
	g := algostest.Start(t, iterative, algostest.SmallSquare())
	algostest.Steps(t, g, 3)
	assert.NotEqual(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data)
}

// The laws of other settings: iterative projections, and centres that are all rows.
func TestLawsOfProjections(t *testing.T) {
	algostest.Laws(t, configured(t, "eigenpro3", map[string]any{"projection": "iterative", "projection_epochs": 2}))
	algostest.Laws(t, configured(t, "eigenpro4", map[string]any{"period": 3}))
}

// The rules halve the step of eigenpro2.
func TestEigenPro3Step(t *testing.T) {
	base := EigenPro2{Batch: 3, Device: 1, Subsample: 5, Directions: 3, Exponent: 1}
	two := algostest.Start(t, &base, algostest.SmallSquare()).(*eigenPro2)
	four := algostest.Start(t, projection4(4, 2, base), algostest.SmallSquare()).(*eigenPro3)
	assert.Equal(t, two.gamma(1)/2, four.gamma(1))
	inexact := projection4(0, 2, base)
	inexact.Projection = "iterative"
	inner := algostest.Start(t, inexact, algostest.SmallSquare()).(*eigenPro3).inner
	on := algostest.Start(t, inexact.inner(7), algostest.SmallSquare()).(*eigenPro2)
	assert.Equal(t, on.gamma(1)/2, inner.gamma(1), "on the centres, too")
	for p, batch := range map[int]int{4: 1, 10: 1, 11: 2, 20: 2} {
		assert.Equal(t, batch, inexact.inner(p).Batch, "a tenth of %d centres", p)
	}
}

// A state in the middle of a period has the temporary centres, and a projection leaves none.
func TestEigenPro4Period(t *testing.T) {
	p := algostest.Problem(60, losses.Square{})
	p.Nu = 0
	f := algostest.Start(t, projection4(16, 3, EigenPro2{Batch: 7, Device: 1, Subsample: 30, Directions: 5, Exponent: 1}), p).(*eigenPro3)
	for step, want := range []int{7, 14, 0, 7, 14, 0} {
		algostest.Steps(t, f, 1)
		assert.Len(t, f.state.Rows, want, "after step %d", step+1)
		assert.Len(t, f.state.A, want*2)
	}
	for _, h := range f.state.H {
		assert.Zero(t, h)
	}
}

func TestEigenPro3Refuses(t *testing.T) {
	p := algostest.SmallSquare()
	_, err := projection4(8, 1, EigenPro2{Device: 1, Exponent: 1}).Start(p)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.ErrorContains(t, err, "eigenpro4 draws 8 centres from 7 training rows")
	twice := algostest.Single([][]float64{{1}, {1}, {2}}, []float64{1, 1, 2}, losses.Square{}, 0)
	_, err = projection4(0, 1, EigenPro2{Device: 1, Exponent: 1}).Start(twice)
	assert.ErrorContains(t, err, `eigenpro4: K(Z, Z) is not positive definite in float64: raise jitter, or set projection = "iterative"`)
	p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: compute.Float32})
	f := algostest.Start(t, projection4(4, 1, EigenPro2{Batch: 3, Device: 1, Subsample: 5, Exponent: 1}), p)
	algostest.Steps(t, f, 3)
	assert.False(t, math.IsNaN(f.Model().Predict(algostest.Queries(2)).Data[0]))
}
