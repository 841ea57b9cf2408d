package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"repro/experiments"
	"repro/results/records"
	"repro/runner"
)

// twoCells is a plan of a cheap cell, a dear one and one of unknown cost.
func twoCells() []runner.Planned {
	cheap, dear := 1.0, 3.0
	cell := func(name string) *experiments.Cell {
		return &experiments.Cell{Experiment: "own/tiny", Name: name}
	}
	return []runner.Planned{{Of: cell("cheap"), Seconds: &cheap}, {Of: cell("dear"), Seconds: &dear}, {Of: cell("unknown")}}
}

func TestTallyWeighsCellsByTheirCost(t *testing.T) {
	plan := twoCells()
	sum := newWorkload(plan, 0) // weights 1, 3 and their mean, 2
	event := func(i int, kind runner.EventKind, work float64) {
		sum.add(runner.Event{Cell: plan[i].Of, Kind: kind, Work: work})
	}
	assert.Negative(t, sum.secondsLeft(), "nothing is known before something is done")
	event(0, runner.Kept, 1)
	assert.InDelta(t, 1.0/6, sum.fraction(), 1e-12)
	assert.Negative(t, sum.secondsLeft(), "what was kept says nothing about the pace")

	event(1, runner.Started, 1.0/3) // continues from a checkpoint
	event(1, runner.Advanced, 2.0/3)
	assert.InDelta(t, 3.0/6, sum.fraction(), 1e-12)
	sum.began = time.Now().Add(-10 * time.Second)
	assert.InDelta(t, 30, sum.secondsLeft(), 0.1, "one of four that were left took 10 s")

	event(1, runner.Ended, 1)
	event(2, runner.Started, -1)
	assert.InDelta(t, 4.0/6, sum.fraction(), 1e-12, "unknown progress is none")
	event(2, runner.Ended, 1)
	assert.InDelta(t, 1, sum.fraction(), 1e-12)
	assert.Equal(t, "3 of 3 cells", sum.String())
}

// Evaluation does not show as progress, so a run may look faster than it can be.
func TestTallyClaimsNoLessThanWasExpected(t *testing.T) {
	plan := twoCells()
	plan[0].State = runner.Complete
	sum := newWorkload(plan, 30) // of the cell of weight 3
	sum.add(runner.Event{Cell: plan[0].Of, Kind: runner.Kept, Work: 1})
	sum.add(runner.Event{Cell: plan[1].Of, Kind: runner.Advanced, Work: 2.0 / 3})
	sum.began = time.Now().Add(-time.Second)
	assert.InDelta(t, 30, sum.secondsLeft(), 0.1, "10 s for a third of the dear cell and 20 s for the unknown one of weight 2")
	sum.began = time.Now().Add(-100 * time.Second)
	assert.InDelta(t, 150, sum.secondsLeft(), 0.1, "it is slower than expected")
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	plan := twoCells()
	sum := newWorkload(plan, 0)
	l := &lines{out: &out, work: sum, cells: true, every: time.Hour, last: time.Now()}
	tell := func(e runner.Event) {
		e.Cell = plan[1].Of
		sum.add(e)
		l.observe(e)
	}
	tell(runner.Event{Kind: runner.Started, Step: 7, Work: 0.5})
	tell(runner.Event{Kind: runner.Advanced, Step: 8, Work: 0.75})
	l.every = 0
	tell(runner.Event{Kind: runner.Advanced, Step: 9, Work: 1})
	l.every = time.Hour
	tell(runner.Event{Kind: runner.Ended, Status: records.Failed, Reason: "no memory\nat all", Work: 1})
	assert.Equal(t, `own/tiny dear: started, continuing after step 7
50 % done, 0 of 3 cells
own/tiny dear: failed: no memory (1 of 3)
`, out.String())
}

// Without cells there is a line for an experiment, when its last cell ends, and for a cell that fails.
func TestLinesOfExperiments(t *testing.T) {
	var out bytes.Buffer
	plan := twoCells()
	sum := newWorkload(plan, 0)
	l := &lines{out: &out, work: sum, every: time.Hour, last: time.Now()}
	for i, e := range []runner.Event{{Kind: runner.Kept}, {Kind: runner.Started}, {Kind: runner.Ended, Status: records.Failed, Reason: "no memory"}, {Kind: runner.Ended, Status: records.Done}} {
		e.Cell = plan[max(0, i-1)].Of
		sum.add(e)
		l.observe(e)
	}
	assert.Equal(t, "own/tiny dear: failed: no memory (2 of 3)\nown/tiny: 3 cells (3 of 3)\n", out.String())
}

func TestBars(t *testing.T) {
	var out watched
	plan := twoCells()
	sum := newWorkload(plan, 0)
	b := newBars(&out, 100, sum, false)
	tell := func(i int, e runner.Event) {
		e.Cell = plan[i].Of
		sum.add(e)
		b.observe(e)
	}
	tell(0, runner.Event{Kind: runner.Kept, Work: 1})
	tell(1, runner.Event{Kind: runner.Started})
	tell(1, runner.Event{Kind: runner.Advanced, Work: 0.5})
	assert.Eventually(t, func() bool { return bytes.Contains([]byte(out.String()), []byte("50%")) }, 5*time.Second, 10*time.Millisecond, "a cell's bar")
	b.note("a note")
	tell(1, runner.Event{Kind: runner.Ended, Status: records.Diverged, Reason: "too large", Work: 1})
	tell(2, runner.Event{Kind: runner.Ended, Status: records.Skipped, Reason: "no data", Work: 1})
	b.close()
	for _, want := range []string{"own/tiny dear", "1 of 3 cells", "a note\n", "own/tiny dear: diverged: too large\n", "own/tiny unknown: skipped: no data\n", "3 of 3 cells"} {
		assert.Contains(t, out.String(), want)
	}
}

func TestSettingsReadAsTOML(t *testing.T) {
	settings := map[string]any{
		"step": map[string]any{"t0": 10.0, "schedule": "inverse", "gamma0": 1e-7}, "batch": 64,
		"none": nil, "empty": []any{}, "rows": []any{1, 2}, "average": false,
	}
	assert.Equal(t, `average = false, batch = 64, rows = [1, 2], step = { schedule = "inverse", gamma0 = 1e-7, t0 = 10.0 }`, pairs(settings))
}
