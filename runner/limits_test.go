package runner

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/datasets"
	"repro/experiments"
	"repro/results/claims"
	"repro/results/records"
)

// claimed adds a claim that holds at every point of the curves.
const claimed = `[[claim]]
id = "falls"
kind = "value"
statement = "s"
source = "s"
method = "a"
metric = "test-mse"
published = 0.5
published_is = "run"
published_says = "p"
tolerance = 1000.0
why = "w"
`

// A cell that a limit ended keeps its points, does not run again before the limit has grown, and then goes on to the bytes of a
// run without one. Limits are no settings.
func TestLimitOfSeconds(t *testing.T) {
	whole, out := t.TempDir(), t.TempDir()
	free := spec(t, head+compared)
	execute(t, free, Options{Out: whole, Threads: 1})
	tight, wide := spec(t, head+compared, "limits.seconds=1e-9"), spec(t, head+compared, "limits.seconds=1e6")
	assert.Equal(t, free.Expand()[0].Digest, tight.Expand()[0].Digest)

	for _, kept := range []int{0, 8, 8} { // as the limit does not grow
		sum := execute(t, tight, Options{Out: out, Threads: 1})
		assert.Equal(t, 6, sum.Status[records.Timeout], "%v", sum)
		assert.Equal(t, 2, sum.Status[records.Done], "a method that ends in its first step is done")
		assert.Equal(t, kept, sum.Kept)
	}
	r := record(t, out, tight, "dsg-seed1")
	assert.Equal(t, records.Timeout, r.Status())
	assert.Equal(t, 1e-9, r.End.Limit)
	assert.Equal(t, "has taken more than limits.seconds = 1e-9, which must grow for it to go on", r.End.Reason)
	assert.Equal(t, 1, r.End.Steps)
	assert.FileExists(t, filepath.Join(out, "checkpoints", tight.ID, "dsg-seed1.gob"))
	assert.Equal(t, records.Limited, Options{Out: out}.Found(&tight.Expand()[0]).State)
	assert.Equal(t, records.ToDo, Options{Out: out}.Found(&wide.Expand()[0]).State)
	kept, err := filepath.Glob(filepath.Join(out, "checkpoints", tight.ID, "*"))
	require.NoError(t, err)
	assert.NotEmpty(t, kept, "a limited cell keeps its checkpoint")

	assert.Equal(t, 2, execute(t, wide, Options{Out: out, Threads: 1}).Kept)
	assert.Equal(t, canonical(t, whole, free), canonical(t, out, free))
	left, err := filepath.Glob(filepath.Join(out, "checkpoints", free.ID, "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// The points of a cell that was ended in the middle stay, no verdict rests on them, and the cell goes on from there.
func TestLimitInTheMiddle(t *testing.T) {
	whole, out := t.TempDir(), t.TempDir()
	text := strings.Replace(hazardous, "seeds = 1", "seeds = 3", 1) + claimed
	free := spec(t, text)
	execute(t, free, Options{Out: whole, Threads: 1})
	tight := spec(t, text, "limits.seconds=10")
	assert.Equal(t, "paper", tight.Profile, "limits change no number")
	synctest.Test(t, func(t *testing.T) {
		during(t, func(_, part string, step int) {
			switch { // of a clock that else stands still
			case part == "start":
				time.Sleep(6 * time.Second) // set-up counts too, and evaluation does not
			case part == "step" && step == 7:
				time.Sleep(5 * time.Second)
			case part == "predict":
				time.Sleep(time.Minute)
			}
		})
		sum := execute(t, tight, Options{Out: out, Threads: 1, Checkpoint: -1})
		assert.Equal(t, 6, sum.Status[records.Timeout], "%v", sum)
	})
	r := record(t, out, tight, "a-seed1")
	assert.Equal(t, 8, r.End.Steps)
	require.NotEmpty(t, r.Points)
	assert.LessOrEqual(t, r.Points[len(r.Points)-1].Step, 8)

	judged := func(s *experiments.Spec, dir string) claims.Verdict {
		all, err := records.Open(dir)
		require.NoError(t, err)
		return claims.Judge(s.Experiment(), all.Records).Verdicts[0]
	}
	v := judged(free, whole)
	assert.Equal(t, claims.Reproduced, v.ByNumbers(), v.Reason)
	v = judged(tight, out)
	assert.Equal(t, claims.Inconclusive, v.ByNumbers(), v.Reason)
	assert.Contains(t, v.Reason, "timeout: has taken more than limits.seconds = 10, which must grow")

	assert.Zero(t, execute(t, free, Options{Out: out, Threads: 1}).Kept, "without the limit they go on")
	assert.Equal(t, canonical(t, whole, free), canonical(t, out, free))
}

// A budget of seconds is one of training: neither set-up nor evaluation counts, nor for the method that takes the time of another.
// A method that makes several steps at once ends with the seconds, too.
func TestBudgetOfSeconds(t *testing.T) {
	alone := spec(t, strings.Replace(hazardous, "steps = 20", "seconds = 5", 1)+"budget.time_of = \"a\"\n", "precision=float32")
	require.True(t, alone.Repeat.Timed, "a budget in seconds implies that cells run alone")
	leaping := spec(t, strings.Replace(mates, "steps = 20", "steps = 20\nseconds = 5", 1))
	takes := map[string]time.Duration{"start": time.Minute, "step": time.Second, "predict": 30 * time.Second}
	for _, s := range []*experiments.Spec{alone, leaping} {
		out := t.TempDir()
		synctest.Test(t, func(t *testing.T) { // in which a clock moves by these only
			during(t, func(_, part string, _ int) { time.Sleep(takes[part]) })
			execute(t, s, Options{Out: out, Threads: 1, Checkpoint: -1, Observe: func(e Event) {
				if e.Kind == Advanced && s == alone {
					assert.InDelta(t, float64(e.Step)/5, e.Work, 1e-9, e.Cell.Name)
				}
			}})
		})
		for _, c := range s.Expand() {
			r := record(t, out, s, c.Name)
			require.Equal(t, records.Budget, r.Status(), r.End.Reason)
			assert.Equal(t, 5, r.End.Steps, c.Name)
			assert.Equal(t, "5 s inside steps, of 5", r.End.Reason)
			assert.Equal(t, records.PointTiming{Setup: 60, Train: 5}, r.Points[len(r.Points)-1].Timing)
			p := r.Header.Provenance
			assert.Equal(t, "a budget of 5 seconds ends it", p.Exempt)
			assert.True(t, p.Timed)
			assert.Equal(t, map[bool]string{true: "float32", false: "float64"}[s == alone], p.Precision)
		}
	}
}

// The time of a cell that failed is not that of its method.
func TestTimeOfACellThatFailed(t *testing.T) {
	s, out := spec(t, hazardous+"budget.time_of = \"a\"\n"), t.TempDir()
	during(t, func(name, part string, step int) {
		if name == "a" && part == "step" && step == 10 {
			panic("of a test")
		}
	})
	execute(t, s, Options{Out: out, Threads: 1})
	require.NotEmpty(t, record(t, out, s, "a-seed1").Points)
	assert.Contains(t, record(t, out, s, "b-seed1").End.Reason, "is not complete, so its time is unknown")
}

// A failing fit has an error in its fifth step.
type failing struct {
	algos.Fit
	steps int
	err   error
}

func (f *failing) Step() (algos.Progress, error) {
	if f.steps++; f.steps == 5 {
		return algos.Progress{}, f.err
	}
	return f.Fit.Step()
}

// A step that fails is not made and leaves no point. One that diverges is the last one, with a point without values.
func TestStepsOfAFitThatFails(t *testing.T) {
	s := spec(t, strings.Replace(hazardous, "points = 6", "at = [3, 20]", 1))
	for err, want := range map[error][]int{errors.New("of a test"): {4, 3}, algos.ErrDiverged: {5, 3, 5}} {
		out := t.TempDir()
		execute(t, s, Options{Out: out, Threads: 1, Start: func(c *experiments.Cell, p *algos.Problem) (algos.Fit, error) {
			f, e := c.Method.Configured.Start(p)
			return &failing{Fit: f, err: err}, e
		}})
		r := record(t, out, s, "a-seed1")
		got := []int{r.End.Steps}
		for _, p := range r.Points {
			got = append(got, p.Step)
		}
		assert.Equal(t, want, got, "%v", err)
		assert.Equal(t, err == algos.ErrDiverged, r.Status() == records.Diverged)
	}
}

// squares is a method whose named cost grows with the square of the steps.
type squares struct {
	algos.Algorithm
	term string
}

func (a squares) Cost(s algos.Size) (c algos.Cost) {
	n := float64(s.Steps * s.Steps)
	*map[string]*float64{"features": &c.FeatureEvals, "kernel": &c.KernelEvals, "flops": &c.Flops, "reads": &c.Reads}[a.term] = n
	return c
}

// How far a cell is, is a part of its cost, of whatever kind that is; of its steps, if the cost is unknown.
func TestWorkDone(t *testing.T) {
	i := &instance{data: &datasets.Set{Train: algos.NoRows{N: 10, In: 2, Out: 1}}}
	for _, term := range []string{"features", "kernel", "flops", "reads"} {
		assert.Equal(t, 0.25, workDone(squares{term: term}, i, 5, 10), term)
	}
	assert.Equal(t, 0.5, workDone(&hazard{}, i, 5, 10))
}

func TestLimitOfMemory(t *testing.T) {
	out := t.TempDir()
	planned := spec(t, head+compared, "limits.memory=1e-5")
	sum := execute(t, planned, Options{Out: out, Threads: 1})
	assert.Equal(t, 8, sum.Status[records.Memory], "%v", sum)
	r := record(t, out, planned, "dsg-seed1")
	assert.Contains(t, r.End.Reason, "as plan predicts, and limits.memory is 1e-5 GiB")
	assert.Empty(t, r.Points)
	assert.Equal(t, 8, execute(t, planned, Options{Out: out, Threads: 1}).Kept)

	predicted, err := NewEstimator(1, datasets.NewLibrary()).Cell(t.Context(), &planned.Expand()[0])
	require.NoError(t, err)
	for share, more := range map[float64]bool{0.99: true, 1.01: false} {
		around, out := spec(t, head+compared, fmt.Sprintf("limits.memory=%g", share*predicted.Bytes/(1<<30))), t.TempDir()
		execute(t, around, Options{Out: out, Threads: 1})
		assert.Equal(t, more, record(t, out, around, "dsg-seed1").Status() == records.Memory, "%g of what is predicted", share)
	}

	var held []byte
	onStart = func(*compute.Engine) { held = make([]byte, 1<<28) }
	defer func() { onStart = nil }()
	measured := spec(t, hazardous, "limits.memory=0.24", "repeat.timed=true")
	sum = execute(t, measured, Options{Out: out, Threads: 1})
	assert.Equal(t, 2, sum.Status[records.Memory], "%v", sum)
	r = record(t, out, measured, "a-seed1")
	assert.Contains(t, r.End.Reason, "the process has allocated ")
	assert.Equal(t, 1, r.End.Steps)
	onStart = func(*compute.Engine) { held = make([]byte, 1<<28); held = nil }
	assert.Equal(t, 2, execute(t, measured, Options{Out: t.TempDir(), Threads: 1}).Status[records.Budget], "garbage does not count")
	onStart, held = nil, held[:0:0]
	small := spec(t, hazardous, "limits.memory=0.15", "repeat.timed=true")
	assert.Equal(t, 2, execute(t, small, Options{Out: t.TempDir(), Threads: 1}).Status[records.Budget], "nor does what is never touched")
	free := spec(t, hazardous, "repeat.timed=true")
	assert.Equal(t, 2, execute(t, free, Options{Out: out, Threads: 1}).Status[records.Budget])
}
