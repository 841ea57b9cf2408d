package guard

import (
	"fmt"
	"slices"

	"repro/cmd/repro/terminal"
	"repro/results/changes"
)

// printShifts prints a table of the shifts of each experiment, and the methods whose values moved.
func printShifts(to *terminal.Output, all []changes.Shift) {
	for _, group := range changes.ShiftGroups(all) {
		to.Message("%s, curves and work", group.Experiment)
		if len(group.Shifts) > 0 {
			g := terminal.Table{Head: changes.ShiftHead, Right: []int{3}, Indent: "  "}
			for _, s := range group.Shifts {
				g.Rows = append(g.Rows, s.Row())
			}
			g.Paint = func(row, column int) terminal.Colour {
				if column < len(changes.ShiftHead)-1 {
					return 0
				}
				return colourOfState(group.Shifts[row].State)
			}
			to.Table(g)
		}
		for _, s := range group.Shifts {
			to.Message("  %s: %s", s.Label(), s.Reason)
		}
		if text := group.MovedText(); text != "" {
			to.Message("  %s", text)
		}
		fmt.Fprintln(to)
	}
}

// shifted reports whether the gate fails on a shift that belongs to the claim of a change, and more seeds can confirm: the accepted
// curve has more than were compared.
func (c *checking) shifted(x changes.Change) bool {
	return slices.ContainsFunc(c.Compared.Shifts, func(s changes.Shift) bool {
		if s.Experiment != x.Experiment || s.Claim != x.Claim || s.P == nil || !s.Fails(c.failOn) {
			return false
		}
		return slices.ContainsFunc(c.accepted[s.Experiment].Series, func(a changes.Series) bool {
			return a.Method == s.Method && a.Metric == s.Metric && len(a.Seeds) > s.Seeds
		})
	})
}

// reshift replaces the shifts of an experiment.
func (c *checking) reshift(experiment string, all []changes.Shift) {
	c.Compared.Shifts = append(slices.DeleteFunc(c.Compared.Shifts, func(s changes.Shift) bool { return s.Experiment == experiment }), all...)
}
