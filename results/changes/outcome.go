package changes

import (
	"slices"
	"strings"

	"repro/results/claims"
)

// Status returns the exit status of a gate: 0 all numbers are identical, equivalent or improved, 1 one regressed, 3 one is
// inconclusive, 4 one cannot be compared or there is none, 5 a run failed. With several the first of 5, 1, 4, 3 is the
// status.
func Status(all []Change) int {
	worst, compared := 0, false
	for _, c := range all {
		compared = compared || c.State != NotReproducible && c.State != NotRun
		worst = claims.WorseStatus(worst, shownAs[c.State].status)
	}
	if !compared {
		return shownAs[NotComparable].status
	}
	return worst
}

// Count counts the changes in every state.
func Count(all []Change) map[State]int {
	n := map[State]int{}
	for _, c := range all {
		n[c.State]++
	}
	return n
}

// Unchanged reports whether a table of changes folds the change: nothing of it needs a reader.
func (c Change) Unchanged() bool {
	_, shown := shownAs[c.State]
	return !shown
}

// A Group is the changes with one cause.
type Group struct {
	Experiment string
	Cause      []string // methods whose bits changed; empty for changes without such a cause
	Changes    []Change // the worst first
}

// Groups returns the changes that are not Unchanged by what caused them: the same methods of the same experiment. The groups
// are ordered by their worst change.
func Groups(all []Change) []Group {
	var groups []Group
	for _, c := range all {
		if c.Unchanged() {
			continue
		}
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Experiment == c.Experiment && slices.Equal(g.Cause, c.Cause) })
		if i < 0 {
			i, groups = len(groups), append(groups, Group{Experiment: c.Experiment, Cause: c.Cause})
		}
		groups[i].Changes = append(groups[i].Changes, c)
	}
	rank := func(c Change) int { return slices.Index(States, c.State) }
	for i := range groups {
		slices.SortStableFunc(groups[i].Changes, func(a, b Change) int { return rank(a) - rank(b) })
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return rank(a.Changes[0]) - rank(b.Changes[0]) })
	return groups
}

// Heading names the cause of a group.
func (g Group) Heading() string {
	if len(g.Cause) == 0 {
		return g.Experiment
	}
	return g.Experiment + ", changed methods: " + strings.Join(g.Cause, ", ")
}

// A WorkChange is a count that is not the accepted one: that of the first such cell of a method.
type WorkChange struct {
	Experiment string `json:"experiment"`
	Method     string `json:"method"`
	Cell       string `json:"cell"`
	Cells      int    `json:"cells"` // of the method whose count changed
	Count      string `json:"count"` // what is counted
	Accepted   int64  `json:"accepted"`
	Now        int64  `json:"now"`
}

// WorkChanges lists the counted work that is not the accepted one, for cells of the accepted settings.
func WorkChanges(base, now Snapshot) []WorkChange {
	before := map[string]Cell{}
	for _, c := range base.Cells {
		before[c.Cell] = c
	}
	var all []WorkChange
	for _, c := range now.Cells {
		b, ok := before[c.Cell]
		if !ok || b.Settings != c.Settings || c.Exempt || b.Work == c.Work {
			continue
		}
		names, was, is := Counts, b.Work.list(), c.Work.list()
		for k, name := range names {
			if was[k] == is[k] {
				continue
			}
			i := slices.IndexFunc(all, func(w WorkChange) bool { return w.Method == c.Method && w.Count == name })
			if i >= 0 {
				all[i].Cells++
				continue
			}
			all = append(all, WorkChange{now.Experiment, c.Method, c.Cell, 1, name, was[k], is[k]})
		}
	}
	return all
}

// Counts names what is counted, in the order of Work.
var Counts = []string{"kernel evaluations", "feature evaluations", "flops", "bytes moved", "bytes of memory"}

func (w Work) list() []int64 {
	return []int64{w.KernelEvals, w.FeatureEvals, w.Flops, w.Bytes, w.Memory}
}

// Stale lists the accepted cells and claims that the experiment does not have: methods and claims that were renamed or
// removed.
func Stale(exp claims.Experiment, base Snapshot) []string {
	var all []string
	add := func(s string) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, n := range base.Numbers {
		i := slices.IndexFunc(exp.Claims, func(c claims.Claim) bool { return c.ID == n.Claim })
		switch {
		case i < 0:
			add("claim " + n.Claim)
		case n.Rival != "" && !slices.Contains(exp.Claims[i].Against, n.Rival):
			add("claim " + n.Claim + " against " + n.Rival)
		}
	}
	for _, c := range base.Cells {
		if !slices.ContainsFunc(exp.Methods, func(m claims.Method) bool { return m.ID == c.Method }) {
			add("method " + c.Method)
		}
	}
	return all
}
