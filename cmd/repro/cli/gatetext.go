package cli

import (
	"fmt"
	"strings"

	"repro/results/changes"
	"repro/results/printed"
)

// colourOfState returns the colour of a change.
func colourOfState(s changes.State) colour {
	switch s {
	case changes.Regressed, changes.Failed:
		return red
	case changes.Inconclusive:
		return yellow
	case changes.NotComparable:
		return cyan
	case changes.Improved, changes.Equivalent:
		return green
	}
	return dim
}

// printChanges prints a table for each cause of changes, the changed work, stale entries and a last line with the counts.
func (a *app) printChanges(o gated) {
	for _, group := range changes.Groups(o.Changes) {
		a.stdout.message("%s", group.Heading())
		g := grid{head: changeHead, right: []int{2, 3}, indent: "  "}
		for _, c := range group.Changes {
			g.rows = append(g.rows, changeCells(c))
		}
		g.paint = func(row, column int) colour {
			if column < len(changeHead)-1 {
				return 0
			}
			return colourOfState(group.Changes[row].State)
		}
		a.print(g)
		for _, c := range group.Changes {
			a.stdout.message("  %s: %s%s", claimName(c), c.Reason, newWord(c))
		}
		fmt.Fprintln(a.stdout)
	}
	if len(o.Work) > 0 {
		a.stdout.message("counted work that changed:")
		g := grid{head: []string{"experiment", "method", "cells", "count", "accepted", "now"}, right: []int{3, 5, 6}, indent: "  "}
		for _, w := range o.Work {
			g.rows = append(g.rows, []string{w.Experiment, w.Method, fmt.Sprint(w.Cells), w.Count, fmt.Sprint(w.Accepted), fmt.Sprint(w.Now)})
		}
		a.print(g)
		fmt.Fprintln(a.stdout)
	}
	for _, s := range o.Stale {
		a.stdout.message("%s: the accepted baseline has %s, which the spec does not have; remove it with %s, or restore it in the spec", s.Experiment, s.Entry, printed.Command("baseline accept"))
	}
	for _, id := range o.LeftOut {
		a.stdout.message("%s: left out, because its data is not here", id)
	}
	a.stdout.message("compared with %s: %s", o.withCommit(), o.summary())
}

// newWord says how the verdict on a claim changed, if it did.
func newWord(c changes.Change) string {
	if c.WordBefore == "" || c.WordNow == "" || c.WordBefore == c.WordNow {
		return ""
	}
	return fmt.Sprintf("; its verdict was %s and is %s", c.WordBefore, c.WordNow)
}

// withCommit names what was compared with, and its commit if it has one.
func (o gated) withCommit() string {
	if o.Commit == "" {
		return o.With
	}
	return fmt.Sprintf("%s at commit %s", o.With, printed.Visible(o.Commit))
}

// summary counts the changes in words, the worst first.
func (o gated) summary() string {
	n := changes.Count(o.Changes)
	var parts []string
	for _, s := range changes.States {
		if n[s] > 0 && !(changes.Change{State: s}).Unchanged() {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return strings.Join(append(parts, unchangedText(n)), ", ")
}
