package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

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
