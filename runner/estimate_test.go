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
	"repro/runner/goldentest"
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
		got, cells := [2]float64{}, s.Expand()
		e := NewEstimator(1, &datasets.Library{})
		for sign, each := range map[float64]float64{-1: 0, 1: 1} { // seconds a row
			e.Apart()
			e.gauges[drawing(cells[0].Data(), "regression")] = each
			got[0] += sign * estimate(t, e, &cells[0]).Seconds
			got[1] += sign * estimate(t, e, &cells[2]).Seconds
		}
		assert.InDeltaSlice(t, want[:], got[:], 1e-9, "%s: %s, %s", set, cells[0].Name, cells[2].Name)
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
		"pair":        {400 * 399 / 2, 1 / e.perPair(2)},
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

// What plans expect of cells on a typical processor, so that no term of their costs is lost unnoticed: with the bandwidth, the reference
// solution and a grid; with metrics that need more than the test predictions; of teams; in a time; with many outputs; against an
// adversary; of registered data; and the disk of programs.
func TestNominalEstimates(t *testing.T) {
	plain := strings.NewReplacer(`, "exact-distance"`, "", "reference = \"krr\"\n", "", "surface = 5\n", "").Replace(head)
	const stored = "[[method]]\nid = \"gd\"\nalgorithm = \"gd\"\nbudget = { steps = 9 }\n"
	const pegasos = "[[method]]\nid = \"pegasos\"\nalgorithm = \"pegasos\"\nbatch = 20\nstep = { schedule = \"constant\", gamma0 = 0.1 }\nbudget = { steps = 30 }\n"
	of := func(metric string) []string {
		return []string{`evaluate.metrics=["` + metric + `"]`, "problem.kernel.bandwidth=1.0"}
	}
	program := func(format string) string {
		return "[[method]]\nid = \"" + format + "\"\nalgorithm = \"external\"\nformat = \"" + format + "\"\ncommand.serve = " + command(t, "serve") + "\nbudget.steps = 9\n"
	}
	trees := strings.NewReplacer(`"dai2014-synthetic"`, `"a9a"`, "train = 600\ntest = 100\n", "", `"square"`, `"hinge"`, `"l2-error", "test-mse", "test-loss"`, `"test-error"`).Replace(plain)
	var got strings.Builder
	for _, c := range []struct {
		name, text string
		set        []string
	}{
		{"all", head + compared, nil},
		{"own kernel and rows", plain + apart, nil},
		{"points", strings.Replace(plain, "points = 8", "at = [1, 2, 3]", 1) + compared, nil},
		{"training rows", plain + compared + stored, of("train-mse")},
		{"norm", plain + stored, of("rkhs-norm")},
		{"stored rows", plain + pegasos, of("test-mse")},
		{"rows evaluated again", plain + pegasos, append(of("test-mse"), "memory=0.001")},
		{"largest step", plain + steps, of("step-limit")},
		{"little memory", plain + stored, append(of("train-mse"), "memory=0.002", "precision=float32")},
		{"teams", plain + steps, of("test-mse")},
		{"seconds", plain + compared, append(of("test-mse"), "budget.seconds=0.001", `method.r-pegasos.budget={time_of="dsg"}`)},
		{"outputs", weighedSpec("gp-operator", heavy["gp-operator"][0]), nil},
		{"support", plain + compared, []string{"problem.loss=novelty", "problem.nu=0.1", `evaluate.metrics=["test-loss"]`}},
		{"adversary", played, nil},
		{"looking back", strings.Replace(streamed, `"progressive-mse"`, `"regret"`, 1), nil},
		{"a data set", trees + strings.Split(compared, "[[method]]\nid = \"krr\"")[0], nil},
		{"programs", plain + program("csv") + program("npy"), of("train-mse")},
	} {
		e := NewNominalEstimator(&datasets.Library{})
		for _, cell := range spec(t, c.text, append(c.set, "repeat.seeds=1")...).Expand() {
			x := estimate(t, e, &cell)
			fmt.Fprintf(&got, "%s, %s: %d steps, %.3g s, %.4g bytes, %.4g of them once, %.4g on disk\n", c.name, cell.Name, x.Steps, x.Seconds, x.Bytes, x.Common, x.Disk)
		}
	}
	goldentest.Equal(t, "testdata/estimates.golden", got.String())
}
