package runner

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/methods"
	"repro/datasets"
	"repro/experiments"
)

func TestEveryMetricIsComputed(t *testing.T) {
	var names []string
	for _, m := range experiments.Metrics {
		names = append(names, m.Name)
		if test, ok := ofTraining[m.Name]; ok {
			assert.Contains(t, metrics, test)
		} else if ofFits[m.Name] == nil {
			assert.Contains(t, metrics, m.Name)
		}
	}
	assert.Equal(t, len(names), len(metrics)+len(ofFits)+len(ofTraining))
}

func TestMetricValues(t *testing.T) {
	column := func(v ...float64) compute.Matrix { return compute.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v} }
	s := &setting{
		problem:   algos.Problem{Loss: losses.Hinge{}},
		data:      &datasets.Set{Task: "binary", TestY: column(1, -1, 1, 1)},
		truth:     []float64{0, 0, 0, 1},
		reference: func() (compute.Matrix, error) { return column(0, 0, 2, 2), nil },
	}
	f := column(2, -0.5, 0, -1)
	for name, want := range map[string]float64{
		"l2-error":       (4 + 0.25 + 0 + 4) / 4,
		"test-mse":       (1 + 0.25 + 1 + 4) / 4,
		"test-error":     0.5, // a zero output counts as wrong
		"test-loss":      (0 + 0.5 + 1 + 2) / 4,
		"exact-distance": (4 + 0.25 + 4 + 9) / 4,
	} {
		got, err := metrics[name](s, f)
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
	}
	s.truth, s.data.Task = nil, "regression"
	for _, name := range []string{"l2-error", "test-error"} {
		_, err := metrics[name](s, f)
		assert.ErrorContains(t, err, "use test-mse")
	}
}

// Several labels a row: the mean over all of them.
func TestErrorOfSeveralLabels(t *testing.T) {
	y := compute.Matrix{Rows: 2, Cols: 3, Stride: 3, Data: []float64{1, -1, 1, -1, -1, -1}}
	s := &setting{data: &datasets.Set{Task: "binary", TestY: y}}
	got, err := metrics["test-error"](s, compute.Matrix{Rows: 2, Cols: 3, Stride: 3, Data: []float64{2, 1, 0.5, -1, 0, -3}})
	require.NoError(t, err)
	assert.InDelta(t, 2.0/6, got, 1e-15, "one sign is wrong, and one output is zero")
}

// Two outputs: their mean, not their sum.
func TestMeanOfOutputs(t *testing.T) {
	y := compute.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, -1, -1, 1}}
	s := &setting{data: &datasets.Set{Task: "multiclass", TestY: y}}
	got, err := metrics["test-mse"](s, compute.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0, -1, -1, 3}})
	require.NoError(t, err)
	assert.Equal(t, (1+4)/4.0, got)
}

// Metrics of the training set are those of the test set with the training rows in its place, whether the fit
// knows its predictions there or its model makes them.
func TestTrainingMetrics(t *testing.T) {
	s := spec(t, head+compared)
	for _, method := range []string{"gd", "krr"} {
		set, err := newProblems(datasets.NewLibrary()).of(context.Background(), &s.Expand()[0])
		require.NoError(t, err)
		p := set.problem
		p.Engine = compute.NewEngine(compute.Options{Threads: 1})
		a, err := algos.New(method)
		require.NoError(t, err)
		fit, err := a.Start(&p)
		require.NoError(t, err)
		_, err = fit.Step()
		require.NoError(t, err)
		for range 2 { // targets are kept
			e := newEvaluator([]string{"train-mse", "train-loss", "test-mse"}, set)
			values, finite, err := e.measure(fit, 1)
			require.NoError(t, err)
			require.True(t, finite)
			x, y := p.Dense()
			u, sum := fit.Model().Predict(x), 0.0
			for i := range u.Rows {
				sum += squaredDistance(u.Row(i), y.Row(i)) / float64(u.Rows)
			}
			assert.InEpsilon(t, sum, *values["train-mse"], 1e-12, method)
			assert.InEpsilon(t, sum/2, *values["train-loss"], 1e-12, method)
			assert.NotEqual(t, *values["train-mse"], *values["test-mse"])
		}
	}
}

func TestStepsOf(t *testing.T) {
	for name, c := range map[string]struct {
		budget experiments.Budget
		n      int
		want   int
	}{
		"whole epochs":              {experiments.Budget{Epochs: 2}, 100, 20},
		"a short last batch counts": {experiments.Budget{Epochs: 2}, 105, 22},
		"part of an epoch":          {experiments.Budget{Epochs: 0.5}, 100, 5},
		"part rounds up":            {experiments.Budget{Epochs: 1.51}, 100, 16},
		"steps":                     {experiments.Budget{Steps: 7}, 100, 7},
		"whichever comes first":     {experiments.Budget{Steps: 7, Epochs: 1}, 50, 5},
		"seconds say nothing":       {experiments.Budget{Seconds: 3}, 50, 0},
	} {
		assert.Equal(t, c.want, stepsOf(c.budget, algos.Size{N: c.n}, &methods.DSG{Batch: 10}), name)
	}
}

func TestEvaluations(t *testing.T) {
	steps := func(e experiments.Evaluate, total int) (at []int) {
		due := evaluations(e, total, func(at float64) int { return int(10 * at) })
		for i := 1; i <= max(total, 30); i++ {
			if due(i) {
				at = append(at, i)
			}
		}
		return at
	}
	assert.Equal(t, []int{1, 2, 5, 10, 22, 46, 100}, steps(experiments.Evaluate{Points: 7, Spacing: "log"}, 100))
	assert.Equal(t, []int{1, 26, 51, 75, 100}, steps(experiments.Evaluate{Points: 5, Spacing: "linear"}, 100))
	assert.Equal(t, []int{1}, steps(experiments.Evaluate{Points: 5, Spacing: "log"}, 1)[:1])
	assert.Equal(t, []int{1, 10}, steps(experiments.Evaluate{Points: 5, Spacing: "log"}, 0))
	assert.Equal(t, []int{5, 10, 20, 70}, steps(experiments.Evaluate{Points: 5, Spacing: "log", At: []float64{0.5, 1, 2}}, 70))
}

// TestEvaluationCostsNothing compares the counters of a run evaluated often with one evaluated once.
func TestEvaluationCostsNothing(t *testing.T) {
	last := func(set ...string) map[string]any {
		s := spec(t, head+compared, set...)
		out := t.TempDir()
		execute(t, s, Options{Out: out, Threads: 1})
		got := map[string]any{}
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
		set, err := newProblems(datasets.NewLibrary()).of(context.Background(), &c)
		require.NoError(t, err)
		p := set.problem
		p.Engine = compute.NewEngine(compute.Options{Threads: 1})
		fit, err := c.Method.Settings.Start(&p)
		require.NoError(t, err)
		points := record(t, out, s, c.Name).Points
		for range points[len(points)-1].Step {
			_, err := fit.Step()
			require.NoError(t, err)
		}
		want, err := metrics["test-mse"](set, fit.Model().Predict(set.data.TestX))
		require.NoError(t, err)
		mean, err := metrics["test-mse"](set, fit.(algos.Averager).Average().Predict(set.data.TestX))
		require.NoError(t, err)
		final := points[len(points)-1].Values
		// Sums of 1,000 terms in another order agree to about 1e-14 relative.
		assert.InEpsilon(t, want, *final["test-mse"], 1e-10)
		assert.InEpsilon(t, mean, *final["test-mse@average"], 1e-10)
	}
}

// expansion is a fit with two coefficients an output.
type expansion struct{ algos.Fit }

func (expansion) Coefficients() compute.Matrix {
	return compute.Matrix{Rows: 2, Cols: 2, Stride: 3, Data: []float64{1, 2, 100, 2, 4}}
}

func TestCoefficientNorm(t *testing.T) {
	got, err := ofFits["coefficient-norm"](expansion{})
	require.NoError(t, err)
	assert.Equal(t, 5.0, got)
	_, err = ofFits["coefficient-norm"](nil)
	assert.EqualError(t, err, "metric coefficient-norm: the method keeps no coefficients of training rows; gd, pegasos and eigenpro do")
}
