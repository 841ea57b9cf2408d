package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/schedules"
)

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
