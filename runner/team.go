package runner

import (
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/experiments"
)

// A leap is the wish of a cell of a team to make iterations, and what became of it.
type leap struct {
	fit      *fit // a Sharer
	step, n  int  // iterations made, and wanted at most
	made     made // by the fit, with its part of the time
	panicked error
	goOn     func() (next *leap, more bool) // lets the cell continue to its next wish, or to its end
}

// inTeam runs cells whose fits share work, because they differ in their step sizes only (algos.Sharer). Each cell runs as it
// does alone, but as a coroutine: where it wants to make iterations, it waits until all others want to or have ended. Then the
// cells that made the fewest iterations make the next ones together.
func inTeam(cells []*cellRun, run func(*cellRun) error) error {
	errs := make([]error, len(cells))
	var waiting []*leap
	goOn := func(cell func() (*leap, bool)) {
		if l, more := cell(); more {
			l.goOn = cell
			waiting = append(waiting, l)
		}
	}
	for i, x := range cells {
		cell, _ := iter.Pull(func(yield func(*leap) bool) {
			x.share = func(l *leap) { yield(l) }
			errs[i] = run(x)
		})
		goOn(cell)
	}
	for len(waiting) > 0 {
		least := slices.MinFunc(waiting, func(a, b *leap) int { return a.step - b.step }).step
		var now []*leap
		waiting = slices.DeleteFunc(waiting, func(l *leap) bool {
			if l.step == least {
				now = append(now, l)
			}
			return l.step == least
		})
		makeTogether(now)
		for _, l := range now {
			goOn(l.goOn)
		}
	}
	return errors.Join(errs...)
}

// makeTogether makes the iterations of cells that are as far as each other.
func makeTogether(cells []*leap) {
	defer func() {
		if v := recover(); v != nil {
			for _, l := range cells {
				l.panicked = &compute.Panic{Value: v, Stack: debug.Stack()}
			}
		}
	}()
	n := cells[0].n
	var others []algos.Fit
	for _, l := range cells[1:] {
		n, others = min(n, l.n), append(others, l.fit.Fit)
	}
	begun := time.Now()
	done := cells[0].fit.sharer.LeapWith(others, n)
	for i, l := range cells {
		l.made = made{Iterations: done[i], seconds: time.Since(begun).Seconds() / float64(len(cells))}
	}
}

// teams groups cells whose fits share work, in the order of the first of each. No group has so many cells that there are fewer
// groups than workers.
func teams(cells []*experiments.Cell, workers int) (groups [][]*experiments.Cell) {
	most := (len(cells) + workers - 1) / workers
	latest := map[teamKey]int{} // group
	for _, c := range cells {
		key, ok := teamOf(c)
		if i, begun := latest[key]; ok && begun && len(groups[i]) < most {
			groups[i] = append(groups[i], c)
			continue
		}
		latest[key] = len(groups)
		groups = append(groups, []*experiments.Cell{c})
	}
	return groups
}

// A teamKey names what the cells of a team have in common.
type teamKey struct {
	shared
	problem  string
	settings any // all but the step sizes
}

// teamOf returns the team of a cell that may share work with others: its seconds do not count, and it makes iterations without
// anything in between. A team has one budget, so that its cells stop at the same steps: a cell that had to stop where another
// one does would evaluate features in more blocks, and its counted costs would depend on what runs beside it.
func teamOf(c *experiments.Cell) (teamKey, bool) {
	a, ok := c.Method.Configured.(algos.SharingAlgorithm)
	if b := c.Budget(); !ok || c.Spec.Alone() || len(c.Needs) > 0 || b.Seconds > 0 || b.TimeOf != "" {
		return teamKey{}, false
	}
	key := teamKey{sharedBy(c), fmt.Sprintf("%v %+v %+v %s %d", c.Loss(), c.Problem(), c.Budget(), c.Precision(), c.Memory()), a.Shared()}
	return key, key.settings != nil
}
