package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/engines"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/shards"
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
	assert.Regexp(t, `me2026/mine +yes +mine \(helper\) +-`, ok(t, "list", "me2026/*").out)
	assert.Contains(t, ok(t, "show", "me2026/mine").out, "me2026/mine: My experiment")
	assert.Contains(t, ok(t, "__complete", "run", "me").out, "me2026/mine\tMy experiment")
	ok(t, "run", "me2026/mine", "--profile", "smoke")
	assert.Contains(t, ok(t, "judge", "me2026/mine").out, "exact-wins")
}

// TestDefaultPlan: without ids, plan and run take what needs no download and is of interest by itself.
func TestDefaultPlan(t *testing.T) {
	workplace(t)
	planned := map[any]bool{}
	cells := array(t, ok(t, "plan", "--json").out)
	assert.Equal(t, "ma2017/heaviside", cells[0]["experiment"], "the run begins with the experiment whose curve tells a story")
	for _, c := range cells {
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
		{"judge", "tiny.toml"}, {"judge", "tiny.toml", "--baseline", "out"}, {"fetch", "--list"}, {"doctor"},
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

// walk calls visit with every command.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		walk(c, visit)
	}
}

// Every flag has its default when all commands have been made: none shares its variable with a flag of another command that has
// another default.
func TestFlagsHaveTheirDefaults(t *testing.T) {
	root := newRoot(&terminal.Terminal{Stdout: &terminal.Output{To: io.Discard}, Stderr: &terminal.Output{To: io.Discard}})
	n := 0
	walk(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			n++
			if f.Value.Type() != "stringArray" && f.Value.Type() != "stringSlice" {
				assert.Equal(t, f.DefValue, f.Value.String(), "%s --%s", cmd.CommandPath(), f.Name)
			}
		})
	})
	assert.Greater(t, n, 100)
}

// statusIn returns the states of cells that status prints, by cell, and its notes.
func statusIn(t *testing.T, dir string) (map[string]engines.Status, []string) {
	t.Helper()
	var got struct {
		Cells []engines.Status `json:"cells"`
		Notes []string         `json:"notes"`
	}
	require.NoError(t, json.Unmarshal([]byte(ok(t, "status", "--out", dir, "--json").out), &got))
	cells := map[string]engines.Status{}
	for _, c := range got.Cells {
		cells[c.Cell.Cell] = c
	}
	return cells, got.Notes
}

func TestStatusOfAPlan(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--shard", "2/2")
	plans, err := shards.Plans("out")
	require.NoError(t, err)
	require.Len(t, plans, 1)
	lease, err := shards.Take("out", plans[0].Dir("out"), "1", shards.Holder{Job: "12_0"}, shards.Every)
	require.NoError(t, err)
	states := func() map[string]int {
		n := map[string]int{}
		cells, _ := statusIn(t, "out")
		for _, c := range cells {
			n[c.State]++
		}
		return n
	}
	assert.Equal(t, map[string]int{string(records.Settled): 2, engines.Running: 2}, states())
	assert.Contains(t, ok(t, "status").out, "job 12_0 (process ")
	require.NoError(t, lease.Release("stopped by SIGUSR1"))
	assert.Equal(t, map[string]int{string(records.Settled): 2, string(records.ToDo): 2}, states())

	// Once it was submitted, a cell that nobody knows of is unknown, and so it is if Slurm cannot be asked.
	t.Setenv("PATH", "")
	sent := engines.Sent{Name: "x", Arrays: []engines.Array{{Job: "12", Shards: []int{1}}}}
	require.NoError(t, sent.Write("out", plans[0].Dir("out")))
	assert.Equal(t, map[string]int{string(records.Settled): 2, engines.Unknown: 2}, states())
	cells, notes := statusIn(t, "out")
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0], "Slurm gives no answer")
	for _, c := range cells {
		if c.State == engines.Unknown {
			assert.Equal(t, "its shard ended: stopped by SIGUSR1", c.Reason)
		}
	}
}

// inACommand matches a command of this program where it is named as repro.
func inACommand() *regexp.Regexp {
	var verbs []string
	for _, c := range newRoot(&terminal.Terminal{}).Commands() {
		verbs = append(verbs, c.Name())
	}
	return regexp.MustCompile("(^|[^\\w./-])repro\\s+(" + strings.Join(append(verbs, "--help", "completion"), "|") + ")\\b")
}

// TestNoCommandNamesTheProgramItself runs the program under another name, through help, hints, errors, scripts, and the files
// of a run, a report and a bundle.
func TestNoCommandNamesTheProgramItself(t *testing.T) {
	workplace(t)
	write(t, "tiny.toml", read(t, "tiny.toml")+"\n[[figure]]\nid = \"convergence\"\ntitle = \"Convergence\"\nx = \"step\"\ny = \"l2-error\"\n")
	const program = "go run example.org/mine/cmd/mine"
	itself := inACommand()
	printed.Program = program
	t.Cleanup(func() { printed.Program = "repro" })
	said := ""
	try := func(args ...string) {
		o := repro(t, args...)
		assert.NotRegexp(t, itself, o.out+o.errors, "%v", args)
		said += o.out + o.errors
	}
	var helps func(c *cobra.Command)
	helps = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { assert.NotRegexp(t, itself, f.Usage, "%s --%s", c.Name(), f.Name) })
		_, args, _ := strings.Cut(c.CommandPath(), program)
		try(append(strings.Fields(args), "--help")...)
		for _, below := range c.Commands() {
			helps(below)
		}
	}
	helps(newRoot(&terminal.Terminal{}))
	for _, line := range []string{
		"", "rum", "frobnicate", "dai2014/ridge", "run --sed 3", "run --out", "run nosuch", "run dai2014/nosuch", "show", "show nosuch", "new", "new my", "new my", "list", "list tiny.toml",
		"list algorithms", "list --profile nosuch", "schema", "score", "score tiny.toml", "plan tiny.toml", "plan --settle", "plan li2016/*", "status",
		"run tiny.toml --shard 3/2", "judge --report", "merge", "fetch", "fetch --list", "fetch nosuch", "lesson", "lesson 99", "lesson 1", "judge", "judge x.zip", "audit x.zip", "compare x",
		"compare x y", "bundle x", "history tiny.toml", "bisect x", "check tiny.toml", "baseline accept", "baseline review",
		"run tiny.toml", "run tiny.toml --profile paper", "verify tiny.toml -v", "report tiny.toml", "show tiny.toml", "bundle b.zip tiny.toml",
		"run tiny.toml --shard 1/1 --out failing --method dsg --set data.train=30000 --set evaluate.reference=krr --set evaluate.metrics=[\"l2-error\",\"test-mse\",\"exact-distance\"]",
		"status --out failing", "verify b.zip", "submit tiny.toml --program p --seeds 3 --dry-run", "cite", "version",
	} {
		try(strings.Fields(line)...)
	}
	for _, want := range []string{" list shows all", " plan --settle", " run my.toml", " bundle makes one", " submit sends", " run tiny.toml --profile quick --method dsg --seeds 1", " --help"} {
		assert.Contains(t, said, program+want)
	}
	bundle, err := zip.OpenReader("b.zip")
	require.NoError(t, err)
	defer bundle.Close()
	require.NoError(t, os.CopyFS("unpacked", bundle))
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			assert.NotRegexp(t, itself, read(t, path), path)
		}
		return err
	}))
	assert.Contains(t, read(t, "out/report.html"), program+" run tiny.toml")
}
