package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/records"
	"repro/runner/goldentest"
)

// asCommand is the environment variable that makes the test's binary the command itself.
const asCommand = "REPRO_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		registerDots(os.Getenv(dotsFile))
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

// workplace moves the test into an empty folder with the tiny spec, no data and an empty cache.
func workplace(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("REPRO_DATA", "")
	t.Setenv("REPRO_CACHE", filepath.Join(dir, "cache"))
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

// withFigure adds a figure to the tiny spec, which has none because drawing takes most of a test's time.
func withFigure(t *testing.T) {
	t.Helper()
	write(t, "tiny.toml", read(t, "tiny.toml")+`
[[figure]]
id = "convergence"
title = "Convergence"
x = "step"
y = "l2-error"
`)
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

// edit replaces a text that occurs in a file.
func edit(t *testing.T, path, old, replacement string) {
	t.Helper()
	text := read(t, path)
	require.Contains(t, text, old)
	write(t, path, strings.ReplaceAll(text, old, replacement))
}

// array decodes a JSON array of objects.
func array(t *testing.T, text string) []map[string]any {
	t.Helper()
	var a []map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &a), "%s", text)
	return a
}

func TestHelpHasAnExampleForEveryCommand(t *testing.T) {
	root := newRoot(&terminal.Terminal{})
	for _, cmd := range root.Commands() {
		assert.NotEmpty(t, cmd.Example, cmd.Name())
		assert.Contains(t, cmd.Example, "repro "+cmd.Name())
	}
	assert.Contains(t, ok(t).out, "repro run", "without arguments the help is printed")
	assert.Contains(t, ok(t, "run", "--help").out, "Ctrl-C")
}

func TestVersion(t *testing.T) {
	want := regexp.MustCompile(`^repro \S+ \(commit .+\), go1\.\d+.* \w+/\w+\n$`)
	assert.Regexp(t, want, ok(t, "version").out)
	assert.Equal(t, ok(t, "version").out, ok(t, "--version").out)
	assert.Contains(t, ok(t, "version", "--licences").out, "\ngonum.org/v1/plot ")
}

func TestSchemaIsJSON(t *testing.T) {
	var schema map[string]any
	require.NoError(t, json.Unmarshal([]byte(ok(t, "schema").out), &schema))
	assert.Contains(t, schema["properties"], "method")
}

func TestList(t *testing.T) {
	workplace(t)
	all := array(t, ok(t, "list", "--json").out)
	entries, err := catalog.Entries()
	require.NoError(t, err)
	require.Len(t, all, len(entries))
	for i, e := range all {
		for _, key := range []string{"id", "paper", "title", "source", "data", "available", "claims"} {
			assert.Contains(t, e, key)
		}
		assert.Equal(t, entries[i].ID, e["id"])
	}
	ridge := array(t, ok(t, "list", "--json", "dai2014/ridge").out)
	require.Len(t, ridge, 1)
	assert.Equal(t, true, ridge[0]["available"], "generated data needs no download")
	o := ok(t, "list").out
	assert.Regexp(t, `\ndai2014/ridge +yes +ridge +\d of \d [a-z ]+, …\n`, o)
	assert.Regexp(t, `\ndai2014/svm-adult +fetch +`, o)
	assert.Regexp(t, `\ndai2014/imagenet +bring +`, o)
	assert.Contains(t, o, " 51 rows of the")
	for line := range strings.Lines(o) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
	write(t, filepath.Join("cache", "a9a", "a9a"), "")
	assert.Regexp(t, `dai2014/svm-adult +part +`, ok(t, "list", "dai2014/svm-adult").out)
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

func TestListTerms(t *testing.T) {
	workplace(t)
	for flag, want := range map[string]string{
		"algorithms": `(?m)^dsg +doubly stochastic functional gradient descent`,
		"data":       `(?m)^a9a +Adult`,
		"kernels":    `(?m)^gaussian +exp`,
		"losses":     `(?m)^hinge +max`,
		"metrics":    `(?m)^test-mse +mean squared error`,
		"schedules":  `(?m)^constant +γ_t = γ₀`,
	} {
		assert.Regexp(t, want, ok(t, "list", "--"+flag).out)
		for _, term := range array(t, ok(t, "list", "--"+flag, "--json").out) {
			assert.NotEmpty(t, term["name"])
			assert.NotEmpty(t, term["doc"], term["name"])
		}
	}
	o := repro(t, "list", "--algorithms", "dsg")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Equal(t, "repro: list: --algorithms lists all algorithms; leave out dsg\n", o.errors)
}

// TestNew: the spec that new writes runs, and is not overwritten.
func TestNew(t *testing.T) {
	workplace(t)
	assert.Equal(t, "wrote my.toml; run it with: repro run my.toml\n", ok(t, "new", "my").errors)
	text := read(t, "my.toml")
	ok(t, "run", "my.toml", "--profile", "smoke")
	verdicts := array(t, ok(t, "verify", "my.toml", "--json").out)
	require.Len(t, verdicts, 1)

	write(t, "my.toml", text+"# mine\n")
	for _, name := range []string{"my", "my.toml"} {
		o := repro(t, "new", name)
		assert.Equal(t, int(exits.Error), o.status)
		assert.Equal(t, "repro: my.toml exists already; choose another name\n", o.errors)
	}
	assert.Equal(t, text+"# mine\n", read(t, "my.toml"))
	assert.Equal(t, int(exits.Error), repro(t, "new").status)
	assert.Contains(t, repro(t, "new", "my spec").errors, `my spec.toml: "my spec" cannot be part of an id; rename the file`)
	assert.NoFileExists(t, "my spec.toml")
}

// TestNewOverBase: what new writes over an experiment, and the first spec of the manual, run and are judged.
func TestNewOverBase(t *testing.T) {
	page := read(t, filepath.Join("..", "..", "..", "docs", "spec.md"))
	_, first, _ := strings.Cut(page, "```toml\n")
	first, _, _ = strings.Cut(first, "```")
	assert.Equal(t, 5, strings.Count(first, "\n"))
	workplace(t)
	ok(t, "new", "mine", "--base", "dai2014/ridge")
	assert.Equal(t, 5, strings.Count(read(t, "mine.toml"), "\n"))
	write(t, "first.toml", first)
	for _, name := range []string{"mine", "first"} {
		ok(t, "run", name+".toml", "--profile", "smoke")
		verdicts := array(t, ok(t, "verify", name+".toml", "--json").out)
		assert.Len(t, verdicts, 7)
		assert.Equal(t, "own/"+name, verdicts[0]["experiment"])
	}
	assert.Contains(t, ok(t, "plan", "first.toml", "--set", "data.train=64").out, "own/first")
	assert.Contains(t, repro(t, "new", "other", "--base", "dai2014/rigde").errors, `did you mean "dai2014/ridge"?`)
	assert.NoFileExists(t, "other.toml")
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

func TestShow(t *testing.T) {
	workplace(t)
	withFigure(t)
	goldentest.Equal(t, filepath.Join(testdata, "show.golden"), ok(t, "show", "tiny.toml").out)
	e := array(t, ok(t, "show", "--json", "--profile", "smoke", "tiny.toml").out)[0]
	assert.Equal(t, "smoke", e["profile"])
	assert.Len(t, e["methods"], 2)
	assert.Len(t, e["claims"], 2)

	text, _, err := catalog.Written(catalog.Ref{ID: "dai2014/ridge"})
	require.NoError(t, err)
	assert.Equal(t, string(text), ok(t, "show", "--toml", "dai2014/ridge").out, "as it is written")
	write(t, "mine.toml", string(text))
	assert.Equal(t, "dai2014/mine", array(t, ok(t, "show", "--json", "mine.toml").out)[0]["id"], "and can be copied")
	assert.Contains(t, ok(t, "show", "dai2014/ridge").out, "profile   quick;")
}

func TestPlan(t *testing.T) {
	workplace(t)
	// Estimates depend on the machine, and the columns on them.
	estimate := regexp.MustCompile(`(less than a second|about \S+ s|< 0\.01 s|\d\.\d\d s)( and \S+ kB of memory on \d+ processors?)?`)
	plain := func(s string) string {
		return regexp.MustCompile(` +`).ReplaceAllString(estimate.ReplaceAllString(s, "T"), " ")
	}
	goldentest.Equal(t, filepath.Join(testdata, "plan.golden"), plain(ok(t, "plan", "tiny.toml").out))

	cells := array(t, ok(t, "plan", "--json", "tiny.toml").out)
	require.Len(t, cells, 4)
	for _, c := range cells {
		for _, key := range []string{"experiment", "cell", "method", "seed", "profile", "settings", "seconds", "bytes", "steps", "digest"} {
			assert.Contains(t, c, key)
		}
		assert.Equal(t, "to do", c["state"])
		assert.Equal(t, 32.0, c["steps"], "2 epochs of 256 rows, 16 at a time")
	}

	write(t, "own.csv", "1,2,3\n2,3,4\n3,4,5\n4,5,6\n")
	edit(t, "tiny.toml", "name = \"dai2014-synthetic\"\ntrain = 256\ntest = 64", "file = \"own.csv\"\nholdout = 0.5")
	edit(t, "tiny.toml", "l2-error", "test-loss")
	edit(t, "tiny.toml", "data = { train = 64 }", "repeat = { seeds = 1 }")
	own := array(t, ok(t, "plan", "--json", "tiny.toml").out)
	assert.Equal(t, 2.0, own[0]["steps"], "2 epochs of 2 rows: the rows of a user's file are counted")
	assert.Positive(t, own[0]["seconds"])
	require.NoError(t, os.Remove("own.csv"))
	assert.Contains(t, repro(t, "plan", "tiny.toml").errors, "own.csv", "what run refuses plan refuses")
}

// A method that does not solve the problem is planned as skipped, which it is.
func TestPlanOfSkippedCells(t *testing.T) {
	workplace(t)
	o := ok(t, "plan", "tiny.toml", "--set", "problem.nu=0", "--set", "method.r-pegasos.projection=true")
	const why = "r-pegasos needs ν > 0 for its own step 1/(νt) and for its projection"
	assert.Contains(t, o.out, why)
	skipped := 0
	for _, c := range array(t, ok(t, "plan", "tiny.toml", "--set", "problem.nu=0", "--set", "method.r-pegasos.projection=true", "--json").out) {
		if c["state"] == "skipped" {
			skipped++
			assert.Contains(t, c["reason"], why)
			assert.Zero(t, c["seconds"])
		}
	}
	assert.Positive(t, skipped)
	ran := ok(t, "run", "tiny.toml", "--set", "problem.nu=0", "--set", "method.r-pegasos.projection=true")
	assert.Contains(t, ran.out+ran.errors, why)
}

func TestWhatIsPlannedIsWhatRuns(t *testing.T) {
	workplace(t)
	planned := array(t, ok(t, "plan", "--json", "tiny.toml", "--method", "dsg", "--set", "method.dsg.batch=8").out)
	ok(t, "run", "tiny.toml", "--method", "dsg", "--set", "method.dsg.batch=8")
	store, err := records.Open("out")
	require.NoError(t, err)
	require.Len(t, store.Records, len(planned))
	for i, p := range planned {
		h := store.Records[i].Header
		assert.Equal(t, p["cell"], h.Cell)
		assert.Equal(t, p["digest"], h.Digest)
		assert.Equal(t, p["profile"], h.Profile)
		assert.EqualValues(t, p["steps"], store.Records[i].End.Steps)
	}
	for _, p := range array(t, ok(t, "plan", "--json", "tiny.toml", "--method", "dsg", "--set", "method.dsg.batch=8").out) {
		assert.Equal(t, "complete", p["state"])
	}
	for _, p := range array(t, ok(t, "plan", "--json", "tiny.toml", "--method", "dsg").out) {
		assert.Equal(t, "other settings", p["state"])
	}
}

func TestCompletion(t *testing.T) {
	workplace(t)
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"experiments", []string{"run", "dai2014/r"}, "dai2014/ridge\t"},
		{"profiles", []string{"run", "dai2014/ridge", "--profile", ""}, "smoke\nquick\npaper\n"},
		{"methods of the experiment", []string{"run", "tiny.toml", "--method", ""}, "r-pegasos\t"},
		{"data sets", []string{"fetch", ""}, "a9a\t"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Contains(t, ok(t, append([]string{"__complete"}, test.args...)...).out, test.want)
		})
	}
	assert.Contains(t, ok(t, "completion", "bash").out, "__start_repro")
}

func TestWithJSONNothingElseIsOnStdout(t *testing.T) {
	workplace(t)
	for _, args := range [][]string{
		{"list"}, {"list", "--algorithms"}, {"show", "tiny.toml"}, {"plan", "tiny.toml"}, {"run", "tiny.toml"},
		{"report", "tiny.toml"}, {"verify", "tiny.toml"}, {"verify", "tiny.toml", "--baseline", "out"}, {"fetch", "--list"}, {"doctor"},
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
