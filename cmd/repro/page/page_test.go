package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/cmd/repro/page"
	_ "repro/experiments/papers"
	"repro/results/bundles"
	"repro/results/records"
)

// TestMain runs the tests with portable code, as pages compute. The instruction set is chosen when a process begins.
func TestMain(m *testing.M) {
	if compute.ISA() == "generic" {
		os.Exit(m.Run())
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "REPRO_CPU=generic"), os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		panic(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// run runs a spec in a folder of its own and returns its records.
func run(t *testing.T, s page.Spec) *records.Store {
	t.Helper()
	d := page.Desk{Dir: t.TempDir(), Memory: 1 << 31}
	require.NoError(t, d.Run(t.Context(), s, nil, func(page.Progress) {}))
	return written(t, d.Dir)
}

// written returns the records of the runs in a folder.
func written(t *testing.T, dir string) *records.Store {
	t.Helper()
	store, err := records.Open(filepath.Join(dir, "out"))
	require.NoError(t, err)
	return store
}

// tiny is a spec with a method of each precision and an exact solution.
const tiny = `schema = 1
paper = "own"
title = "Tiny"
data = { name = "dai2014-synthetic", train = 256, test = 64 }
budget = { epochs = 2 }
evaluate = { points = 5, metrics = ["test-mse", "train-loss"] }
repeat = { seeds = 2 }
figure = [{ id = "curves", x = "epoch", y = "test-mse" }]

[problem]
loss = "square"
nu = 1e-3
kernel = { name = "gaussian", bandwidth = { rule = "median", scale = 0.1 } }

[[method]]
id = "dsg"
algorithm = "dsg"
batch = 16
block = 16
step = { schedule = "inverse", gamma0 = 20.0, t0 = 10.0 }

[[method]]
id = "exact"
algorithm = "krr"

[[claim]]
id = "exact-wins"
kind = "order"
statement = "The exact solution has the smaller test error at the end"
source = "my conjecture"
method = "exact"
against = ["dsg"]
metric = "test-mse"
`

// program builds the program once for all tests of the package.
var program = sync.OnceValues(func() (string, error) {
	b, err := page.NewBuilder(context.Background())
	if err != nil {
		return "", err
	}
	files, err := b.Files(context.Background())
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "repro-page-test-")
	for name, data := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
	}
	return dir, err
})

// A call is what a page asks a worker.
type call struct {
	Method  string `json:"method"`
	Request any    `json:"request"`
}

type answer struct {
	Answer json.RawMessage `json:"answer"`
	Error  string          `json:"error"`
}

// node returns the path of node. It skips tests that must not build the program, or cannot run it.
func node(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program for browsers")
	}
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on the path, which runs programs of pages")
	}
	return path
}

// ask starts the program under node and makes calls. It returns the answers and the folder of the files.
func ask(t *testing.T, calls ...call) (answers []answer, out string) {
	t.Helper()
	node := node(t)
	folder, err := program()
	require.NoError(t, err)
	out = t.TempDir()
	text, err := json.Marshal(calls)
	require.NoError(t, err)
	list := filepath.Join(out, "calls.json")
	require.NoError(t, os.WriteFile(list, text, 0o666))
	cmd := exec.CommandContext(t.Context(), node, "testdata/worker.cjs", folder, list, out)
	var said bytes.Buffer
	cmd.Stderr = &said
	printed, err := cmd.Output()
	require.NoError(t, err, said.String())
	require.NoError(t, json.Unmarshal(printed, &answers))
	return answers, out
}

// The records of a page are those of the portable code on a machine, and a bundle of them holds.
func TestBits(t *testing.T) {
	s := page.Spec{File: "tiny.toml", Text: tiny}
	answers, out := ask(t, call{"check", s}, call{"run", s}, call{"show", s}, call{"bundle", s})
	for _, a := range answers {
		require.Empty(t, a.Error)
	}
	var checked page.Checked
	require.NoError(t, json.Unmarshal(answers[0].Answer, &checked))
	assert.Equal(t, 4, checked.Cells)
	assert.Empty(t, checked.Mistakes)
	assert.Empty(t, checked.Refused)
	var shown page.Result
	require.NoError(t, json.Unmarshal(answers[2].Answer, &shown))
	require.Len(t, shown.Verdicts, 1)
	assert.EqualValues(t, "reproduced", shown.Verdicts[0].Word)

	there := written(t, out)
	require.Len(t, there.Records, 4)
	for _, r := range there.Records {
		assert.NotEmpty(t, r.Points, r.Header.Cell)
	}
	for _, d := range records.Compare(run(t, s), there, 0) {
		assert.Equal(t, "identical values", d.Reason, d.Cell)
	}

	b, err := bundles.Read(filepath.Join(out, "answer-3"))
	require.NoError(t, err)
	assert.Empty(t, b.Faults)
	assert.Len(t, b.Records, 4)
	assert.Len(t, b.Verdicts, 1)
}

// Mistakes have their lines; data that is not in the page and runs that are too large are refused in a sentence.
func TestRefusals(t *testing.T) {
	d := page.Desk{Dir: t.TempDir(), Memory: 1 << 30}
	check := func(old, new string) page.Checked {
		return d.Check(t.Context(), page.Spec{File: "tiny.toml", Text: strings.Replace(tiny, old, new, 1)})
	}
	c := check("batch = 16", "bach = 16")
	require.Len(t, c.Mistakes, 1)
	assert.Equal(t, 18, c.Mistakes[0].Line)
	assert.Contains(t, c.Mistakes[0].Text, `"batch"`)
	c = check(`name = "dai2014-synthetic", train = 256, test = 64`, `name = "a9a"`)
	assert.Contains(t, c.Refused, "The data set a9a is not in this page", "%v", c.Mistakes)
	c = check("train = 256", "train = 400000")
	assert.Contains(t, c.Refused, "of memory, and a page has 1.1 GB")
	c = check(`title = "Tiny"`, `title = "Tiny`)
	require.NotEmpty(t, c.Mistakes)
	assert.Equal(t, 3, c.Mistakes[0].Line)
	_, err := d.Propose("../nothing.csv")
	assert.ErrorContains(t, err, "nothing.csv")
}

// The groups of workers have every cell once, and cells that need each other stay together.
func TestGroups(t *testing.T) {
	d := page.Desk{Dir: t.TempDir(), Memory: 1 << 30}
	s := page.Spec{File: "tiny.toml", Text: tiny}
	groups, err := d.Groups(t.Context(), s, 2)
	require.NoError(t, err)
	assert.ElementsMatch(t, [][]string{{"dsg-seed1", "exact-seed1"}, {"dsg-seed2", "exact-seed2"}}, groups)
	groups, err = d.Groups(t.Context(), s, 1)
	require.NoError(t, err)
	assert.Equal(t, [][]string{nil}, groups)
}
