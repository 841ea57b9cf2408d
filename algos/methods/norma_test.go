package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// TestNORMAByHand makes two iterations from the formula; the second batch of five has the two examples
// that are left of the epoch.
func TestNORMAByHand(t *testing.T) {
	const nu, gamma1, gamma2 = 0.3, 0.7, 0.35
	x, y := algostest.Inputs, algostest.Targets
	for B, next := range map[int]int{1: 1, 2: 2, 5: 2} {
		f := algostest.Start(t, &NORMA{Batch: B, Step: &schedules.Theta{Theta: gamma1}, Average: true}, algostest.Single(x, y, losses.Square{}, nu))

		// f_2 = -γ_1 (1/B) Σ_b (0 - y_b) k(x_b, ·)
		f2 := func(z []float64) (u float64) {
			for b := range B {
				u += gamma1 / float64(B) * y[b] * algostest.Gaussian(x[b], z)
			}
			return u
		}
		algostest.Steps(t, f, 1)
		mustEqualAt(t, f2, f.Model())

		// f_3 = (1 - γ_2ν) f_2 - γ_2 (1/B) Σ_b (f_2(x_b) - y_b) k(x_b, ·)
		f3 := func(z []float64) float64 {
			u := (1 - gamma2*nu) * f2(z)
			for b := B; b < B+next; b++ {
				u -= gamma2 / float64(next) * (f2(x[b]) - y[b]) * algostest.Gaussian(x[b], z)
			}
			return u
		}
		algostest.Steps(t, f, 1)
		mustEqualAt(t, f3, f.Model())
		mustEqualAt(t, func(z []float64) float64 { return (f2(z) + f3(z)) / 2 }, f.(algos.Averager).Average())
	}
}

// TestNORMAHinge has an example beyond the margin in its second batch: it adds no term but counts in
// the batch average.
func TestNORMAHinge(t *testing.T) {
	const nu, gamma = 0.25, 2.0
	x := [][]float64{{0, 0}, {3, 3}, {0.1, 0}, {2.9, 3.2}}
	y := []float64{1, -1, 1, 1}
	f := algostest.Start(t, &NORMA{Batch: 2, Step: &schedules.Constant{Gamma0: gamma}}, algostest.Single(x, y, losses.Hinge{}, nu)).(*norma)

	f2 := func(z []float64) float64 {
		return gamma / 2 * (algostest.Gaussian(x[0], z) - algostest.Gaussian(x[1], z))
	}
	algostest.Steps(t, f, 1)
	mustEqualAt(t, f2, f.Model())
	require.Equal(t, []int{0, 1}, f.Rows)

	// f_2(x_2) = 0.99 and f_2(x_3) = -0.95 < 1: two terms.
	require.Less(t, y[2]*f2(x[2]), 1.0)
	f3 := func(z []float64) float64 {
		return (1-gamma*nu)*f2(z) + gamma/2*(algostest.Gaussian(x[2], z)+algostest.Gaussian(x[3], z))
	}
	algostest.Steps(t, f, 1)
	mustEqualAt(t, f3, f.Model())

	// In the next epoch x_0 is beyond the margin, 0.5 + 0.99 > 1, and x_1 is not.
	require.Greater(t, f3(x[0]), 1.0)
	require.Less(t, -f3(x[1]), 1.0)
	f4 := func(z []float64) float64 { return (1-gamma*nu)*f3(z) - gamma/2*algostest.Gaussian(x[1], z) }
	algostest.Steps(t, f, 1)
	mustEqualAt(t, f4, f.Model())
	assert.Equal(t, []int{0, 1, 2, 3, 1}, f.Rows)
	assert.Equal(t, []int{2, 4, 5}, f.Terms)
	assert.EqualValues(t, 6, f.Seen)
}

// TestNORMAForgetsOtherCentres restores the state of a fit that drew other examples: the centres
// gathered before are none of its own.
func TestNORMAForgetsOtherCentres(t *testing.T) {
	a := &NORMA{Batch: 3, Step: &schedules.Constant{Gamma0: 0.5}}
	f, other := algostest.Start(t, a, algostest.Problem(40, losses.Square{})), algostest.Problem(40, losses.Square{})
	other.Seed++
	g := algostest.Start(t, a, other)
	for _, k := range []int{4, 0, 5} { // shorter, as long and longer than what was gathered
		algostest.Steps(t, f, 4)
		algostest.Steps(t, g, k)
		state, want := algostest.Encode(t, g), g.Model().Predict(algostest.Queries(3))
		algostest.Restore(t, f, state)
		assert.Equal(t, want, f.Model().Predict(algostest.Queries(3)))
	}
}

// TestNORMAConvergesToKRR: with all n examples a step and a constant step size, the fixed point is
// νf + (1/n) Σ (f(x_i) - y_i) k(x_i, ·) = 0, that is (K + nνI) α = y.
func TestNORMAConvergesToKRR(t *testing.T) {
	const n = 30
	exact := algostest.Start(t, &KRR{}, algostest.Problem(n, losses.Square{}))
	algostest.Steps(t, exact, 1)
	f := algostest.Start(t, &NORMA{Batch: n, Step: &schedules.Constant{Gamma0: 1.2}}, algostest.Problem(n, losses.Square{}))
	algostest.Steps(t, f, 120)
	x := algostest.Queries(3)
	// Errors contract by max |1 - γ(ν + λ)|, λ ∈ [0, 1): 0.85¹²⁰ = 3e-9.
	want, got := exact.Model().Predict(x), f.Model().Predict(x)
	assert.InDeltaSlice(t, want.Data, got.Data, 1e-6)
}

// TestAdvanceWithoutNewTerms has steps at which the hinge adds no term to NORMA's expansion: the older
// terms still shrink and the average still moves.
func TestAdvanceWithoutNewTerms(t *testing.T) {
	const n = 60
	p := algostest.Problem(n, losses.Hinge{})
	p.Nu = 1e-3
	f := algostest.Start(t, &NORMA{Batch: 1, Step: &schedules.Constant{Gamma0: 3}, Average: true}, p).(*norma)
	x := algostest.Queries(3)
	running := algostest.Predictions(f, x.Rows)
	idle := 0
	for k := range 5 * n {
		before := f.TermsAfter(k)
		algostest.Steps(t, f, 1)
		if f.TermsAfter(k+1) == before {
			idle++
		}
		f.Advance(k, x, running)
	}
	assert.Greater(t, idle, n, "steps without a term")
	assert.Equal(t, len(f.Rows), f.TermsAfter(f.T))
	assert.Less(t, len(f.Rows), 5*n, "examples with l' = 0 add none")
	algostest.MustPredict(t, f, x, running)
}

// Where half of the examples have a gradient, half of the terms are evaluated and kept.
func TestNORMACostsOfTheSupport(t *testing.T) {
	a, s := &NORMA{Batch: 4}, algos.Size{N: 100, In: 3, Out: 2, Steps: 20, Evals: 1}
	whole := a.Cost(s)
	s.Support = 0.5
	half := a.Cost(s)
	assert.Equal(t, []float64{whole.KernelEvals / 2, whole.EvalCost / 2, whole.Bytes / 2}, []float64{half.KernelEvals, half.EvalCost, half.Bytes})
}
