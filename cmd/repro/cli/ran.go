package cli

import (
	"fmt"
	"os"
	"strings"

	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// A ran is one cell in `run --json`.
type ran struct {
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

func (a *app) ran(e runner.Event) ran {
	c := e.Cell
	return ran{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Seed: c.Seed, Profile: c.Spec.Profile,
		Status: e.Status, Reason: e.Reason, Kept: e.Kind == runner.Kept, Record: records.Path(a.out, c.Experiment, c.Name),
	}
}

// lost notes how many records of a run are no longer there, and returns the number.
func (a *app) lost(all []ran) int {
	n := 0
	for _, r := range all {
		if _, err := os.Lstat(r.Record); err != nil {
			n++
		}
	}
	if n > 0 {
		a.note("%s of this run: another program removed them from %s; run the same command again", printed.Count(n, "record"), a.out)
	}
	return n
}

// hopeless notes the experiments none of whose cells is done although their data is here, and returns their number.
func (a *app) hopeless(all []ran) int {
	cells, bad := map[string]int{}, map[string]int{}
	var ids []string
	for _, r := range all {
		if cells[r.Experiment]++; cells[r.Experiment] == 1 {
			ids = append(ids, r.Experiment)
		}
		switch r.Status {
		case records.Failed, records.Diverged, records.Timeout:
			bad[r.Experiment]++
		}
	}
	n := 0
	for _, id := range ids {
		if bad[id] == cells[id] {
			n++
			a.note("%s: none of its %s is done", id, printed.Count(cells[id], "cell"))
		}
	}
	return n
}

// tellCells lists the cells that were not done, grouped by cause, and counts all cells.
func (a *app) tellCells(all []ran) {
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
		a.note("%s %s", strings.Join(names, ", "), cause)
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
	a.note("%s", text)
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
