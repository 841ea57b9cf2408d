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

// load loads a spec from text, which may leave out how specs begin.
func load(t *testing.T, text string, set ...string) (*experiments.Spec, error) {
	t.Helper()
	if !strings.Contains(text, "schema = 1\n") {
		text = "schema = 1\npaper = \"test\"\ntitle = \"of a test\"\nsource = \"nowhere\"\n" + text
	}
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
	alone := ran(t, s, Options{Threads: 1})
	want := canonical(t, alone, s)
	require.Len(t, want, 8)
	for _, threads := range []int{2, 3} {
		assert.Equal(t, want, canonical(t, ran(t, s, Options{Threads: threads}), s), "%d threads", threads)
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

// A run that is killed at random moments, by SIGKILL, continues with the same bits.
func TestKilledRunContinuesWithTheSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a process several times")
	}
	s := spec(t, strings.NewReplacer("train = 600", "train = 12000", `, "exact-distance"`, "", `reference = "krr"`, "").Replace(head)+
		strings.Split(compared, "[[method]]\nid = \"krr\"")[0])
	whole, out, start := t.TempDir(), t.TempDir(), time.Now()
	run := func(out string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), weighedFile+"="+s.File, weighedOut+"="+out, weighedKept+"=5ms")
		cmd.Stderr = os.Stderr
		return cmd
	}
	require.NoError(t, run(whole).Run())
	length, kills, random := time.Since(start), 0, rand.New(rand.NewPCG(1, 2))
	for range 5 {
		cmd := run(out)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.Float64() * 0.5 * float64(length)))
		require.NoError(t, cmd.Process.Kill())
		if cmd.Wait() != nil {
			kills++
		}
	}
	require.Greater(t, kills, 1, "the run ended before it could be killed")
	require.NoError(t, run(out).Run())
	assert.Equal(t, canonical(t, whole, s), canonical(t, out, s))
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
