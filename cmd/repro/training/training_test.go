package training

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/files"
	"repro/results/records"
	"repro/runner"
	"repro/runner/shards"
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
	event(2, runner.Advanced, 0.02)
	assert.Negative(t, sum.secondsLeft(), "nor does less than a hundredth of the work")
	event(2, runner.Advanced, 0)

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
	assert.Equal(t, "3 of 3 runs", sum.String())
}

// Evaluation does not show as progress, so a run may look faster than it can be.
func TestTallyClaimsNoLessThanWasExpected(t *testing.T) {
	plan := twoCells()
	plan[0].State = records.Settled
	sum := newWorkload(plan, 30) // of the cell of weight 3
	sum.add(runner.Event{Cell: plan[0].Of, Kind: runner.Kept, Work: 1})
	sum.add(runner.Event{Cell: plan[1].Of, Kind: runner.Advanced, Work: 2.0 / 3})
	sum.began = time.Now().Add(-time.Second)
	assert.InDelta(t, 30, sum.secondsLeft(), 0.1, "10 s for a third of the dear cell and 20 s for the unknown one of weight 2")
	sum.began = time.Now().Add(-100 * time.Second)
	assert.InDelta(t, 150, sum.secondsLeft(), 0.1, "it is slower than expected")
}

// watched returns a watch of the plan on a terminal of a width, and what it prints.
func watched(plan []runner.Planned, width int, cells bool) (func(i int, e runner.Event), *Watch, *bytes.Buffer) {
	var out bytes.Buffer
	screen := &terminal.Terminal{Stderr: &terminal.Output{To: &out, Width: width}, Screen: &out}
	w := &Watch{Live: screen.Live(), t: screen, work: newWorkload(plan, 0), cells: cells, bad: map[string]int{}}
	return func(i int, e runner.Event) {
		e.Cell = plan[i].Of
		w.Observe(e)
	}, w, &out
}

func TestWatchInAFile(t *testing.T) {
	tell, _, out := watched(twoCells(), 0, true)
	tell(1, runner.Event{Kind: runner.Started, Step: 7, Work: 0.5})
	tell(1, runner.Event{Kind: runner.Advanced, Step: 8, Work: 0.75})
	tell(1, runner.Event{Kind: runner.Ended, Status: records.Failed, Reason: "no memory\nat all", Work: 1})
	assert.Equal(t, "own/tiny dear: started, continuing after step 7\nown/tiny dear: failed: no memory (1 of 3)\n", out.String())
}

// Without cells there is a line for an experiment, when its last cell ends, and for a cell that fails.
func TestWatchOfExperiments(t *testing.T) {
	tell, _, out := watched(twoCells(), 0, false)
	tell(0, runner.Event{Kind: runner.Kept})
	tell(1, runner.Event{Kind: runner.Started})
	tell(1, runner.Event{Kind: runner.Ended, Status: records.Failed, Reason: "no memory"})
	tell(2, runner.Event{Kind: runner.Ended, Status: records.Done})
	assert.Equal(t, "own/tiny dear: failed: no memory (2 of 3)\nown/tiny: 3 runs (3 of 3)\n", out.String())
}

// A reason for which many cells fail is told a few times, and every cell counts.
func TestWatchOfManyFailures(t *testing.T) {
	var plan []runner.Planned
	for range 3 {
		plan = append(plan, twoCells()...)
	}
	tell, _, out := watched(plan, 0, false)
	for i := range plan {
		tell(i, runner.Event{Kind: runner.Ended, Status: records.Failed, Reason: "no memory"})
	}
	assert.Equal(t, tellings, strings.Count(out.String(), "no memory"))
	assert.Contains(t, out.String(), "own/tiny: 9 runs (9 of 9)")
}

// The cells that are not done are listed by cause, at most three of them by name, and counted with those that were expected to diverge.
func TestWhatIsToldOfCells(t *testing.T) {
	told := func(predicted func(string) string, n map[records.Status]int) string {
		var out bytes.Buffer
		var all []Ran
		for _, s := range []records.Status{records.Done, records.Budget, records.Diverged, records.Timeout, records.Failed} {
			for i := range n[s] {
				all = append(all, Ran{Experiment: fmt.Sprint("own/", i%2), Cell: fmt.Sprint("c", i), Status: s, Reason: "why", Kept: s == records.Done})
			}
		}
		TellCells(&terminal.Terminal{Stderr: &terminal.Output{To: &out}}, all, predicted)
		return out.String()
	}
	assert.Equal(t, "own/0 c0, own/1 c1, own/0 c2, 2 more diverged: why\nown/0 c0, own/1 c1, own/0 c2 failed: why\n"+
		"3 runs done, 5 diverged, 3 failed; 2 of 11 were complete from an earlier run, --fresh runs them again\n",
		told(nil, map[records.Status]int{records.Done: 2, records.Budget: 1, records.Diverged: 5, records.Failed: 3}))
	foretold := func(id string) string { return map[string]string{"own/0": "as the paper says"}[id] }
	assert.Equal(t, "0 runs done, 1 diverged as the paper says\n", told(foretold, map[records.Status]int{records.Diverged: 1}))
	assert.Equal(t, "own/1 c1 diverged: why\n0 runs done, 2 diverged, 1 of them as the paper says\n", told(foretold, map[records.Status]int{records.Diverged: 2}))
}

// The lease of a shard says how it ended.
func TestHowAShardEnded(t *testing.T) {
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(Stopped("stopped by SIGUSR1"))
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	for want, c := range map[string]struct {
		ctx context.Context
		err error
	}{
		"complete": {t.Context(), nil}, "a run failed": {t.Context(), exits.Failed}, "a limit ended a run": {t.Context(), exits.Incomplete},
		"error: no disk": {t.Context(), errors.New("no disk")}, "stopped by SIGUSR1": {stopped, exits.Stopped}, "interrupted": {interrupted, exits.Interrupted},
	} {
		out := t.TempDir()
		p := shards.New(nil, 1, []shards.Cell{{Shard: 1}})
		lease, err := shards.Take(out, p.Dir(out), "1", shards.Holder{}, shards.Every)
		require.NoError(t, err)
		assert.Equal(t, c.err, Releasing(c.ctx, lease, func() error { return c.err }))
		states, err := p.States(out)
		require.NoError(t, err)
		assert.Equal(t, want, states[1].Ended)
	}
}

// On a terminal the line is drawn again, with notes above it, and is gone at the end.
func TestWatchOnATerminal(t *testing.T) {
	tell, w, out := watched(twoCells(), 30, false)
	tell(1, runner.Event{Kind: runner.Started})
	tell(1, runner.Event{Kind: runner.Ended, Status: records.Failed, Reason: "too large", Work: 1})
	w.Close()
	lines := strings.Split(out.String(), "\r\x1b[K")
	assert.Equal(t, []string{"", "0 % done, 0 of 3 runs: own/t…", "own/tiny dear: failed: too\n  large (1 of 3)\n0 % done, 0 of 3 runs: own/t…", ""}, lines)
}

// On a terminal an experiment is shown when it ends: the first with its curve and the report.
func TestArrivals(t *testing.T) {
	tiny, err := os.ReadFile("../cli/testdata/tiny.toml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	figure := "\n[[figure]]\nid = \"convergence\"\ntitle = \"Convergence\"\nx = \"step\"\ny = \"l2-error\"\n"
	require.NoError(t, os.WriteFile("tiny.toml", append(tiny, figure...), 0o666))
	require.NoError(t, os.WriteFile("other.toml", tiny, 0o666))
	screen := &terminal.Terminal{Stderr: &terminal.Output{To: io.Discard}, Screen: io.Discard}
	o := Order{Choice: flags.Choice{Profile: "smoke"}, Options: runner.Options{Out: "out", Library: flags.Library(screen)}}
	specs, err := o.LoadSpecs([]catalog.Ref{{Path: "tiny.toml"}, {Path: "other.toml"}})
	require.NoError(t, err)
	_, err = o.Train(t.Context(), screen, specs[:1], Expand(specs[:1]))
	require.NoError(t, err)
	var shown []string
	screen.Stderr.Width = 80
	ar := newArrivals(screen, "out", Expand(specs), func(s string) { shown = append(shown, s) })
	require.NoError(t, files.Write("out", "out/report.html", nil))
	ar.queue <- specs[0]
	ar.queue <- specs[1]
	ar.close()
	require.Len(t, shown, 3)
	assert.Regexp(t, `^own/tiny   1○ · 1○  ratio `, shown[0])
	assert.Contains(t, shown[1], "• ")
	assert.Contains(t, shown[1], "┼")
	assert.Regexp(t, `^own/other  `, shown[2])

	screen.Stderr.Width = 0
	assert.Nil(t, newArrivals(screen, "out", Expand(specs), nil).queue, "a file gets no arrivals")
	screen.Stderr.Width = 80
	assert.Nil(t, newArrivals(screen, "out", Expand(specs[:1]), nil).queue, "the end screen shows a single experiment")
}

func TestTheCommandOfACell(t *testing.T) {
	specs, err := flags.Choice{Profile: "smoke"}.LoadSpecs([]catalog.Ref{{ID: "dai2014/ridge"}})
	require.NoError(t, err)
	cell := specs[0].Expand()[0]
	cell.Spec.Repeat.First, cell.Seed = 7, 8
	o := Order{Choice: flags.Choice{Profile: "smoke", Set: []string{`data.name="it's"`}}, Options: runner.Options{Threads: 2}}
	want := "repro run dai2014/ridge --profile smoke --method " + cell.Method.ID + ` --seeds 2 --threads 2 --out again --set 'data.name="it'\''s"'`
	assert.Equal(t, want, o.Again(&cell), "the second seed from the first one on")
	o.AllowExternal = true
	assert.Equal(t, want+" --allow-external", o.Again(&cell))
}

// Every machine makes the same plan: nothing that Shards uses is measured.
func TestShardsOfAPaperAreTheSameEveryTime(t *testing.T) {
	t.Setenv("REPRO_DATA", "")
	t.Setenv("REPRO_CACHE", t.TempDir())
	screen := &terminal.Terminal{Stderr: &terminal.Output{To: io.Discard}}
	o := Order{Choice: flags.Choice{Args: []string{"dai2014/ridge", "dai2014/svm-adult", "ma2017/heaviside"}, Profile: "paper"}}
	o.Library = flags.Library(screen)
	specs, err := o.ToRun(screen)
	require.NoError(t, err)
	cells := Expand(specs)
	first, parts, err := o.Shards(t.Context(), cells, 16)
	require.NoError(t, err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	o.Args = []string{"other", "words"}
	again, _, err := o.Shards(t.Context(), Expand(specs), 16)
	require.NoError(t, err)
	assert.Equal(t, first.ID, again.ID)
	for k, p := range parts {
		for _, i := range p {
			assert.Equal(t, []any{cells[i].Name, cells[i].Digest, k + 1}, []any{first.Cells[i].Cell, first.Cells[i].Digest, first.Cells[i].Shard})
			assert.Equal(t, p.Alone(cells), runner.Shard{i}.Alone(cells), "timed cells have shards of their own")
		}
	}
}
