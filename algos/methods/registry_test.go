package methods

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
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
	}
	_, err := algos.New("dsgd")
	assert.EqualError(t, err, `unknown algorithm "dsgd"`)
	assert.PanicsWithValue(t, "algos: dsg registered twice", func() { algos.Register("dsg", nil) })
}

// TestCosts compares what plan promises with what the engine counted and the fit holds.
func TestCosts(t *testing.T) {
	const n, batch, T = 40, 4, 25
	step := &schedules.Constant{Gamma0: 0.1}
	pegasos := PegasosSettings{Batch: batch, Features: 6, Step: step}
	sdca := SDCASettings{Batch: batch}
	sbmd := SBMDSettings{Batch: batch, Features: 6, Blocks: 3, Step: step}
	rbcd := RBCDSettings{Features: 6, Blocks: 3}
	for name, a := range map[string]algos.Algorithm{
		"dsg":       &DSG{Batch: batch, Block: 3, Step: step},
		"norma":     &NORMA{Batch: batch, Step: step},
		"r-pegasos": &RPegasos{pegasos},
		"n-pegasos": &NPegasos{pegasos, 0},
		"krr":       &KRR{},
		"ksvm":      &KSVM{Gap: 1e-8},
		"k-sdca":    &KSDCA{sdca},
		"r-sdca":    &RSDCA{sdca, 6},
		"n-sdca":    &NSDCA{sdca, 6, 0},
		"r-sbmd":    &RSBMD{sbmd},
		"n-sbmd":    &NSBMD{sbmd, 0},
		"r-rbcd":    &RRBCD{rbcd},
		"n-rbcd":    &NRBCD{rbcd, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := algostest.Problem(n, losses.Square{})
			if _, err := a.Start(p); errors.Is(err, algos.ErrUnsupported) {
				p = algostest.Problem(n, losses.Hinge{})
				p.Nu = 50 // all rows are support vectors
			}
			p.Engine = compute.NewEngine(compute.Options{Threads: 1})
			f := algostest.Start(t, a, p)
			first, err := f.Step()
			require.NoError(t, err)
			algostest.Steps(t, f, T-1)
			spent := p.Engine.Counters()
			cost := a.(algos.Coster).Cost(algos.Size{N: n, In: 3, Out: 2, Steps: T, Evals: 1})
			assert.EqualValues(t, cost.FeatureEvals, spent.FeatureEvals)
			assert.EqualValues(t, cost.KernelEvals, spent.KernelEvals)
			assert.LessOrEqual(t, float64(f.(algos.Sizer).Footprint()), cost.Bytes, "the predictor is part of the memory")

			x := algostest.Queries(3)
			f.Model().Predict(x)
			eval := p.Engine.Counters().Sub(spent)
			assert.EqualValues(t, cost.EvalCost*float64(x.Rows), eval.FeatureEvals+eval.KernelEvals)

			if b, ok := a.(algos.Batcher); ok {
				assert.Equal(t, first.Seen, min(b.BatchSize(), n))
			}
		})
	}
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
