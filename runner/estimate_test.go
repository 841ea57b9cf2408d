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
	"repro/algos/compute"
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

// Each term of a cost takes its own seconds, and a timed cell divides those that its threads share.
func TestSecondsOfCosts(t *testing.T) {
	e := NewNominalEstimator(&datasets.Library{})
	e.threads = 4
	kernel := func(rows float64) float64 {
		return nominalEval + 2*nominalInput + (nominalBatch+2*nominalBatchInput)/rows
	}
	const n, each = 1e9, algos.StepCalls
	for _, c := range []struct {
		cost                    algos.Cost
		train, shared, evaluate float64 // shared is the part of either that the threads share
	}{
		{algos.Cost{KernelEvals: n}, 0, n * kernel(many), 0},
		{algos.Cost{FeatureEvals: n, Together: 5}, 0, n * kernel(5), 0},
		{algos.Cost{Flops: n}, 0, n * nominalFlop, 0},
		{algos.Cost{Eigen: n}, n * nominalEigen, 0, 0},
		{algos.Cost{Reads: n}, n * nominalNumber, 0, 0},
		{algos.Cost{Calls: 2 * n}, 2 * n / each * nominalStep, 0, 0},
		{algos.Cost{EvalCost: 3 * n, EvalFixed: 5 * n}, 0, 35 * n * kernel(many), 0},
		{algos.Cost{EvalReads: n}, 0, 0, 10 * n * nominalNumber},
		{algos.Cost{EvalFlops: n}, 0, 0, n * nominalFlop},
	} {
		for set, threads := range map[string]float64{"repeat.timed=false": 1, "repeat.timed=true": 4} {
			train, evaluate := e.seconds(&spec(t, head+compared, set).Expand()[0], c.cost, algos.Size{In: 2, Out: 1, Test: 10})
			assert.InEpsilon(t, c.train+c.shared/threads+c.evaluate, train+evaluate, 1e-12, "%+v %s", c.cost, set)
			assert.Equal(t, c.cost.EvalCost+c.cost.EvalReads+c.cost.EvalFlops > 0, evaluate > 0, "%+v", c.cost)
		}
	}
}

// The first cell of a problem draws its rows. Where rows are not in memory, steps draw those of their batches beyond an epoch.
func TestSecondsOfDrawnRows(t *testing.T) {
	for set, want := range map[string][2]float64{"data.in_memory=false": {600 + 100 + 29*32 - 600, 29*32 - 600}, "data.in_memory=true": {600 + 100, 0}} {
		s := spec(t, head+compared, set, "problem.kernel.bandwidth=1", `evaluate.metrics=["test-mse"]`)
		e := NewNominalEstimator(&datasets.Library{})
		cells, size := s.Expand(), algos.Size{N: 600, Test: 100, Steps: 29}
		e.rows[shared{spec: s, data: cells[0].Method.Data}] = 1
		assert.Equal(t, want, [2]float64{e.drawing(&cells[0], size), e.drawing(&cells[2], size)}, "%s: %s, %s", set, cells[0].Name, cells[2].Name)
	}
}

// What a gauge takes is over the work that was measured.
func TestGaugesAreOfOneUnit(t *testing.T) {
	e := NewEstimator(2, &datasets.Library{})
	e.took = func(threads int, do func()) float64 { do(); return float64(threads) }
	k := spec(t, head+compared).Expand()[0].Kernel()
	numbers := func(p compute.Precision, threads int, bytes float64) float64 {
		return 1 / e.perNumber(reading(p, threads, 1, bytes))
	}
	for name, c := range map[string][2]float64{
		"kernel":      {960 * 32, 1 / e.speed(k, evaluating(fmt.Sprint(k), 2, 1, 32, compute.Float64, false))},
		"features":    {960 * 32, 1 / e.speed(k, evaluating(fmt.Sprint(k), 2, 1, 32, compute.Float64, true))},
		"wide":        {many * 32 / 2, 1 / e.speed(k, evaluating(fmt.Sprint(k), 2*widest, 1, 32, compute.Float64, false))},
		"outputs":     {960 * 32 / 2, 1 / e.speed(k, evaluating(fmt.Sprint(k), 2, 2*mostOut, 32, compute.Float64, false))},
		"step":        {1, e.perStep() / algos.StepCalls},
		"point":       {10, e.perPoint() / e.perStep()},
		"eigen":       {algos.EigenWork(256), 1 / e.perEigen()},
		"number":      {64 << 20 / 8, numbers(compute.Float64, 1, math.Inf(1))},
		"single":      {64 << 20 / 4, numbers(compute.Float32, 1, math.Inf(1))},
		"two threads": {64 << 20 / 8 / 2, numbers(compute.Float64, 2, math.Inf(1))},
		"cached":      {1 << 20 / 8, numbers(compute.Float64, 1, 0)},
		"flop":        {2 * 256 * 256 * 256, 1 / e.perFlop()},
		"pair":        {256 * 255 / 2, 1 / e.perPair(2)},
		"row":         {many, 1 / e.perRow(datasets.Options{Name: "dai2014-synthetic"}, "regression")},
	} {
		assert.InEpsilon(t, c[0], c[1], 1e-12, name)
	}
}

// The gauges of two things whose speeds differ are two.
func TestGaugesOfDifferentThings(t *testing.T) {
	for _, all := range [][]gauge{
		{evaluating("k", 1, 1, 1, compute.Float64, false), evaluating("l", 1, 1, 1, compute.Float64, false), evaluating("k", 2, 1, 1, compute.Float64, false),
			evaluating("k", 1, 2, 1, compute.Float64, false), evaluating("k", 1, 1, 2, compute.Float64, false), evaluating("k", 1, 1, 1, compute.Float32, false),
			evaluating("k", 1, 1, 1, compute.Float64, true)},
		{reading(compute.Float64, 1, 1, 0), reading(compute.Float32, 1, 1, 0), reading(compute.Float64, 2, 1, 0), reading(compute.Float64, 1, 10, 0),
			reading(compute.Float64, 1, 1, 2*cachedBytes)},
		{drawing(datasets.Options{Name: "a"}, "regression"), drawing(datasets.Options{Name: "b"}, "regression"), drawing(datasets.Options{Name: "a"}, "classification")},
	} {
		seen := map[gauge]bool{}
		for _, g := range all {
			seen[g] = true
		}
		assert.Len(t, seen, len(all))
	}
	assert.Equal(t, reading(compute.Float64, 1, 10, 0), reading(compute.Float64, 1, 100, 0))
	assert.Equal(t, drawing(datasets.Options{Name: "a", Train: 1}, "regression"), drawing(datasets.Options{Name: "a", Test: 2, InMemory: true}, "regression"))
}
