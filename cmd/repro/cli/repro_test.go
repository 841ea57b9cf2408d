package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
)

// asCommand is the environment variable that makes the test's binary the command itself.
const asCommand = "REPRO_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Args[0] = "repro"
		os.Exit(Main())
	}
	os.Exit(m.Run())
}

// testdata is absolute, for tests work in folders of their own.
var testdata = func() string {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	return dir
}()

// An outcome is what one invocation left.
type outcome struct {
	status      int
	out, errors string
}

// repro runs the command in this process.
func repro(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := Run(t.Context(), &stdout, &stderr, args)
	return outcome{status, stdout.String(), stderr.String()}
}

// ok runs the command and requires that it succeeds.
func ok(t *testing.T, args ...string) outcome {
	t.Helper()
	o := repro(t, args...)
	require.Zero(t, o.status, "repro %s\n%s%s", strings.Join(args, " "), o.out, o.errors)
	return o
}

// speeds are the files of what plans have measured of this machine: one test after another has them, because measuring takes seconds.
var speeds = map[string][]byte{}

// workplace moves the test into an empty folder with the tiny spec, no data and an empty cache.
func workplace(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("REPRO_DATA", "")
	t.Setenv("REPRO_CACHE", filepath.Join(dir, "cache"))
	for name, text := range speeds {
		write(t, filepath.Join(dir, "cache", name), string(text))
	}
	t.Cleanup(func() {
		measured, _ := filepath.Glob(filepath.Join(dir, "cache", "speeds-*.json"))
		for _, path := range measured {
			speeds[filepath.Base(path)] = []byte(read(t, path))
		}
	})
	write(t, "tiny.toml", read(t, filepath.Join(testdata, "tiny.toml")))
	t.Cleanup(func() { // before the folder is removed
		require.Eventually(t, func() bool { return goingOn() == 0 }, time.Minute, time.Millisecond, "a stopped run never ends")
	})
}

// goingOn returns how many goroutines a run that was stopped has left to themselves in this process: cells within a long
// step, which save a checkpoint before they end, and plans, checks of data and reports, which may write into the cache.
func goingOn() int {
	stacks := make([]byte, 1<<22)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return bytes.Count(stacks, []byte("created by repro/runner.(*run).group")) +
		bytes.Count(stacks, []byte("created by repro/cmd/repro/training.OrLeave"))
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// array decodes a JSON array of objects.
func array(t *testing.T, text string) []map[string]any {
	t.Helper()
	var a []map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &a), "%s", text)
	return a
}

// TestRegistered: a spec that another package registers is one of the catalog for every verb.
func TestRegistered(t *testing.T) {
	workplace(t)
	if _, err := catalog.Resolve([]string{"me2026/mine"}); err != nil {
		text := strings.Replace(string(experiments.Starter()), `paper = "own"`, "paper = \"me2026\"\nauxiliary = true", 1)
		catalog.Register(fstest.MapFS{"me2026/mine.toml": {Data: []byte(text)}}, ".")
	}
	assert.Regexp(t, `me2026/mine +yes +mine \(aux\) +-`, ok(t, "list", "me2026/*").out)
	assert.Contains(t, ok(t, "show", "me2026/mine").out, "me2026/mine: My experiment")
	assert.Contains(t, ok(t, "__complete", "run", "me").out, "me2026/mine\tMy experiment")
	ok(t, "run", "me2026/mine", "--profile", "smoke")
	assert.Contains(t, ok(t, "verify", "me2026/mine").out, "exact-wins")
}

// TestDefaultPlan: without ids, plan and run take what needs no download and is of interest by itself.
func TestDefaultPlan(t *testing.T) {
	workplace(t)
	planned := map[any]bool{}
	for _, c := range array(t, ok(t, "plan", "--json").out) {
		planned[c["experiment"]] = true
	}
	entries, err := catalog.Entries()
	require.NoError(t, err)
	for _, e := range entries {
		source, err := datasets.Describe(e.Data)
		require.NoError(t, err)
		assert.Equal(t, source.Generated() && !e.Auxiliary, planned[e.ID], e.ID)
	}
	assert.True(t, planned["dai2014/ridge"])
}

func TestWithJSONNothingElseIsOnStdout(t *testing.T) {
	workplace(t)
	for _, args := range [][]string{
		{"list"}, {"list", "algorithms"}, {"show", "tiny.toml"}, {"plan", "tiny.toml"}, {"run", "tiny.toml"},
		{"verify", "tiny.toml"}, {"verify", "tiny.toml", "--baseline", "out"}, {"fetch", "--list"}, {"doctor"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			o := ok(t, append(args, "--json")...)
			var a []any
			require.NoError(t, json.Unmarshal([]byte(o.out), &a), "%s", o.out)
			assert.NotEmpty(t, a)
		})
	}
}

func TestInterruptedBeforeItBegan(t *testing.T) {
	workplace(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, int(exits.Interrupted), Run(ctx, &stdout, &stderr, []string{"run", "tiny.toml"}))
	assert.Contains(t, stderr.String(), "the same command again")
	assert.Empty(t, stdout.String())
}
