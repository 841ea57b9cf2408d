package methods

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
)

// Running predictions are those of the models. They cost the same for any number of points on the curve, but for k-sdca after its first
// pass, of 10 steps here, when each point costs n evaluations.
func TestEvaluationCostOfACurve(t *testing.T) {
	step := constant(0.1)
	for _, a := range []algos.Algorithm{
		&DSG{DSGSettings: DSGSettings{Batch: 4, Block: 3, Step: step}}, &NORMA{Batch: 4, Step: step},
		&KSDCA{SDCASettings{Batch: 4, Average: true}}, &KSDCA{SDCASettings{Batch: 4, SGDStart: true, Average: true}},
	} {
		for _, c := range []struct{ steps, every int }{{10, 1}, {10, 4}, {8, 8}, {24, 24}, {24, 12}} {
			name, p := fmt.Sprintf("%T %+v, %d by %d", a, a, c.steps, c.every), squares(40, 0.125)
			f := algostest.Start(t, a, p)
			x, last, evaluations := algostest.Queries(3), 0, int64(0)
			running := algostest.Predictions(f, x.Rows)
			for k := 1; k <= c.steps; k++ {
				algostest.Steps(t, f, 1)
				if k%c.every == 0 || k == c.steps {
					before := p.Engine.Counters()
					f.(algos.Incremental).Advance(last, x, running)
					spent := p.Engine.Counters().Sub(before)
					evaluations += spent.FeatureEvals + spent.KernelEvals
					last = k
					algostest.MustPredict(t, f, x, running)
				}
			}
			want := a.(algos.Coster).Cost(algos.Size{N: 40, In: 3, Out: 2, Steps: c.steps, Evals: c.steps / c.every}).EvalCost * float64(x.Rows)
			assert.EqualValues(t, want, evaluations, name)
		}
	}
}
