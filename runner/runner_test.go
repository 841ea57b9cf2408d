package runner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// head is the part of a spec that the tests share: a small ridge problem on generated data.
const head = `
schema = 1
paper = "test"
title = "a small problem"
source = "nowhere"
[data]
name = "dai2014-synthetic"
train = 600
test = 100
[problem]
loss = "square"
nu = 1e-4
kernel = { name = "gaussian", bandwidth = { rule = "median", scale = 0.2 } }
[budget]
epochs = 1.5
[evaluate]
points = 8
metrics = ["l2-error", "test-mse", "test-loss", "exact-distance"]
reference = "krr"
surface = 5
predictions = true
[repeat]
seeds = 2
`

// compared are four methods of small cost.
const compared = `
[[method]]
id = "dsg"
algorithm = "dsg"
batch = 32
block = 16
average = true
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
[[method]]
id = "norma"
algorithm = "norma"
batch = 32
average = true
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
[[method]]
id = "r-pegasos"
algorithm = "r-pegasos"
batch = 32
features = 20
step = { schedule = "constant", gamma0 = 2.0 }
[[method]]
id = "krr"
algorithm = "krr"
`

// load loads a spec from text.
func load(t *testing.T, text string, set ...string) (*experiments.Spec, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.toml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	refs, err := catalog.Resolve([]string{path})
	require.NoError(t, err)
	return catalog.Load(refs[0], experiments.LoadOptions{Set: set})
}

// spec loads a spec without a mistake.
func spec(t *testing.T, text string, set ...string) *experiments.Spec {
	t.Helper()
	s, err := load(t, text, set...)
	require.NoError(t, err)
	return s
}

// failed reports whether any cell failed or diverged.
func failed(s Summary) bool { return s.Status[records.Failed]+s.Status[records.Diverged] > 0 }

func execute(t *testing.T, s *experiments.Spec, o Options) Summary {
	t.Helper()
	o.Library = datasets.NewLibrary()
	sum, err := Run(context.Background(), s.Expand(), o)
	require.NoError(t, err)
	return sum
}

// ran runs a spec into a new folder.
func ran(t *testing.T, s *experiments.Spec, o Options) (out string) {
	t.Helper()
	o.Out = t.TempDir()
	execute(t, s, o)
	return o.Out
}

// canonical returns the records below an output folder without their times, by cell.
func canonical(t *testing.T, out string, s *experiments.Spec) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, c := range s.Expand() {
		b, err := recordstest.Canonical(records.Path(out, c.Experiment, c.Name))
		require.NoError(t, err)
		all[c.Name] = string(b)
	}
	return all
}

func record(t *testing.T, out string, s *experiments.Spec, cell string) *records.Record {
	t.Helper()
	r, err := records.Read(records.Path(out, s.ID, cell))
	require.NoError(t, err)
	return r
}

func TestRecordsDoNotDependOnThreadsOrTiming(t *testing.T) {
	s := spec(t, head+compared)
	alone := t.TempDir()
	execute(t, s, Options{Out: alone, Threads: 1})
	want := canonical(t, alone, s)
	require.Len(t, want, 8)
	for name, o := range map[string]Options{"two threads": {Threads: 2}, "three threads": {Threads: 3}} {
		t.Run(name, func(t *testing.T) {
			o.Out = t.TempDir()
			execute(t, s, o)
			assert.Equal(t, want, canonical(t, o.Out, s))
		})
	}
	t.Run("timed: one cell at a time, all threads in it", func(t *testing.T) {
		timed := spec(t, head+"timed = true\n"+compared)
		out := ran(t, timed, Options{Threads: 2})
		for cell, text := range canonical(t, out, timed) {
			assert.Equal(t, want[cell], strings.Replace(text, `"timed":true`, `"timed":false`, 1))
		}
	})
}

// A run that is interrupted after a millisecond, and later and later, has the records and predictions of one that is not.
func TestInterruptedRunsContinueWithTheSameBits(t *testing.T) {
	defer files.Through(files.Unsynced)()
	for name, c := range map[string]struct {
		text string
		set  []string
	}{
		"batches":              {head + compared, []string{`evaluate.metrics=["test-mse", "train-mse"]`}},
		"a stream":             {streamed, []string{"repeat.seeds=1", "data.train=60"}},
		"an adversary's rows":  {played, []string{"repeat.seeds=1"}},
		"a problem of its own": {own, []string{"repeat.seeds=1", "budget.steps=500"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec(t, c.text, c.set...)
			whole, out := t.TempDir(), t.TempDir()
			execute(t, s, Options{Out: whole, Threads: 2})
			interrupted := 0
			for wait := time.Millisecond; ; wait += wait / 4 {
				ctx, cancel := context.WithCancel(context.Background())
				time.AfterFunc(wait, cancel)
				_, err := Run(ctx, s.Expand(), Options{Out: out, Threads: 1, Library: datasets.NewLibrary(), Checkpoint: time.Nanosecond})
				cancel()
				if err == nil {
					break
				}
				require.ErrorIs(t, err, context.Canceled)
				interrupted++
			}
			assert.Greater(t, interrupted, 2)
			assert.Equal(t, canonical(t, whole, s), canonical(t, out, s))
			for _, name := range filesBelow(t, whole, "predictions") {
				want, got := readLines(t, filepath.Join(whole, "predictions", name)), readLines(t, filepath.Join(out, "predictions", name))
				assert.Equal(t, want, got, name)
			}
			assert.Empty(t, filesBelow(t, out, "checkpoints"), "a complete cell keeps no checkpoint")
		})
	}
}

// killed is a run of its own process, for TestKilledRunContinuesWithTheSameBits to kill.
const killedSpec, killedOut = "REPRO_TEST_SPEC", "REPRO_TEST_OUT"

// killedPeak asks such a process to run with one thread and to print the most memory that it had.
const killedPeak = "REPRO_TEST_PEAK"

func TestMain(m *testing.M) {
	path := os.Getenv(killedSpec)
	if path == "" {
		os.Exit(m.Run())
	}
	refs, err := catalog.Resolve([]string{path})
	if err == nil {
		var s *experiments.Spec
		if s, err = catalog.Load(refs[0], experiments.LoadOptions{}); err == nil {
			o := Options{Out: os.Getenv(killedOut), AllowExternal: true, Threads: 2, Library: datasets.NewLibrary(), Checkpoint: 5 * time.Millisecond}
			peak := os.Getenv(killedPeak) != ""
			if peak {
				o.Threads, o.Checkpoint = 1, time.Second
			}
			var sum Summary
			sum, err = Run(context.Background(), s.Expand(), o)
			if err == nil && peak && sum.Status[records.Done]+sum.Status[records.Budget] == 0 {
				err = fmt.Errorf("no cell is complete: %v", sum.Status)
			}
		}
	}
	if err == nil && os.Getenv(killedPeak) != "" {
		var status []byte
		status, err = os.ReadFile("/proc/self/status")
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		line, _, _ := strings.Cut(peak, "\n")
		fmt.Println("peak", strings.TrimSpace(line))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestKilledRunContinuesWithTheSameBits kills a run with SIGKILL at random moments.
func TestKilledRunContinuesWithTheSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a process several times")
	}
	text := strings.NewReplacer("train = 600", "train = 12000", `, "exact-distance"`, "", `reference = "krr"`, "").Replace(head)
	s := spec(t, text+strings.Split(compared, "[[method]]\nid = \"krr\"")[0])
	whole := t.TempDir()
	start := time.Now()
	run := func(out string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killedSpec+"="+s.File, killedOut+"="+out)
		cmd.Stderr = os.Stderr
		return cmd
	}
	require.NoError(t, run(whole).Run())
	length := time.Since(start)

	out := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for range 5 {
		cmd := run(out)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(r.Float64() * 0.5 * float64(length)))
		require.NoError(t, cmd.Process.Kill())
		if cmd.Wait() != nil {
			kills++
		}
	}
	require.Greater(t, kills, 1, "the run ended before it could be killed")
	require.NoError(t, run(out).Run())
	assert.Equal(t, canonical(t, whole, s), canonical(t, out, s))
}

func TestCompleteCellsAreKept(t *testing.T) {
	s := spec(t, head+compared)
	out := t.TempDir()
	first := execute(t, s, Options{Out: out})
	assert.Equal(t, Summary{Status: map[records.Status]int{records.Budget: 6, records.Done: 2}}, first)
	assert.Equal(t, 8, execute(t, s, Options{Out: out}).Kept)
	assert.Equal(t, 0, execute(t, s, Options{Out: out, Fresh: true}).Kept)

	other := spec(t, head+compared, "method.dsg.block=17")
	assert.Equal(t, 6, execute(t, other, Options{Out: out}).Kept, "cells with other settings run again")
}

func TestDivergedCell(t *testing.T) {
	s := spec(t, head+compared, "method.norma.step.gamma0=1e60")
	out := t.TempDir()
	sum := execute(t, s, Options{Out: out})
	assert.True(t, failed(sum))
	r := record(t, out, s, "norma-seed1")
	assert.Equal(t, records.Diverged, r.Status())
	assert.Contains(t, r.End.Reason, "not a finite number")
	last := r.Points[len(r.Points)-1]
	require.Contains(t, last.Values, "l2-error")
	assert.Nil(t, last.Values["l2-error"])
}

// A method that leaps has its points where the same method step by step has them, with the same values, for less; and
// where it diverges in a leap the record says so at the end of it.
func TestLeapsBetweenEvaluations(t *testing.T) {
	s := spec(t, strings.NewReplacer("epochs = 1.5", "steps = 20480", "points = 8", "at = [3, 2048, 10240]").Replace(head)+`
[[method]]
id = "steps"
algorithm = "gd"
step = { schedule = "constant", gamma0 = 1.0 }
[[method]]
id = "leaps"
algorithm = "gd"
leap = true
step = { schedule = "constant", gamma0 = 1.0 }
[[method]]
id = "diverging"
algorithm = "gd"
leap = true
step = { schedule = "constant", gamma0 = 100.0 }
`, "data.train=60", "repeat.seeds=1")
	out := ran(t, s, Options{})
	steps, leaps := record(t, out, s, "steps-seed1"), record(t, out, s, "leaps-seed1")
	require.Len(t, leaps.Points, 4)
	for i, want := range steps.Points {
		got := leaps.Points[i]
		assert.Equal(t, want.Step, got.Step)
		assert.Equal(t, want.Seen, got.Seen)
		assert.Equal(t, float64(got.Seen)/60, got.Epoch)
		assert.Positive(t, got.Counters.Bytes)
		for name, v := range want.Values {
			assert.InDelta(t, *v, *got.Values[name], 1e-9, "%s after %d", name, got.Step)
		}
	}
	for _, r := range []*records.Record{steps, leaps} {
		assert.LessOrEqual(t, r.Points[3].Timing.Setup+r.Points[3].Timing.Train, r.End.Timing.Wall)
	}
	assert.Less(t, leaps.Points[3].Counters.Flops, steps.Points[3].Counters.Flops/5)
	last := record(t, out, s, "diverging-seed1").Points
	assert.Equal(t, 2048, last[len(last)-1].Step)
}

func TestCellsThatCannotRun(t *testing.T) {
	t.Setenv("REPRO_DATA", t.TempDir())
	t.Setenv("REPRO_CACHE", t.TempDir())
	t.Run("data absent", func(t *testing.T) {
		text := strings.NewReplacer(`"dai2014-synthetic"`, `"a9a"`, "train = 600\ntest = 100\n", "", `"square"`, `"hinge"`,
			`["l2-error", "test-mse", "test-loss", "exact-distance"]`, `["test-error"]`, `reference = "krr"`, "").Replace(head)
		s := spec(t, text+strings.Split(compared, "[[method]]\nid = \"krr\"")[0])
		out := t.TempDir()
		lib := datasets.NewLibrary()
		lib.CacheDir = t.TempDir()
		_, err := Run(context.Background(), s.Expand(), Options{Out: out, Library: lib})
		require.NoError(t, err)
		r := record(t, out, s, "dsg-seed1")
		assert.Equal(t, records.Skipped, r.Status())
		assert.Contains(t, r.End.Reason, "a9a")
		assert.Empty(t, r.Points)
	})
	t.Run("method does not apply", func(t *testing.T) {
		s := spec(t, head+"[[method]]\nid = \"n\"\nalgorithm = \"n-pegasos\"\nfeatures = 601\n")
		out := ran(t, s, Options{})
		r := record(t, out, s, "n-seed1")
		assert.Equal(t, records.Skipped, r.Status())
		assert.Contains(t, r.End.Reason, "draws 601 landmarks from 600 training rows")
	})
	t.Run("output folder is a file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		_, err := Run(context.Background(), spec(t, head+compared).Expand(), Options{Out: path, Library: datasets.NewLibrary()})
		assert.ErrorContains(t, err, "name another with --out")
	})
}

func TestEqualTime(t *testing.T) {
	s := spec(t, head+compared+`
[[method]]
id = "r-pegasos-time"
algorithm = "r-pegasos"
batch = 32
features = 20
step = { schedule = "constant", gamma0 = 2.0 }
budget = { time_of = "dsg" }
`, "precision=float32")
	require.True(t, s.Repeat.Timed, "a budget in seconds implies that cells run alone")
	out := ran(t, s, Options{Threads: 2})
	r, model := record(t, out, s, "r-pegasos-time-seed2"), record(t, out, s, "dsg-seed2")
	budget := model.Points[len(model.Points)-1].Timing.Train
	spent := r.Points[len(r.Points)-1].Timing.Train
	assert.Equal(t, records.Budget, r.Status())
	assert.GreaterOrEqual(t, spent, budget)
	assert.Contains(t, r.End.Reason, fmt.Sprintf("of %.6g", budget), "the model's seconds inside Step, without its setup")
	for _, p := range r.Points[:len(r.Points)-1] {
		assert.Less(t, p.Timing.Train, budget, "it stops at the first step past its budget")
	}
	assert.NotEmpty(t, r.Header.Provenance.Exempt)
	assert.True(t, r.Header.Provenance.Timed)
	assert.Equal(t, "float32", r.Header.Provenance.Precision)
}

func TestPredictionsAndSurface(t *testing.T) {
	s := spec(t, head+compared)
	out := ran(t, s, Options{})
	dir := filepath.Join(out, "predictions", filepath.FromSlash(s.ID))

	lines := readLines(t, filepath.Join(dir, "dsg-seed2.csv"))
	assert.Equal(t, "row,y,f,f_average", lines[0])
	assert.Len(t, lines, 101)
	var sum float64
	for _, l := range lines[1:] {
		var row int
		var y, f, a float64
		_, err := fmt.Sscanf(strings.ReplaceAll(l, ",", " "), "%d %g %g %g", &row, &y, &f, &a)
		require.NoError(t, err)
		sum += (f - y) * (f - y)
	}
	points := record(t, out, s, "dsg-seed2").Points
	// The file holds shortest exact decimals, so only the order of summation could differ.
	assert.InDelta(t, *points[len(points)-1].Values["test-mse"], sum/100, 1e-12)

	assert.Len(t, readLines(t, filepath.Join(dir, "dsg-seed1.surface.csv")), 26)
	assert.Equal(t, "-5,-5,", readLines(t, filepath.Join(dir, "truth.surface.csv"))[1][:6])
	assert.NoFileExists(t, filepath.Join(dir, "dsg-seed2.surface.csv"), "surfaces are of the first seed")
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}
