package runner

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/methods"
	"repro/algos/metrics"
	"repro/algos/schedules"
	"repro/datasets"
	"repro/experiments"
)

// Metrics of the training set are those of the test set with the training rows in its place, whether the fit
// knows its predictions there or its model makes them.
func TestTrainingMetrics(t *testing.T) {
	s := spec(t, head+compared)
	for _, method := range []string{"gd", "krr"} {
		inst, err := newInstances(datasets.NewLibrary()).of(context.Background(), &s.Expand()[0])
		require.NoError(t, err)
		p := inst.problem
		p.Engine = compute.NewEngine(compute.Options{Threads: 1})
		a, err := algos.New(method)
		require.NoError(t, err)
		fit, err := a.Start(&p)
		require.NoError(t, err)
		_, err = fit.Step()
		require.NoError(t, err)
		for range 2 { // targets are kept
			e := newEvaluator(named("train-mse", "train-loss", "test-mse"), inst, p.Engine)
			values, diverged, err := e.measure(takeIn(fit), 1)
			require.NoError(t, err)
			require.Empty(t, diverged)
			x, y := p.Dense()
			u, sum := fit.Model().Predict(x), 0.0
			for i := range u.Rows {
				for c, v := range u.Row(i) {
					sum += (v - y.At(i, c)) * (v - y.At(i, c)) / float64(u.Rows)
				}
			}
			assert.InEpsilon(t, sum, *values["train-mse"], 1e-12, method)
			assert.InEpsilon(t, sum/2, *values["train-loss"], 1e-12, method)
			assert.NotEqual(t, *values["train-mse"], *values["test-mse"])
		}
	}
}

// Running predictions of an incremental fit at the training rows are those of its model, and of its averaged model.
func TestTrainingMetricsOfIncrementalFits(t *testing.T) {
	inst := instanceOf(t, spec(t, head+compared))
	p := inst.problem
	p.Engine = compute.NewEngine(compute.Options{Threads: 1})
	settings := methods.DSGSettings{Batch: 8, Block: 4, Average: true, Step: &schedules.Inverse{Gamma0: 5, T0: 50}}
	fit, err := (&methods.DSG{DSGSettings: settings}).Start(&p)
	require.NoError(t, err)
	e := newEvaluator(named("train-mse"), inst, p.Engine)
	x, y := p.Dense()
	mse := func(m algos.Model) float64 {
		u, sum := m.Predict(x), 0.0
		for i, v := range u.Data {
			sum += (v - y.Data[i]) * (v - y.Data[i]) / float64(u.Rows)
		}
		return sum
	}
	for step := range 7 {
		_, err = fit.Step()
		require.NoError(t, err)
		if step%3 != 0 {
			continue
		}
		values, _, err := e.measure(takeIn(fit), step+1)
		require.NoError(t, err)
		assert.InEpsilon(t, mse(fit.Model()), *values["train-mse"], 1e-12)
		assert.InEpsilon(t, mse(fit.(algos.Averager).Average()), *values["train-mse@average"], 1e-12)
	}
}

// The targets of training rows that are predicted in several pieces are those of the rows.
func TestTrainingMetricsOfManyRows(t *testing.T) {
	many := strings.NewReplacer("train = 600", "train = 5000", `{ rule = "median", scale = 0.2 }`, "1")
	inst := instanceOf(t, spec(t, many.Replace(head)+compared))
	p := inst.problem
	p.Engine = compute.NewEngine(compute.Options{Threads: 1})
	fit, err := (&methods.RPegasos{PegasosSettings: methods.PegasosSettings{Batch: 1, Features: 2}}).Start(&p)
	require.NoError(t, err)
	values, _, err := newEvaluator(named("train-mse"), inst, p.Engine).measure(takeIn(fit), 0)
	require.NoError(t, err)
	_, y := p.Dense()
	sum := 0.0
	for _, v := range y.Data {
		sum += v * v / float64(y.Rows) // the fit predicts zero
	}
	assert.InEpsilon(t, sum, *values["train-mse"], 1e-12)
}

// The objective of kernel ridge regression at its minimum is ν/2·yᵀ(K + nνI)⁻¹y, and that of every other method is above.
func TestObjective(t *testing.T) {
	s := spec(t, head+compared)
	objective := func(c experiments.Cell) (float64, *algos.Problem) {
		inst, err := newInstances(datasets.NewLibrary()).of(context.Background(), &c)
		require.NoError(t, err)
		p := inst.problem
		p.Engine = compute.NewEngine(compute.Options{Threads: 1})
		fit, err := c.Method.Configured.Start(&p)
		require.NoError(t, err)
		_, err = fit.Step()
		require.NoError(t, err)
		values, _, err := newEvaluator(named("objective", "rkhs-norm", "train-loss"), inst, p.Engine).measure(takeIn(fit), 1)
		require.NoError(t, err)
		norm := *values["rkhs-norm"]
		assert.InEpsilon(t, *values["train-loss"]+p.Nu/2*norm*norm, *values["objective"], 1e-12, c.Name)
		assert.NotContains(t, values, "objective@average", "the norm of the averaged iterate is not known")
		return *values["objective"], &p
	}
	others := []float64{}
	for _, c := range s.Expand() {
		value, p := objective(c)
		if c.Method.Algorithm != "krr" {
			others = append(others, value)
			continue
		}
		x, y := p.Dense()
		k := mat.NewSymDense(x.Rows, p.Engine.KernelMatrix(p.Kernel, x, x).Data)
		for i := range x.Rows {
			k.SetSym(i, i, k.At(i, i)+float64(x.Rows)*p.Nu)
		}
		var alpha mat.VecDense
		require.NoError(t, alpha.SolveVec(k, mat.NewVecDense(x.Rows, y.Data)))
		want := p.Nu / 2 * mat.Dot(&alpha, mat.NewVecDense(x.Rows, y.Data))
		assert.InEpsilon(t, want, value, 1e-9) // the condition of K + nνI times rounding errors
		for _, other := range others {
			assert.Greater(t, other, value)
		}
	}
}

// TestEvaluationCostsNothing compares the counters of a run evaluated often with one evaluated once. What is needed at the test rows is
// computed once, so that the features that the engine has evaluated are the same, too.
func TestEvaluationCostsNothing(t *testing.T) {
	last := func(set ...string) map[string]any {
		s := spec(t, head+compared, set...)
		out := t.TempDir()
		var engine *compute.Engine
		execute(t, s, Options{Out: out, Threads: 1, Start: func(c *experiments.Cell, p *algos.Problem) (algos.Fit, error) {
			if c.Name == "r-pegasos-seed1" {
				engine = p.Engine
			}
			return c.Method.Configured.Start(p)
		}})
		got := map[string]any{"of the engine": engine.Counters().FeatureEvals}
		for _, c := range s.Expand() {
			p := record(t, out, s, c.Name).Points
			got[c.Name] = p[len(p)-1].Counters
		}
		return got
	}
	assert.Equal(t, last("evaluate.points=1"), last("evaluate.points=30"))
}

// TestRunningPredictions compares the values a run records from running predictions with those of
// the final model.
func TestRunningPredictions(t *testing.T) {
	s := spec(t, head+compared)
	out := t.TempDir()
	execute(t, s, Options{Out: out})
	for _, c := range s.Expand()[:2] { // the additive methods
		inst, err := newInstances(datasets.NewLibrary()).of(context.Background(), &c)
		require.NoError(t, err)
		p := inst.problem
		p.Engine = compute.NewEngine(compute.Options{Threads: 1})
		fit, err := c.Method.Configured.Start(&p)
		require.NoError(t, err)
		points := record(t, out, s, c.Name).Points
		for range points[len(points)-1].Step {
			_, err := fit.Step()
			require.NoError(t, err)
		}
		test := newEvaluator(nil, inst, p.Engine).evaluation()
		test.F = fit.Model().Predict(inst.data.TestX)
		want, err := metrics.Lookup("test-mse").Of(test)
		require.NoError(t, err)
		test.F = fit.(algos.Averager).Average().Predict(inst.data.TestX)
		mean, err := metrics.Lookup("test-mse").Of(test)
		require.NoError(t, err)
		final := points[len(points)-1].Values
		// Sums of 1,000 terms in another order agree to about 1e-14 relative.
		assert.InEpsilon(t, want, *final["test-mse"], 1e-10)
		assert.InEpsilon(t, mean, *final["test-mse@average"], 1e-10)
	}
}

// named looks up metrics.
func named(names ...string) (all []*metrics.Metric) {
	for _, name := range names {
		all = append(all, metrics.Lookup(name))
	}
	return all
}
