package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// Features without √2 have half the eigenvalues: a step just below 2/λ_1 of their covariance converges, one just above diverges, whatever
// the data.
func TestSGDRFOnHalfTheKernel(t *testing.T) {
	const n, M = 30, 8
	start := func(a SGDRF) *sgdRF {
		a.Features = M
		return algostest.Start(t, &a, squares(n, 0)).(*sgdRF)
	}
	own := start(SGDRF{Batch: n, Sampling: "epochs", Subsample: n}).gamma(1)
	ownHalf := start(SGDRF{Batch: n, HalfKernel: true, Sampling: "epochs", Subsample: n}).gamma(1)
	assert.InEpsilon(t, 2*own, ownHalf, 1e-12, "the step of half the eigenvalue")
	limit := ownHalf / 0.75 * 2 // 2/λ_1
	assert.InEpsilon(t, limit, algostest.Number(t, start(SGDRF{Batch: 1, HalfKernel: true, Subsample: n, Step: constant(1)}), "step-limit"), 1e-12)
	growth := func(step float64) float64 {
		f := start(SGDRF{Batch: n, HalfKernel: true, Sampling: "epochs", Step: constant(step)})
		algostest.Steps(t, f, 1000)
		before := f.SquaredNorms()[0]
		algostest.Steps(t, f, 1000)
		return f.SquaredNorms()[0] / before
	}
	assert.Less(t, growth(0.99*limit), 2.0)
	assert.Greater(t, growth(1.01*limit), 1e6, "1.02^(2·1000) in theory")
}

// The averaged iterate predicts the mean of what the iterates predict in large batches too, and in leaps.
func TestSGDRFAverages(t *testing.T) {
	const steps = 12
	a := &SGDRF{Batch: fewExamples + 6, Features: 32, Step: constant(0.2), Average: true}
	p, x, mean := algostest.Problem(90, losses.Square{}), algostest.Queries(3), compute.NewMatrix(11, 2)
	f, g := algostest.Start(t, a, p).(*sgdRF), algostest.Start(t, a, p).(*sgdRF)
	for range steps {
		algostest.Steps(t, f, 1)
		mean.AddScaled(1./steps, f.Model().Predict(x))
	}
	assert.InDeltaSlice(t, mean.Data, f.Average().Predict(x).Data, 1e-13)
	for made := 0; made < steps; {
		i := g.Leap(steps - made)[0]
		require.NoError(t, i.Err)
		made += i.Made
	}
	assert.Equal(t, f.Average().Predict(x), g.Average().Predict(x))
}
