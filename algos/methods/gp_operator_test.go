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

// twoPoints are inputs whose 2×2 matrix K + σ²I is inverted by hand below.
var twoPoints = [][]float64{{0.3, -0.2}, {-0.7, 0.5}}

// TestPosteriorVarianceByHand checks that ridge regression on kernel targets with ν = σ²/n gives
// dai2014 eq. (9), k(x*, x*) - k*ᵀ(K + σ²I)⁻¹k*, for two training points: the inverse is that of
// [[d, c], [c, d]].
func TestPosteriorVarianceByHand(t *testing.T) {
	const sigma2 = 0.3
	p := algostest.Single(twoPoints, []float64{5, -7}, losses.Square{}, sigma2/2)
	at := algostest.Queries(2)
	f := algostest.Start(t, &KRR{}, algostest.KernelTargets(p, at))
	algostest.Steps(t, f, 1)
	u := f.Model().Predict(at)

	c, d := algostest.Gaussian(twoPoints[0], twoPoints[1]), 1+sigma2
	for i := range at.Rows {
		a, b := algostest.Gaussian(at.Row(i), twoPoints[0]), algostest.Gaussian(at.Row(i), twoPoints[1])
		want := 1 - (d*a*a-2*c*a*b+d*b*b)/(d*d-c*c)
		assert.InDelta(t, want, 1-u.At(i, i), handTolerance)
		assert.InDelta(t, sigma2, want, 1, "a variance between the noise's and the prior's")
	}
}

// An operatorByHand is 𝒜_t at pairs of points, of which the first are the training inputs, by
// dai2014 eq. (18) with estimates of k in place of features:
//
//	𝒜_{t+1}(u, v) = (1 - γν) 𝒜_t(u, v) - γ (1/B) Σ_b (𝒜_t(u, x_b) - k̂_t(u, x_b)) k̂'_t(x_b, v)
type operatorByHand struct {
	points [][]float64
	a      [][]float64
}

func newOperatorByHand(train [][]float64, at compute.Matrix) *operatorByHand {
	o := &operatorByHand{points: append([][]float64(nil), train...)}
	for i := range at.Rows {
		o.points = append(o.points, at.Row(i))
	}
	o.a = make([][]float64, len(o.points))
	for i := range o.a {
		o.a[i] = make([]float64, len(o.points))
	}
	return o
}

// step takes the training inputs lo ≤ b < hi.
func (o *operatorByHand) step(lo, hi int, gamma, nu float64, k, other func(x, z []float64) float64) {
	next := make([][]float64, len(o.a))
	for i, u := range o.points {
		next[i] = make([]float64, len(o.a))
		for j, v := range o.points {
			next[i][j] = (1 - gamma*nu) * o.a[i][j]
			for b := lo; b < hi; b++ {
				next[i][j] -= gamma / float64(hi-lo) * (o.a[i][b] - k(u, o.points[b])) * other(o.points[b], v)
			}
		}
	}
	o.a = next
}

// kernelEstimate is (1/F) Σ_i φ_i(x) φ_i(z) over a block.
func kernelEstimate(f compute.FeatureMap, block int) func(x, z []float64) float64 {
	return func(x, z []float64) (k float64) {
		for i := range f.Width() {
			k += naiveFeature(f, block, i, x) * naiveFeature(f, block, i, z) / float64(f.Width())
		}
		return k
	}
}

// TestGPOperatorByHand makes three iterations by eq. (18) with naive features; the third ends an epoch.
func TestGPOperatorByHand(t *testing.T) {
	const nu, gamma = 0.3, 0.7
	for _, c := range []struct {
		name         string
		batch, block int
	}{{"one by one", 1, 1}, {"batch and block", 3, 4}, {"block alone", 1, 5}, {"batch alone", 3, 1}} {
		t.Run(c.name, func(t *testing.T) {
			p := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, nu)
			at := algostest.Queries(2).RowRange(0, 4)
			f := algostest.Start(t, &GPOperator{Batch: c.batch, Block: c.block, Step: &schedules.Theta{Theta: gamma}}, algostest.KernelTargets(p, at))
			features := p.Kernel.(kernels.Gaussian).Features
			first, second := features(p.Seed, 2, c.block), features(compute.NewStream(p.Seed, "second features", 0).Uint64(), 2, c.block)

			hand := newOperatorByHand(algostest.Inputs, at)
			x := compute.NewMatrix(len(hand.points), 2)
			for i, row := range hand.points {
				copy(x.Row(i), row)
			}
			for i := range 3 {
				lo := i * c.batch
				hand.step(lo, min(lo+c.batch, 7), gamma/float64(i+1), nu, kernelEstimate(first, i), kernelEstimate(second, i))
				algostest.Steps(t, f, 1)
				u := f.Model().Predict(x)
				for r := range x.Rows {
					for j := range at.Rows {
						require.InDelta(t, hand.a[7+j][r], u.At(r, j), handTolerance, "step %d", i+1)
					}
				}
			}
		})
	}
}

// TestGPOperatorEstimatesTheOperator checks that E 𝒜_t is the iterate of eq. (18) with the kernel itself,
// which the two independent streams make exact for any number of features: with one stream for both
// sides, the first step's E[φφᵀ ⊗ φφᵀ] is another number. 4 standard deviations at 4 points, twice: false
// alarm for 5e-4 of seeds.
func TestGPOperatorEstimatesTheOperator(t *testing.T) {
	const seeds, T, nu = 3000, 3, 0.2
	at := algostest.Queries(2).RowRange(0, 4)
	gamma := &schedules.InverseSqrt{Gamma0: 0.8}
	for _, c := range []struct{ batch, block int }{{1, 1}, {2, 3}} {
		hand := newOperatorByHand(algostest.Inputs, at)
		for i := range T {
			hand.step(i*c.batch, (i+1)*c.batch, gamma.Gamma(i+1), nu, algostest.Gaussian, algostest.Gaussian)
		}
		mean, square := make([]float64, at.Rows), make([]float64, at.Rows)
		for seed := range uint64(seeds) {
			p := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, nu)
			p.Seed = seed
			f := algostest.Start(t, &GPOperator{Batch: c.batch, Block: c.block, Step: gamma}, algostest.KernelTargets(p, at))
			algostest.Steps(t, f, T)
			u := f.Model().Predict(at)
			for i := range mean {
				mean[i] += u.At(i, i) / seeds
				square[i] += u.At(i, i) * u.At(i, i) / seeds
			}
		}
		for i := range mean {
			sd := math.Sqrt((square[i] - mean[i]*mean[i]) / seeds)
			assert.InDelta(t, hand.a[7+i][7+i], mean[i], 4*sd, "batch %d, block %d, point %d", c.batch, c.block, i)
			assert.Less(t, sd, 0.05, "a mean that tells a factor of two")
		}
	}
}

// TestOperatorIsTheClosedForm: full batches of eq. (18) with the kernel itself end at dai2014 eq. (9) for
// σ² = nν, so both formulations and the closed form are of one variance.
func TestOperatorIsTheClosedForm(t *testing.T) {
	const nu = 0.05
	at := algostest.Queries(2).RowRange(0, 4)
	exact := algostest.Start(t, &KRR{}, algostest.KernelTargets(algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, nu), at))
	algostest.Steps(t, exact, 1)
	want := exact.Model().Predict(at)

	hand := newOperatorByHand(algostest.Inputs, at)
	for range 1000 { // what is left shrinks by 1 - γν or less a step, to 1e-22
		hand.step(0, 7, 1, nu, algostest.Gaussian, algostest.Gaussian)
	}
	for i := range at.Rows {
		assert.InDelta(t, want.At(i, i), hand.a[7+i][7+i], 1e-12) // 1000 steps of rounding, each contracting
	}
}

func TestGPOperatorNeeds(t *testing.T) {
	a := &GPOperator{Batch: 1, Block: 1, Step: &schedules.Constant{Gamma0: 1}}
	p := algostest.Problem(10, losses.Square{})
	_, err := a.Start(p)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.ErrorContains(t, err, "needs kernel targets and the square loss")

	p = algostest.Problem(10, losses.Hinge{})
	_, err = a.Start(algostest.KernelTargets(p, algostest.Queries(3)))
	require.ErrorIs(t, err, algos.ErrUnsupported)

	p = algostest.Problem(10, losses.Square{})
	p.Kernel = featureless{kernels.Gaussian{Sigma: 1}}
	_, err = a.Start(algostest.KernelTargets(p, algostest.Queries(3)))
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.ErrorContains(t, err, "needs a kernel with random features, not featureless")
}

// TestGPOperatorCost compares what plan promises with what the engine counted and the fit holds.

// The operator, while it moves to room for more, is all that the memory holds.
func TestGPOperatorCost(t *testing.T) {
	const T = 9
	a := &GPOperator{Batch: 4, Block: 3, Step: &schedules.Constant{Gamma0: 0.1}}
	f := algostest.Start(t, a, algostest.KernelTargets(algostest.Problem(40, losses.Square{}), algostest.Queries(3)))
	algostest.Steps(t, f, T)
	assert.EqualValues(t, a.Cost(algos.Size{N: 40, In: 3, Out: 11, Steps: T, Evals: 1}).Bytes, parts.Growth*f.(algos.Sizer).Footprint())
}
