package methods

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/schedules"
)

func TestRegistry(t *testing.T) {
	assert.Equal(t, algos.Names(), slices.Sorted(slices.Values(algos.Names())))
	for _, name := range []string{"dsg", "k-sdca", "krr", "ksvm", "n-pegasos", "n-rbcd", "n-sbmd", "n-sdca",
		"norma", "r-pegasos", "r-rbcd", "r-sbmd", "r-sdca"} {
		assert.Contains(t, algos.Names(), name)
	}
	for _, name := range algos.Names() {
		a, err := algos.New(name)
		require.NoError(t, err)
		again, err := algos.New(name)
		require.NoError(t, err)
		assert.Equal(t, a, again)
		algostest.Set(a, "batch", 17)
		algostest.Set(a, "features", 17)
		third, err := algos.New(name)
		require.NoError(t, err)
		assert.Equal(t, again, third, "%s: what one spec overwrites is not another's default", name)
		assert.Implements(t, (*algos.Coster)(nil), a, name)
		assert.Implements(t, (*algos.Declarer)(nil), a, "%s: metrics of a fit ask for it", name)
	}
	_, err := algos.New("dsgd")
	assert.EqualError(t, err, `unknown algorithm "dsgd"`)
	assert.PanicsWithValue(t, "algos: dsg registered twice", func() { algos.Register("dsg", "", nil) })
}

// TestEvaluationCostOfACurve: running predictions cost the same for any number of points on the curve.
func TestEvaluationCostOfACurve(t *testing.T) {
	const T = 24
	step := &schedules.Constant{Gamma0: 0.1}
	for name, a := range map[string]algos.Algorithm{"dsg": &DSG{Batch: 4, Block: 3, Step: step}, "norma": &NORMA{Batch: 4, Step: step}} {
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
