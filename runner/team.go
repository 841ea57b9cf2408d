package runner

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/experiments"
)

// A team is a number of cells whose fits share work, because they differ in their step sizes only (algos.Sharer). Each cell
// runs as it does alone, but one at a time: it leaves the others the processor when it waits for them to come to their next
// iterations. These are then made together.
type team struct {
	turn    sync.Mutex // held by the cell that computes
	changed *sync.Cond // of members and waiting
	members int
	waiting []*leap
}

// A leap is the wish of a cell to make iterations, and what became of it.
type leap struct {
	fit      *fit // a Sharer
	step, n  int  // iterations made, and wanted at most
	done     bool
	result   algos.Iterations
	seconds  float64 // its part of the time
	panicked error
}

func newTeam(members int) *team {
	t := &team{members: members}
	t.changed = sync.NewCond(&t.turn)
	return t
}

// enter waits until no other cell of the team computes. A cell without a team computes at once.
func (t *team) enter() {
	if t != nil {
		t.turn.Lock()
	}
}

// leave ends what began with enter: the others need not wait for the cell any more.
func (t *team) leave() {
	if t != nil {
		t.members--
		t.changed.Broadcast()
		t.turn.Unlock()
	}
}

// leap makes up to n iterations of a fit that made step iterations, with those of the others that are as far. It returns the
// cell's part of the seconds that it takes. A cell without a team makes its own.
func (t *team) leap(fit *fit, step, n int) (i algos.Iterations, took float64) {
	if t == nil {
		took = seconds(func() { i = fit.leap(n) })
		return i, took
	}
	own := &leap{fit: fit, step: step, n: n}
	t.waiting = append(t.waiting, own)
	t.changed.Broadcast()
	for !own.done {
		if len(t.waiting) == t.members {
			t.advance()
		} else {
			t.changed.Wait()
		}
	}
	if own.panicked != nil {
		panic(own.panicked)
	}
	return own.result, own.seconds
}

// advance makes the iterations of the cells that made the fewest so far.
func (t *team) advance() {
	least := slices.MinFunc(t.waiting, func(a, b *leap) int { return a.step - b.step }).step
	var now []*leap
	t.waiting = slices.DeleteFunc(t.waiting, func(l *leap) bool {
		if l.step == least {
			now = append(now, l)
		}
		return l.step == least
	})
	defer t.changed.Broadcast()
	defer func() {
		v := recover()
		for _, l := range now {
			l.done = true
			if v != nil {
				l.panicked = &compute.Panic{Value: v, Stack: debug.Stack()}
			}
		}
	}()
	n := now[0].n
	var others []algos.Fit
	for _, l := range now[1:] {
		n, others = min(n, l.n), append(others, l.fit.Fit)
	}
	begun := time.Now()
	done := now[0].fit.sharer.LeapWith(others, n)
	for i, l := range now {
		l.result, l.seconds = done[i], time.Since(begun).Seconds()/float64(len(now))
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
