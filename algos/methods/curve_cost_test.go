package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// TestEvaluationCostOfACurve: running predictions cost the same for any number of points on the curve.
func TestEvaluationCostOfACurve(t *testing.T) {
	const T = 24
	step := &schedules.Constant{Gamma0: 0.1}
	for name, a := range map[string]algos.Algorithm{"dsg": &DSG{DSGSettings: DSGSettings{Batch: 4, Block: 3, Step: step}}, "norma": &NORMA{Batch: 4, Step: step}} {
		for _, every := range []int{1, 5, T} {
			p := algostest.Problem(40, losses.Square{})
			f := algostest.Start(t, a, p)
			x, last := algostest.Queries(3), 0
			running := algostest.Predictions(f, x.Rows)
			evaluations := int64(0)
			for k := 1; k <= T; k++ {
				algostest.Steps(t, f, 1)
				if k%every == 0 || k == T {
					before := p.Engine.Counters()
					f.(algos.Incremental).Advance(last, x, running)
					spent := p.Engine.Counters().Sub(before)
					evaluations += spent.FeatureEvals + spent.KernelEvals
					last = k
				}
			}
			want := a.(algos.Coster).Cost(algos.Size{N: 40, In: 3, Out: 2, Steps: T, Evals: T / every}).EvalCost * float64(x.Rows)
			assert.EqualValues(t, want, evaluations, "%s, every %d steps", name, every)
		}
	}
}
