package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// TestSGDRFByHand makes steps of carratino2018 eq. (3) with plain sums over features cos(ω·x + b)/√M, without √2, at the
// indices that the order draws.
func TestSGDRFByHand(t *testing.T) {
	const n, M, steps, gamma = 20, 12, 9, 0.8
	for _, b := range []int{1, 3, 25} {
		p := algostest.Problem(n, losses.Square{})
		p.Nu = 0
		x, y := p.Dense()
		features := p.Kernel.(kernels.Featured).Features(p.Seed, 3, M)
		psi := func(i int) []float64 {
			v := make([]float64, M)
			for j := range v {
				v[j] = naiveFeature(features, 0, j, x.Row(i)) / math.Sqrt2 / math.Sqrt(M)
			}
			return v
		}
		order, err := parts.NewSampling("sgd-rf", p, true)
		require.NoError(t, err)
		want := make([]float64, M*2)
		for s := range steps {
			rows := order.Rows(int64(s*b), b)
			require.Len(t, rows, b)
			g := make([]float64, M*2)
			for _, i := range rows {
				for q := range 2 {
					u := 0.0
					for j, v := range psi(i) {
						u += v * want[2*j+q]
					}
					for j, v := range psi(i) {
						g[2*j+q] += (u - y.At(i, q)) * v / float64(b)
					}
				}
			}
			for j := range want {
				want[j] -= gamma * g[j]
			}
		}
		f := algostest.Start(t, &SGDRF{Batch: b, Features: M, HalfKernel: true, Sampling: "replacement", Step: constant(gamma)}, p)
		algostest.Steps(t, f, steps)
		assert.InDeltaSlice(t, want, f.State().(*parts.SpanState).Alpha, 1e-12)
	}
}

// A step that draws examples is on average the step of all examples: 4 s.d. of the mean of 4,000 first steps with one example
// each, estimated from these.
func TestSGDRFIsUnbiased(t *testing.T) {
	const n, M, draws, gamma = 10, 6, 4000, 0.5
	first := func(seed uint64, a SGDRF) []float64 {
		p := algostest.Problem(n, losses.Square{})
		p.Nu, a.Features, a.Step = 0, M, constant(gamma)
		z, err := parts.NewFeatureOperator("sgd-rf", p, M)
		require.NoError(t, err)
		p.Seed = seed // of the examples: the features stay
		f := algostest.Start(t, &a, p).(*sgdRF)
		f.z = z
		algostest.Steps(t, f, 1)
		return f.Alpha
	}
	want := first(1, SGDRF{Batch: n, Sampling: "epochs"})
	sum, squares := make([]float64, len(want)), make([]float64, len(want))
	for s := range uint64(draws) {
		for j, v := range first(s, SGDRF{Batch: 1, Sampling: "replacement"}) {
			sum[j] += v
			squares[j] += v * v
		}
	}
	for j, v := range want {
		mean := sum[j] / draws
		assert.InDelta(t, v, mean, 4*math.Sqrt((squares[j]/draws-mean*mean)/draws), "weight %d", j)
	}
}

// Features without √2 give the functions of half the step, to rounding, and half the eigenvalues: a step just below
// 2/λ_1 of their covariance converges, one just above diverges, whatever the data.
func TestSGDRFOnHalfTheKernel(t *testing.T) {
	const n, M, gamma = 30, 8, 0.7
	problem := func() *algos.Problem {
		p := algostest.Problem(n, losses.Square{})
		p.Nu = 0
		return p
	}
	for _, sampling := range []string{"epochs", "replacement"} {
		half := algostest.Start(t, &SGDRF{Batch: 4, Features: M, HalfKernel: true, Sampling: sampling, Step: constant(gamma)}, problem())
		whole := algostest.Start(t, &SGDRF{Batch: 4, Features: M, Sampling: sampling, Step: constant(gamma / 2)}, problem())
		algostest.Steps(t, half, 20)
		algostest.Steps(t, whole, 20)
		x := algostest.Queries(3)
		assert.InDeltaSlice(t, whole.Model().Predict(x).Data, half.Model().Predict(x).Data, 1e-12, sampling)
	}

	own := algostest.Start(t, &SGDRF{Batch: n, Features: M, Sampling: "epochs", Subsample: n}, problem()).(*sgdRF).gamma(1)
	ownHalf := algostest.Start(t, &SGDRF{Batch: n, Features: M, HalfKernel: true, Sampling: "epochs", Subsample: n}, problem()).(*sgdRF).gamma(1)
	assert.InEpsilon(t, 2*own, ownHalf, 1e-12, "the step of half the eigenvalue")
	limit := ownHalf / 0.75 * 2 // 2/λ_1
	stated := algostest.Number(t, algostest.Start(t, &SGDRF{Batch: 1, Features: M, HalfKernel: true, Subsample: n, Step: constant(1)}, problem()), "step-limit")
	assert.InEpsilon(t, limit, stated, 1e-12)
	norm := func(step float64, steps int) float64 {
		f := algostest.Start(t, &SGDRF{Batch: n, Features: M, HalfKernel: true, Sampling: "epochs", Step: constant(step)}, problem())
		algostest.Steps(t, f, steps)
		return f.(algos.Normed).SquaredNorms()[0]
	}
	assert.Less(t, norm(0.99*limit, 2000), 2*norm(0.99*limit, 1000))
	assert.Greater(t, norm(1.01*limit, 2000), 1e6*norm(1.01*limit, 1000), "1.02^(2·1000) in theory")
}

func TestSGDRFDoesNotDrawFromAFileInOrder(t *testing.T) {
	p := algostest.Problem(10, losses.Square{})
	p.FileOrder = true
	_, err := (&SGDRF{Batch: 1, Features: 4, Sampling: "replacement"}).Start(p)
	assert.ErrorIs(t, err, algos.ErrUnsupported)
}

// The averaged iterate predicts the mean of what the iterates predict, in steps row by row and in large batches.
func TestSGDRFAverages(t *testing.T) {
	const steps = 12
	for _, batch := range []int{3, fewExamples + 6} {
		p := algostest.Problem(90, losses.Square{})
		f := algostest.Start(t, &SGDRF{Batch: batch, Features: 32, Step: &schedules.Constant{Gamma0: 0.2}, Average: true}, p)
		x, mean := algostest.Queries(3), compute.NewMatrix(0, 0)
		for range steps {
			algostest.Steps(t, f, 1)
			u := f.Model().Predict(x)
			if mean.Rows == 0 {
				mean = compute.NewMatrix(u.Rows, u.Cols)
			}
			mean.AddScaled(1./steps, u)
		}
		assert.InDeltaSlice(t, mean.Data, f.(algos.Averager).Average().Predict(x).Data, 1e-13)
		g := algostest.Start(t, &SGDRF{Batch: batch, Features: 32, Step: &schedules.Constant{Gamma0: 0.2}, Average: true}, p)
		for made := 0; made < steps; {
			m, _, err := g.(algos.Leaper).Leap(steps - made)
			require.NoError(t, err)
			made += m
		}
		assert.Equal(t, f.(algos.Averager).Average().Predict(x), g.(algos.Averager).Average().Predict(x))
	}
}
