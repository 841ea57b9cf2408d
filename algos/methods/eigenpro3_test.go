package methods

import (
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
	want := at(after(t, &base, squares(60, 0), 20), x)
	three := projection4(0, 1, base).EigenPro3
	for name, a := range map[string]algos.Algorithm{"eigenpro3": &three, "period 1": projection4(0, 1, base), "period 3": projection4(0, 3, base)} {
		// The condition number of K times roundings.
		assert.InDeltaSlice(t, want, at(after(t, a, squares(60, 0), 20), x), 1e-8, name)
	}
}

// Five steps in two periods and a half by dense algebra, on four centres of seven points: the function is a sum over centres, temporary
// centres and the subsample, and K(Z, Z)θ = f(Z) projects it.
func TestEigenPro4ByHand(t *testing.T) {
	const s, q, m, p, eta = 5, 3, 3, 4, 0.7
	for _, period := range []int{1, 2} {
		problem := algostest.SmallSquare()
		want := ofSubsample(t, problem, s, q, 1)
		centres, err := parts.SelectLandmarks("", problem, p, parts.Uniform)
		require.NoError(t, err)
		project := func() (theta mat.VecDense) {
			var f mat.VecDense
			f.MulVec(rowsOf(want.k, centres), want.alpha)
			require.NoError(t, theta.SolveVec(block(want.k, centres, centres), &f))
			want.alpha.Zero()
			for a, i := range centres {
				want.alpha.SetVec(i, theta.AtVec(a))
			}
			return theta
		}
		for step, rows := range [][]int{{0, 1, 2}, {3, 4, 5}, {6}, {0, 1, 2}, {3, 4, 5}} {
			want.step(rows, eta/m)
			if (step+1)%period == 0 {
				project()
			}
		}
		a := projection4(p, period, EigenPro2{Batch: m, Device: 1, Subsample: s, Directions: q, Exponent: 1, Step: constant(eta)})
		f := after(t, a, problem, 5)
		theta := project() // what is predicted
		x, _ := problem.Dense()
		assert.InDeltaSlice(t, want.values(), at(f, x), 1e-11, "period %d", period) // condition number 1e3
		assert.InDeltaSlice(t, theta.RawVector().Data, f.(*eigenPro3).coefficients().Data, 1e-10, "period %d", period)
	}
}

// An iterative projection of many passes comes to the exact one.
func TestEigenPro3IterativeProjection(t *testing.T) {
	base := EigenPro2{Batch: 3, Device: 1, Subsample: 5, Directions: 3, Exponent: 1}
	exact, iterative := projection4(4, 2, base), projection4(4, 2, base)
	iterative.Projection, iterative.Epochs = "iterative", 2000
	x := algostest.Queries(2)
	for _, l := range []losses.Loss{losses.Logistic{}, losses.Square{}} { // a projection is least squares, whatever the loss
		p := algostest.Single(algostest.Inputs, algostest.Targets, l, 0)
		want := at(after(t, exact, p, 3), x)
		assert.InDeltaSlice(t, want, at(after(t, iterative, p, 3), x), 1e-8, l.Name())
		once := *iterative
		once.Epochs = 1
		assert.NotEqual(t, want, at(after(t, &once, p, 3), x), l.Name())
	}
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
	a := projection4(16, 3, EigenPro2{Batch: 7, Device: 1, Subsample: 30, Directions: 5, Exponent: 1})
	f := algostest.Start(t, a, squares(60, 0)).(*eigenPro3)
	for step, want := range []int{7, 14, 0, 7, 14, 0} {
		algostest.Steps(t, f, 1)
		assert.Len(t, f.state.Rows, want, "after step %d", step+1)
		assert.Len(t, f.state.A, want*2)
	}
	for _, h := range f.state.H {
		assert.Zero(t, h)
	}
}

// Where centres repeat K(Z, Z) cannot be solved; single precision can solve what it can tell apart.
func TestEigenPro3OfSingularMatrices(t *testing.T) {
	twice := algostest.Single([][]float64{{1}, {1}, {2}}, []float64{1, 1, 2}, losses.Square{}, 0)
	_, err := projection4(0, 1, EigenPro2{Device: 1, Exponent: 1}).Start(twice)
	assert.ErrorContains(t, err, `eigenpro4: K(Z, Z) is not positive definite in float64: raise jitter, or set projection = "iterative"`)
	p := algostest.SmallSquare()
	p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: compute.Float32})
	f := after(t, projection4(4, 1, EigenPro2{Batch: 3, Device: 1, Subsample: 5, Exponent: 1}), p, 3)
	assert.True(t, f.Model().Predict(algostest.Queries(2)).Finite())
}
