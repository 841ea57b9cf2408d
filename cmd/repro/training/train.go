// Package training runs cells after all checks that need no training, and shows how far they are.
package training

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// Expand lists the cells of specs in the order they run.
func Expand(specs []*experiments.Spec) []experiments.Cell {
	cells := make([][]experiments.Cell, len(specs))
	records.Parallel(len(specs), func(i int) { cells[i] = specs[i].Expand() })
	return slices.Concat(cells...)
}

// execute runs cells and shows their progress.
func (o Order) execute(ctx context.Context, t *terminal.Terminal, cells []experiments.Cell, plan *runner.Plan) ([]Ran, error) {
	if !o.Quiet {
		o.announce(t, plan)
	}
	w := NewWatch(t, plan, o.Verbose)
	arrivals := newArrivals(t, o.Out, cells, w.Show)
	told := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(told)
		t.Note("%s", cmp.Or(Cause(ctx), "interrupted")+": saving the running cells (press Ctrl-C again to stop at once)")
	})
	ended := map[*experiments.Cell]Ran{}
	o.Command = o.Again
	o.Observe = func(e runner.Event) {
		w.Observe(e)
		arrivals.observe(e, w.work)
		switch e.Kind {
		case runner.Ended, runner.Kept, runner.Lost:
			ended[e.Cell] = o.ran(e)
		case runner.Waiting:
			t.Note("waiting for %s %s, which %s is running", e.Cell.Experiment, e.Cell.Name, e.Reason)
		case runner.Warned:
			t.Note("warning: %s %s: %s", e.Cell.Experiment, e.Cell.Name, e.Reason)
		}
	}
	_, err := runner.Run(ctx, cells, o.Options)
	if !stop() {
		<-told
	}
	arrivals.close()
	w.Close()
	all := []Ran{} // in the order of the plan
	for i := range cells {
		if r, ok := ended[&cells[i]]; ok {
			all = append(all, r)
		}
	}
	return all, err
}

// announce prints how many cells will run and what they need.
func (o Order) announce(t *terminal.Terminal, plan *runner.Plan) {
	todo := plan.Cost()
	if todo.Cells == 0 {
		return
	}
	t.Note("running %s, %v; records go to %s", printed.Count(todo.Cells, "cell"), todo, o.Out)
	if free := datasets.FreeMemory(); free > 0 && todo.Bytes > free {
		t.Note("warning: that is more than the %s of memory that are free here; see %s", printed.Bytes(free), printed.Command("plan"))
	}
	replaced := map[string]bool{}
	for _, p := range plan.Cells {
		if p.State != runner.Other {
			continue
		}
		f := records.Find(o.Out, p.Experiment, p.Cell, nil)
		if f.Record != nil && !replaced[p.Experiment+f.Header.Profile] {
			replaced[p.Experiment+f.Header.Profile] = true
			t.Note("%s: replacing its records of other settings at profile %s", p.Experiment, f.Header.Profile)
		}
	}
}

// A Ran is one cell in `run --json`.
type Ran struct {
	Experiment string         `json:"experiment"`
	Cell       string         `json:"cell"`
	Method     string         `json:"method"`
	Seed       uint64         `json:"seed"`
	Profile    string         `json:"profile"`
	Status     records.Status `json:"status"`
	Reason     string         `json:"reason"`
	Kept       bool           `json:"kept"` // it did not run, because its record was complete
	Record     string         `json:"record"`
}

func (o Order) ran(e runner.Event) Ran {
	c := e.Cell
	return Ran{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Seed: c.Seed, Profile: c.Spec.Profile,
		Status: e.Status, Reason: e.Reason, Kept: e.Kind == runner.Kept, Record: records.Path(o.Out, c.Experiment, c.Name),
	}
}

// TellCells lists the cells that were not done, grouped by cause, and counts all cells.
func TellCells(t *terminal.Terminal, all []Ran) {
	counts := map[records.Status]int{}
	cells := map[string][]string{} // by cause
	var causes []string
	kept := 0
	for _, r := range all {
		counts[r.Status]++
		if r.Kept {
			kept++
		}
		if r.Status == records.Done || r.Status == records.Budget {
			continue
		}
		cause := fmt.Sprintf("%s: %s", r.Status, r.Reason)
		if cells[cause] == nil {
			causes = append(causes, cause)
		}
		cells[cause] = append(cells[cause], r.Experiment+" "+r.Cell)
	}
	for _, cause := range causes {
		names := cells[cause]
		if n := len(names); n > 3 {
			names = append(names[:3:3], fmt.Sprintf("%d more", n-3))
		}
		t.Note("%s %s", strings.Join(names, ", "), cause)
	}
	var parts []string
	for _, s := range []records.Status{records.Diverged, records.Skipped, records.Timeout, records.Failed} {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	done := counts[records.Done] + counts[records.Budget]
	text := printed.Count(done, "cell") + " done"
	if len(parts) > 0 {
		text += ", " + strings.Join(parts, ", ")
	}
	if kept > 0 {
		text += fmt.Sprintf("; %d of %d were complete from an earlier run, --fresh runs them again", kept, len(all))
	}
	t.Note("%s", text)
}
