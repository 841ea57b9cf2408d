package runner

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/methods"
	"repro/datasets"
	"repro/experiments"
)

// estimates returns those of a spec's cells by name.
func estimates(t *testing.T, e *Estimator, s *experiments.Spec) map[string]Estimate {
	t.Helper()
	all := map[string]Estimate{}
	cells := s.Expand()
	for i := range cells {
		all[cells[i].Name] = estimate(t, e, &cells[i])
	}
	return all
}

func estimate(t *testing.T, e *Estimator, c *experiments.Cell) Estimate {
	t.Helper()
	got, err := e.Cell(t.Context(), c)
	require.NoError(t, err)
	return got
}

func TestReferenceIsChargedOnceASeed(t *testing.T) {
	e, s := NewEstimator(1, &datasets.Library{}), spec(t, head+compared, "problem.kernel.bandwidth=1")
	e.gauges[gauge{What: "step"}], e.gauges[drawing(s.Data, "regression")] = 0, 0
	with := estimates(t, e, s)
	without := estimates(t, e, spec(t, head+compared, "problem.kernel.bandwidth=1", `evaluate.metrics=["test-mse"]`))
	require.Len(t, with, 8)
	exact := (&methods.KRR{}).Cost(algos.Size{N: 600, In: 2, Out: 1, Steps: 1, Evals: 1})
	for name, got := range with {
		if name != "dsg-seed1" && name != "dsg-seed2" {
			assert.Equal(t, without[name], got, name)
			continue
		}
		assert.Equal(t, exact.Bytes, got.Bytes-without[name].Bytes, name)
		// The reference costs what the method of that name does: it is evaluated once, too. Sums in
		// another order agree to rounding.
		assert.InEpsilon(t, without["krr-seed2"].Seconds, got.Seconds-without[name].Seconds, 1e-9, name)
	}
}

// A cell with a budget in seconds beside one in epochs is expected to make the steps that it has time for.
func TestStepsWithinSeconds(t *testing.T) {
	e := NewEstimator(1, &datasets.Library{})
	norma := func(edits ...string) Estimate {
		return estimates(t, e, spec(t, head+compared, append([]string{"data.train=1000000", "budget.epochs=1"}, edits...)...))["norma-seed1"]
	}
	all, some := norma(), norma("budget.seconds=1")
	assert.Equal(t, 31250, all.Steps)
	assert.Less(t, some.Steps, all.Steps/2)
	assert.Greater(t, some.Steps, 100)
	assert.Less(t, some.Bytes, all.Bytes)
	assert.Equal(t, all.Steps, norma("budget.seconds=1e9").Steps)
}

// Memory besides that of the fit: the distances whose median is the bandwidth while it is computed, which are 2¹⁶ and a sixth of the
// pairs, the order of an epoch, and the points of a grid.
func TestMemoryBesidesTheFit(t *testing.T) {
	bytes := func(edits ...string) float64 {
		s := spec(t, head+compared, append([]string{"data.train=4000", "budget.steps=1", `evaluate.metrics=["test-mse"]`}, edits...)...)
		return estimates(t, NewEstimator(1, &datasets.Library{}), s)["dsg-seed1"].Bytes
	}
	assert.InDelta(t, 8*(1<<16+3000.0*2999/12), bytes("problem.kernel.bandwidth.sample=3000"), 1<<14, "the fit has some kilobytes")
	fixed := bytes("problem.kernel.bandwidth=1")
	assert.InDelta(t, 8*4000, bytes("problem.kernel.bandwidth=1", "data.train=8000")-fixed, 1)
	assert.Greater(t, bytes("problem.kernel.bandwidth=1", "evaluate.surface=100")-fixed, 1e4*pointBytes)
}

// Copies are made of images when they are used. Kept in memory, they take their principal components; nothing holds their pixels, which
// would be 10 GB.
func TestCopiesAreNotHeldAsPixels(t *testing.T) {
	size := algos.Size{N: 1_588_815, In: 50, Out: 1, Test: 1932}
	made := new(Estimator).held(datasets.Options{Name: "mnist8m-8v6", PCA: 50}, size)
	assert.InDelta(t, 210e6, made, 30e6, "the pixels of MNIST, three bytes each, and what the projection is fitted with")
	kept := new(Estimator).held(datasets.Options{Name: "mnist8m-8v6", PCA: 50, InMemory: true}, size)
	assert.Equal(t, 8.*1_588_815*51, kept-made)
}

func TestCellsOfEqualTimeAreExpectedToTakeIt(t *testing.T) {
	s := spec(t, head+compared+`
[[method]]
id = "late"
algorithm = "r-pegasos"
batch = 32
features = 20
budget = { time_of = "dsg" }
[[method]]
id = "later"
algorithm = "r-pegasos"
batch = 32
features = 20
budget = { time_of = "late" }
`)
	e := NewEstimator(1, &datasets.Library{})
	got := estimates(t, e, s)
	for _, cell := range []string{"late-seed1", "later-seed2"} {
		assert.Equal(t, -1, got[cell].Steps, cell)
		assert.Positive(t, got[cell].Seconds, cell)
	}
	assert.Equal(t, got["late-seed2"].Seconds, got["later-seed2"].Seconds)
	assert.Less(t, got["late-seed2"].Seconds, got["dsg-seed2"].Seconds, "evaluation is not training")

	cells := s.Expand()
	for i := range cells {
		if cells[i].Name == "late-seed1" {
			assert.Equal(t, -1.0, estimate(t, NewEstimator(1, &datasets.Library{}), &cells[i]).Seconds, "nothing is known of the method it follows")
		}
	}
}

// TestStoredKernelIsReadNotEvaluated gives speeds in place of this machine's.
func TestStoredKernelIsReadNotEvaluated(t *testing.T) {
	const n, steps, batch, test = 600, 30, 20, 100
	seconds := func(memory string) float64 {
		s := spec(t, head+`
[[method]]
id = "pegasos"
algorithm = "pegasos"
batch = 20
step = { schedule = "constant", gamma0 = 0.1 }
budget = { steps = 30 }
`, "problem.nu=0.0", "problem.kernel.bandwidth=0.5", "memory="+memory, "evaluate.points=1", "evaluate.surface=0", `evaluate.metrics=["test-mse"]`)
		e := NewEstimator(1, &datasets.Library{})
		cell := s.Expand()[0]
		for _, rows := range []int{batch, many} {
			e.gauges[evaluating(fmt.Sprint(cell.Kernel()), 2, 1, rows, cell.Precision(), false)] = 1
		}
		e.gauges[drawing(cell.Data(), "regression")] = 0
		e.gauges[reading(cell.Precision(), 1, 1, 0)], e.gauges[reading(cell.Precision(), 1, 1, math.Inf(1))] = 0.25, 0.25
		e.gauges[gauge{What: "flop"}], e.gauges[gauge{What: "step"}] = 1, 1
		return estimate(t, e, &cell).Seconds
	}
	const evaluated, point = test * n, 10 // a point takes ten steps
	assert.Equal(t, n*n+0.25*steps*batch*n+evaluated*(1+0.25)+steps+point, seconds("1.0"))
	assert.EqualValues(t, steps*batch*n+evaluated+steps+point, seconds("0.001"))
}

// Features that no cache holds are written and read; memory beyond what is given at once takes time. The speeds stand in for
// this machine's.
func TestManyFeaturesAreReadFromMemory(t *testing.T) {
	const r, batch, steps, test = 100000, 32, 3, 100
	s := spec(t, head+`
[[method]]
id = "r-pegasos"
algorithm = "r-pegasos"
batch = 32
features = 100000
budget = { steps = 3 }
`, "problem.kernel.bandwidth=0.5", "evaluate.points=1", "evaluate.surface=0", `evaluate.metrics=["test-mse"]`)
	e, cell := NewEstimator(1, &datasets.Library{}), s.Expand()[0]
	for _, rows := range []int{batch, many} {
		e.gauges[evaluating(fmt.Sprint(cell.Kernel()), 2, 1, rows, cell.Precision(), true)] = 1
	}
	e.gauges[reading(cell.Precision(), 1, 1, math.Inf(1))], e.gauges[drawing(cell.Data(), "regression")] = 0.25, 0
	e.gauges[gauge{What: "step"}], e.gauges[gauge{What: "byte"}] = 1, 0.5
	got := estimate(t, e, &cell)
	require.Greater(t, got.Bytes, float64(smallMemory))
	const kept = 0.25 * r * test // the features of the test rows are kept, and read once
	assert.Equal(t, (1+4*0.25)*r*(batch*steps+test)+kept+steps+10+0.5*(got.Bytes-smallMemory), got.Seconds)
}

// The size of the user's own file is counted, and an error says what is wrong with it.
func TestOwnFileIsCounted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.csv")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("0.5,1.5,2\n0.1,0.2,3\n", 200)), 0o666))
	s := spec(t, `schema = 1
paper = "own"
title = "Own file"
[data]
file = "`+file+`"
holdout = 0.25
[problem]
loss = "square"
nu = 1e-3
kernel = { name = "gaussian", bandwidth = 1.0 }
[budget]
steps = 1
[evaluate]
metrics = ["test-mse"]
[[method]]
id = "krr"
algorithm = "krr"
`)
	cell := s.Expand()[0]
	got := estimate(t, NewEstimator(1, &datasets.Library{}), &cell)
	const n, test, in = 300, 100, 2
	want := (&methods.KRR{}).Cost(algos.Size{N: n, In: in, Out: 1, Steps: 1, Evals: 1}).Bytes
	assert.Equal(t, want+8*(n*(in+1)+test*(in+2+3)), got.Bytes)
	assert.Positive(t, got.Seconds)

	require.NoError(t, os.Remove(file))
	_, err := NewEstimator(1, &datasets.Library{}).Cell(t.Context(), &cell)
	assert.ErrorContains(t, err, file)
}

// Metrics of the training rows cost predictions at them, as many evaluations as there are; at as many test rows, whose features are not kept, the
// curve would cost the same.
func TestTrainingMetricsArePlanned(t *testing.T) {
	method := `
[[method]]
id = "r-pegasos"
algorithm = "r-pegasos"
batch = 32
features = 50
`
	e := NewEstimator(1, &datasets.Library{}) // one, so that both have the same speed of reading
	seconds := func(metric string, test int) float64 {
		s := spec(t, head+method, "problem.kernel.bandwidth=0.5", "memory=0.00001", "evaluate.surface=0", "evaluate.points=4", `evaluate.metrics=["`+metric+`"]`, fmt.Sprintf("data.test=%d", test))
		cell := s.Expand()[0]
		for _, rows := range []int{32, many} {
			e.gauges[evaluating(fmt.Sprint(cell.Kernel()), 2, 1, rows, cell.Precision(), true)] = 1
			e.gauges[evaluating(fmt.Sprint(cell.Kernel()), 2, 1, rows, cell.Precision(), false)] = 1
		}
		e.gauges[gauge{What: "flop"}], e.gauges[gauge{What: "step"}], e.gauges[drawing(cell.Data(), "regression")] = 1, 1, 0
		return estimate(t, e, &cell).Seconds
	}
	const n = 600
	assert.Equal(t, seconds("test-mse", 100+n), seconds("train-mse", 100))
}
