package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/datasets"
	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
)

// hazard is a method whose parts call a function of the test.
type hazard struct {
	Name string `toml:"name" doc:"passed to the function"`
}

// onHazard is called with the name of the method, the part of it that runs and the steps done.
var onHazard struct {
	sync.Mutex
	do func(name, part string, step int)
}

// onStart is called with the engine of every hazard, unless it is nil.
var onStart func(e *compute.Engine)

func (a *hazard) call(part string, step int) {
	onHazard.Lock()
	do := onHazard.do
	onHazard.Unlock()
	if do != nil {
		do(a.Name, part, step)
	}
}

// during lets hazards call do until the test ends.
func during(t *testing.T, do func(name, part string, step int)) {
	set := func(f func(name, part string, step int)) {
		onHazard.Lock()
		defer onHazard.Unlock()
		onHazard.do = f
	}
	set(do)
	t.Cleanup(func() { set(nil) })
}

// A hazardFit predicts the mean of the targets that it has seen.
type hazardFit struct {
	hazardState
	*hazard
	p *algos.Problem
}

type hazardState struct {
	Seen int
	Sum  float64
}

func (a *hazard) Start(p *algos.Problem) (algos.Fit, error) {
	if onStart != nil {
		onStart(p.Engine)
	}
	a.call("start", 0)
	return &hazardFit{hazard: a, p: p}, nil
}

func (f *hazardFit) Step() (algos.Progress, error) {
	f.call("step", f.Seen)
	_, y := algos.Between(f.p.Train, f.Seen%f.p.Train.Len(), f.Seen%f.p.Train.Len()+1)
	f.Sum += y.At(0, 0)
	f.Seen++
	return algos.Progress{Seen: 1}, nil
}

func (f *hazardFit) Model() algos.Model { return f }

func (f *hazardFit) State() any {
	f.call("state", f.Seen)
	return &f.hazardState
}

func (f *hazardFit) Predict(x compute.Matrix) compute.Matrix {
	f.call("predict", f.Seen)
	u := compute.NewMatrix(x.Rows, 1)
	for i := range u.Data {
		u.Data[i] = f.Sum / float64(f.Seen)
	}
	return u
}

func init() {
	algos.Register[*hazardFit]("test-hazard", "calls a function of the test", func() algos.Algorithm { return &hazard{} })
}

// hazardous is a spec of two hazards, a and b, that make 20 steps.
const hazardous = `[data]
name = "dai2014-synthetic"
train = 64
test = 16
[problem]
loss = "square"
nu = 1e-4
kernel = { name = "gaussian", bandwidth = 1.0 }
[budget]
steps = 20
[evaluate]
points = 6
metrics = ["test-mse"]
predictions = true
surface = 5
[repeat]
seeds = 1
[[method]]
id = "a"
algorithm = "test-hazard"
name = "a"
[[method]]
id = "b"
algorithm = "test-hazard"
name = "b"
`

// A witness collects what a run tells.
type witness struct {
	mu     sync.Mutex
	events []Event
}

func (w *witness) observe(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

// reasons returns the reasons of the events of a kind, each after the name of its cell.
func (w *witness) reasons(kind EventKind) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, e := range w.events {
		if e.Kind == kind {
			all = append(all, e.Cell.Name+": "+e.Reason)
		}
	}
	return all
}

// watch runs the cells of a spec and returns what the run told.
func watch(t *testing.T, ctx context.Context, s *experiments.Spec, o Options) (Summary, *witness, error) {
	t.Helper()
	w, also := &witness{}, o.Observe
	o.Library, o.Observe = datasets.NewLibrary(), func(e Event) {
		w.observe(e)
		if also != nil {
			also(e)
		}
	}
	sum, err := Run(ctx, s.Expand(), o)
	return sum, w, err
}

// interrupt runs a spec of hazards until the cell with the given name is at a step, and leaves a checkpoint of it there.
func interrupt(t *testing.T, s *experiments.Spec, out, name string, at int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	during(t, func(n, part string, step int) {
		if n == name && part == "step" && step == at {
			cancel()
		}
	})
	_, _, err := watch(t, ctx, s, Options{Out: out, Threads: 1, Checkpoint: time.Nanosecond})
	require.ErrorIs(t, err, context.Canceled)
	during(t, nil)
	require.FileExists(t, files.Path(out, "checkpoints", s.ID, name+"-seed1.gob"))
}

// filesBelow returns the names of the files below a folder of the output folder.
func filesBelow(t *testing.T, out, part string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Join(out, part), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(filepath.Join(out, part), path)
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	require.NoError(t, err)
	return names
}

func TestAPanicFailsItsCellOnly(t *testing.T) {
	s := spec(t, hazardous)
	for _, part := range []string{"start", "step", "state", "predict"} {
		t.Run(part, func(t *testing.T) {
			out := t.TempDir()
			during(t, func(name, p string, _ int) {
				if name == "a" && p == part {
					panic("first line\nsecond line")
				}
			})
			o := Options{Out: out, Threads: 1, Checkpoint: time.Nanosecond, Command: func(c *experiments.Cell) string { return "repro run " + c.Name }}
			sum, w, err := watch(t, context.Background(), s, o)
			require.NoError(t, err)
			assert.Equal(t, map[records.Status]int{records.Failed: 1, records.Budget: 1}, sum.Status)
			assert.True(t, failed(sum))
			r := record(t, out, s, "a-seed1")
			assert.Equal(t, records.Failed, r.Status())
			assert.Equal(t, "panic: first line; its stack is in failures/"+s.ID+"/a-seed1.txt below the output folder", r.End.Reason)
			text, err := os.ReadFile(files.Path(out, "failures", s.ID, "a-seed1.txt"))
			require.NoError(t, err)
			for _, want := range []string{s.ID + " a-seed1: panic: first line\nsecond line", "    repro run a-seed1\n", "(*hazard).call", thisBuild()} {
				assert.Contains(t, string(text), want)
			}
			assert.Empty(t, w.reasons(Warned))

			during(t, nil)
			sum, w, err = watch(t, context.Background(), s, Options{Out: out, Threads: 1})
			require.NoError(t, err)
			assert.Equal(t, Summary{Status: map[records.Status]int{records.Budget: 2}, Kept: 1}, sum, "the failed cell runs again")
			assert.Empty(t, w.reasons(Warned))
			assert.Empty(t, filesBelow(t, out, "failures"), "the report of the failure is gone with it")
		})
	}
}

// The engine computes on several goroutines; a panic on any of them ends the cell and not the process.
func TestAPanicOfTheComputeCoreFailsItsCell(t *testing.T) {
	s := spec(t, strings.Replace(hazardous, "[repeat]", "[repeat]\ntimed = true", 1))
	during(t, func(name, part string, _ int) {
		if name == "a" && part == "start" {
			e := compute.NewEngine(compute.Options{Threads: 4})
			x := compute.NewMatrix(3000, 4)
			x.Data = x.Data[:9000] // too few entries for its shape
			e.KernelMatrix(nil, x, x)
		}
	})
	out := t.TempDir()
	sum, _, err := watch(t, context.Background(), s, Options{Out: out, Threads: 4})
	require.NoError(t, err)
	assert.Equal(t, map[records.Status]int{records.Failed: 1, records.Budget: 1}, sum.Status)
}

// A panic while the state of a checkpoint is used fails the cell once; the run after that starts it again.
func TestAPanicAfterACheckpointDoesNotComeBack(t *testing.T) {
	s := spec(t, hazardous)
	out := t.TempDir()
	interrupt(t, s, out, "b", 7)
	during(t, func(name, part string, step int) {
		if name == "b" && part == "step" && step == 8 {
			panic("bad state")
		}
	})
	sum, _, err := watch(t, context.Background(), s, Options{Out: out, Threads: 1})
	require.NoError(t, err)
	require.Equal(t, 1, sum.Status[records.Failed])
	text, err := os.ReadFile(files.Path(out, "failures", s.ID, "b-seed1.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "continued from a checkpoint after step 8")
	during(t, nil)
	assert.Equal(t, 2, execute(t, s, Options{Out: out}).Status[records.Budget])
}
