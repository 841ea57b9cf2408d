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
	"repro/algos/schedules"
)

// TestDSGByHand makes two iterations of Algorithm 1 from its formulas, with naive features.
func TestDSGByHand(t *testing.T) {
	const nu, gamma1, gamma2 = 0.3, 0.7, 0.7 / 2
	for _, c := range []struct {
		name         string
		batch, block int
		loss         losses.Loss
		targets      []float64
		slope        func(u, y float64) float64 // l'(u, y) in the paper's formulas
	}{
		{"one by one", 1, 1, losses.Square{}, algostest.Targets, func(u, y float64) float64 { return u - y }},
		{"batch and block", 3, 4, losses.Square{}, algostest.Targets, func(u, y float64) float64 { return u - y }},
		{"short second batch", 5, 2, losses.Square{}, algostest.Targets, func(u, y float64) float64 { return u - y }},
		{"block alone", 1, 4, losses.Square{}, algostest.Targets, func(u, y float64) float64 { return u - y }},
		{"batch alone", 3, 1, losses.Square{}, algostest.Targets, func(u, y float64) float64 { return u - y }},
		{"logistic", 3, 4, losses.Logistic{}, handLabels, func(u, y float64) float64 { return -y / (1 + math.Exp(y*u)) }},
		{"hinge", 3, 4, losses.Hinge{}, handLabels, func(u, y float64) float64 {
			if y*u < 1 {
				return -y
			}
			return 0
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := algostest.Single(algostest.Inputs, c.targets, c.loss, nu)
			a := &DSG{DSGSettings: DSGSettings{Batch: c.batch, Block: c.block, Step: &schedules.Theta{Theta: gamma1}, Average: true}}
			f := algostest.Start(t, a, p)
			maps := kernels.Gaussian{Sigma: 0.8}.Features(p.Seed, 2, c.block)
			B, F := c.batch, c.block
			x, y := algostest.Inputs, c.targets

			// t = 1: f_1 = 0 and α_i = -γ_1 (1/(BF)) Σ_b l'(0, y_b) φ_{ω_i}(x_b).
			alpha := make([]float64, F)
			for i := range F {
				for b := range B {
					alpha[i] -= gamma1 * c.slope(0, y[b]) * naiveFeature(maps, 0, i, x[b]) / float64(B*F)
				}
			}
			f2 := func(x []float64) (u float64) {
				for i, a := range alpha {
					u += a * naiveFeature(maps, 0, i, x)
				}
				return u
			}
			algostest.Steps(t, f, 1)
			mustEqualAt(t, f2, f.Model())

			// t = 2: the new block from f_2 at the next examples, the rest of the epoch if it has fewer
			// than B, the old one shrinks by 1 - γ_2ν.
			next := min(B, len(x)-B)
			beta := make([]float64, F)
			for i := range F {
				for b := B; b < B+next; b++ {
					beta[i] -= gamma2 * c.slope(f2(x[b]), y[b]) * naiveFeature(maps, 1, i, x[b]) / float64(next*F)
				}
			}
			f3 := func(x []float64) float64 {
				u := (1 - gamma2*nu) * f2(x)
				for i, b := range beta {
					u += b * naiveFeature(maps, 1, i, x)
				}
				return u
			}
			algostest.Steps(t, f, 1)
			mustEqualAt(t, f3, f.Model())
			mustEqualAt(t, func(x []float64) float64 { return (f2(x) + f3(x)) / 2 }, f.(algos.Averager).Average())
		})
	}
}

// TestDSGEstimatesNORMA checks that E_ω f_t is NORMA's f_t: with the square loss it is exact for any
// number of features, because every block is used once and independent of those before. 4 standard
// deviations at 11 points, three times: false alarm for 2e-3 of seeds.
func TestDSGEstimatesNORMA(t *testing.T) {
	const seeds, T = 3000, 3
	for _, c := range []struct{ batch, block int }{{1, 1}, {1, 8}, {2, 3}} {
		problem := func(seed uint64) *algos.Problem {
			p := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, 0.2)
			p.Seed = seed
			return p
		}
		gamma := &schedules.InverseSqrt{Gamma0: 0.8}
		norma := algostest.Start(t, &NORMA{Batch: c.batch, Step: gamma}, problem(0))
		algostest.Steps(t, norma, T)
		x := algostest.Queries(2)
		want := column(norma.Model().Predict(x))

		mean, square := make([]float64, x.Rows), make([]float64, x.Rows)
		for seed := range uint64(seeds) {
			f := algostest.Start(t, &DSG{DSGSettings: DSGSettings{Batch: c.batch, Block: c.block, Step: gamma}}, problem(seed))
			algostest.Steps(t, f, T)
			for i, v := range column(f.Model().Predict(x)) {
				mean[i] += v / seeds
				square[i] += v * v / seeds
			}
		}
		for i := range mean {
			sd := math.Sqrt((square[i] - mean[i]*mean[i]) / seeds)
			assert.InDelta(t, want[i], mean[i], 4*sd, "batch %d, block %d, point %d", c.batch, c.block, i)
			assert.Less(t, sd, 0.05, "a mean that tells a factor of two")
		}
	}
}

func TestDSGNeedsFeatures(t *testing.T) {
	p := algostest.Problem(10, losses.Square{})
	p.Kernel = featureless{kernels.Gaussian{Sigma: 1}}
	for _, a := range []algos.Algorithm{&DSG{DSGSettings: DSGSettings{Batch: 1, Block: 1, Step: &schedules.Constant{Gamma0: 1}}}, &RPegasos{PegasosSettings{Batch: 1, Features: 4}}} {
		_, err := a.Start(p)
		require.ErrorIs(t, err, algos.ErrUnsupported)
		assert.ErrorContains(t, err, "needs a kernel with random features, not featureless")
	}
	for _, a := range []algos.Algorithm{&NORMA{Batch: 1, Step: &schedules.Constant{Gamma0: 1}}, &KRR{}} {
		algostest.Start(t, a, p)
	}
}

// featureless is a kernel without random features.
type featureless struct{ compute.KernelFunc }

func (featureless) Name() string { return "featureless" }

// TestDSGKeepsPredictions requires of kept predictions the function that evaluates all features at every step, over three epochs
// whose last batches are short. At its last visit in step t a row has seen t-1 blocks.
func TestDSGKeepsPredictions(t *testing.T) {
	const n, batch, block, epoch = 60, 7, 5, 9
	for _, name := range losses.Names() {
		t.Run(name, func(t *testing.T) {
			settings := DSGSettings{Batch: batch, Block: block, Step: &schedules.Inverse{Gamma0: 0.5, T0: 10}, Average: true}
			x := algostest.Queries(3)
			run := func(keep bool) (last, average compute.Matrix, evaluated int64) {
				p := algostest.Problem(n, algostest.Loss(t, name))
				p.Nu = 0.2
				f := algostest.Start(t, &DSG{DSGSettings: settings, Keep: keep}, p)
				algostest.Steps(t, f, 3*epoch)
				evaluated = p.Engine.Counters().FeatureEvals
				return f.Model().Predict(x), f.(algos.Averager).Average().Predict(x), evaluated
			}
			last, average, all := run(false)
			keptLast, keptAverage, kept := run(true)
			assert.InDeltaSlice(t, last.Data, keptLast.Data, 1e-12)
			assert.InDeltaSlice(t, average.Data, keptAverage.Data, 1e-12)

			var visits, latest int
			for s := range 3 * epoch {
				rows := min(batch, n-s%epoch*batch)
				visits += rows * (s + 1)
				if s >= 2*epoch {
					latest += rows * s
				}
			}
			assert.EqualValues(t, block*visits, all)
			assert.EqualValues(t, block*(latest+3*n), kept)
			cost := (&DSG{DSGSettings: settings, Keep: true}).Cost(algos.Size{N: n, In: 3, Out: last.Cols, Steps: 3 * epoch, Evals: 1})
			assert.InEpsilon(t, cost.FeatureEvals, kept, 0.1)
		})
	}
}
