package training

import (
	"fmt"
	"strings"

	"repro/cmd/repro/terminal"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// A Watch shows how far a run is: a line at the end of every experiment or, with cells, at every start and end of a cell, and one on
// the whole run.
type Watch struct {
	*terminal.Live
	t     *terminal.Terminal
	work  *workload
	cells bool
}

// NewWatch begins to show how far the run of a plan is, until Close.
func NewWatch(t *terminal.Terminal, plan *runner.Plan, cells bool) *Watch {
	return &Watch{t.Live(), t, newWorkload(plan.Cells, plan.Cost().Seconds), cells}
}

// Observe takes an event of the run in.
func (w *Watch) Observe(e runner.Event) {
	w.work.add(e)
	name := e.Cell.Experiment + " " + e.Cell.Name
	switch {
	case e.Kind == runner.Started && (w.cells || e.Step > 0):
		again := ""
		if e.Step > 0 {
			again = fmt.Sprintf(", continuing after step %d", e.Step)
		}
		w.t.Note("%s: started%s", name, again)
	case e.Kind == runner.Kept && w.cells:
		w.t.Note("%s: complete from an earlier run", name)
	case e.Kind == runner.Ended && (w.cells || e.Status == records.Failed):
		w.t.Note("%s: %s (%d of %d)", name, ended(e), w.work.ended, len(w.work.cells))
	}
	if n := w.work.completed(e); n > 0 && !w.cells && !w.t.Interactive() {
		w.t.Note("%s: %s (%d of %d)", e.Cell.Experiment, printed.Count(n, "cell"), w.work.ended, len(w.work.cells))
	}
	w.Set(fmt.Sprintf("%.0f %% done, %v: %s", 100*w.work.fraction(), w.work, name))
}

// ended returns in words how a cell ended and how long it took.
func ended(e runner.Event) string {
	s := words(e.Status, e.Reason)
	if e.Status == records.Done || e.Status == records.Budget {
		s += ", " + printed.Duration(e.Duration.Seconds())
	}
	return s
}

// words returns in a few words how a cell ended.
func words(s records.Status, reason string) string {
	switch s {
	case records.Budget:
		return "done, " + reason
	case records.Done:
		return "done"
	}
	first, _, _ := strings.Cut(reason, "\n")
	return fmt.Sprintf("%s: %s", s, first)
}
