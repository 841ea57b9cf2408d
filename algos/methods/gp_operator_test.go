package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

// Three iterations by dai2014 eq. (18) with estimates of k in place of features; the third ends an epoch:
//
//	𝒜_{t+1}(u, v) = (1 - γν) 𝒜_t(u, v) - γ (1/B) Σ_b (𝒜_t(u, x_b) - k̂_t(u, x_b)) k̂'_t(x_b, v)
//
// For every u that is a descent whose targets are k̂_t(u, x_b).
func TestGPOperatorByHand(t *testing.T) {
	const nu, gamma = 0.3, 0.7
	for _, c := range []struct{ batch, block int }{{1, 1}, {3, 4}, {1, 5}, {3, 1}} {
		p := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, nu)
		z, second := algostest.Queries(2), *p
		second.Seed = compute.NewStream(p.Seed, "second features", 0).Uint64()
		f := algostest.Start(t, &GPOperator{Batch: c.batch, Block: c.block, Step: &schedules.Theta{Theta: gamma}}, algostest.KernelTargets(p, z))
		var wants []*descent
		for range z.Rows {
			d := newDescent(p, 0)
			d.y = d.y.Clone()
			wants = append(wants, d)
		}
		for i := range 3 {
			rows := []int{0, 1, 2, 3, 4, 5, 6}[i*c.batch : min((i+1)*c.batch, 7)]
			first := estimate(p, c.block, i)
			algostest.Steps(t, f, 1)
			u := f.Model().Predict(z)
			for j, want := range wants {
				for _, b := range rows {
					want.y.Set(b, 0, first(z.Row(j), want.x.Row(b)))
				}
				want.step(rows, gamma/float64(i+1), estimate(&second, c.block, i))
				for r := range z.Rows {
					require.InDelta(t, want.f(z.Row(r)), u.At(r, j), handTolerance, "%+v, step %d", c, i+1)
				}
			}
		}
	}
}

// The operator, while it moves to room for more, is all that the memory holds.
func TestGPOperatorCost(t *testing.T) {
	const T = 9
	a := &GPOperator{Batch: 4, Block: 3, Step: &schedules.Constant{Gamma0: 0.1}}
	f := algostest.Start(t, a, algostest.KernelTargets(algostest.Problem(40, losses.Square{}), algostest.Queries(3)))
	algostest.Steps(t, f, T)
	assert.EqualValues(t, a.Cost(algos.Size{N: 40, In: 3, Out: 11, Steps: T, Evals: 1}).Bytes, parts.Growth*f.(algos.Sizer).Footprint())
}
