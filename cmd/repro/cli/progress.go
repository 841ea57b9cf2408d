package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"repro/experiments"
	"repro/results/records"
	"repro/runner"
)

// A progress shows how far a run is. note may be called from any goroutine.
type progress interface {
	observe(runner.Event)
	note(line string)
	close()
}

// newProgress shows bars on a terminal and plain lines elsewhere.
func (a *app) newProgress(t *tally) progress {
	if a.terminal {
		return newBars(a.stderr, widthOf(a.stderr), t)
	}
	return &lines{out: a.stderr, tally: t, every: 10 * time.Second, last: time.Now()}
}

// A tally adds up how much of a run is done, cells weighted by their expected cost.
type tally struct {
	cells  map[*experiments.Cell]*share
	ended  int
	before float64 // weight that was done before this run
	all    float64
	pace   float64 // seconds a unit of weight is expected to take, 0 if unknown
	began  time.Time
}

// A share is one cell's part of a run.
type share struct{ weight, done float64 }

// newTally returns the tally of a plan, of which what is not complete is expected to take some seconds.
// A cell of unknown cost weighs as much as the average one.
func newTally(plan []planned, expected float64) *tally {
	sum, todo, known := 0.0, 0.0, 0
	for _, p := range plan {
		if s := orUnknown(p.Seconds); s > 0 {
			sum += s
			known++
			if p.State != stateComplete {
				todo += s
			}
		}
	}
	usual := 1.0
	if known > 0 {
		usual = sum / float64(known)
	}
	t := &tally{cells: map[*experiments.Cell]*share{}, began: time.Now()}
	if todo > 0 {
		t.pace = expected / todo
	}
	for _, p := range plan {
		s := &share{weight: usual}
		if w := orUnknown(p.Seconds); w > 0 {
			s.weight = w
		}
		t.cells[p.cell] = s
		t.all += s.weight
	}
	return t
}

// add counts an event.
func (t *tally) add(e runner.Event) {
	s := t.cells[e.Cell]
	if e.Work >= 0 {
		s.done = e.Work
	}
	switch e.Kind {
	case runner.Started:
		t.before += s.weight * s.done
	case runner.Kept:
		t.before += s.weight
		t.ended++
	case runner.Ended:
		s.done = 1
		t.ended++
	}
}

// fraction returns the part of the run that is done.
func (t *tally) fraction() float64 {
	done := 0.0
	for _, s := range t.cells {
		done += s.weight * s.done
	}
	return min(1, done/t.all)
}

// left returns the seconds the run still takes if it goes on at its pace so far, but no less than was
// expected of what is left: evaluation and reference solutions do not show as progress. It is negative
// if that cannot be told yet.
func (t *tally) left() float64 {
	done := t.fraction() * t.all
	elapsed := time.Since(t.began).Seconds()
	if worked := done - t.before; worked > 0.01*(t.all-t.before) {
		return max(elapsed/worked, t.pace) * (t.all - done)
	}
	return -1
}

// String says how far the run is.
func (t *tally) String() string {
	s := fmt.Sprintf("%d of %s", t.ended, count(len(t.cells), "cell"))
	if left := t.left(); left >= 1 && t.ended < len(t.cells) {
		s += fmt.Sprintf(", about %s left", duration(left))
	}
	return s
}

// lines tells a run's progress line by line: every start and end of a cell, and the whole from time
// to time.
type lines struct {
	mu    sync.Mutex
	out   io.Writer
	tally *tally
	every time.Duration
	last  time.Time
}

func (l *lines) observe(e runner.Event) {
	name := e.Cell.Experiment + " " + e.Cell.Name
	switch e.Kind {
	case runner.Started:
		again := ""
		if e.Step > 0 {
			again = fmt.Sprintf(", continuing after step %d", e.Step)
		}
		l.note(fmt.Sprintf("%s: started%s", name, again))
	case runner.Kept:
		l.note(fmt.Sprintf("%s: kept from an earlier run", name))
	case runner.Ended:
		l.note(fmt.Sprintf("%s: %s (%d of %d)", name, ended(e), l.tally.ended, len(l.tally.cells)))
	}
	if now := time.Now(); now.Sub(l.last) >= l.every {
		l.last = now
		l.note(fmt.Sprintf("%.0f %% done, %v", 100*l.tally.fraction(), l.tally))
	}
}

func (l *lines) note(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, line)
}

func (l *lines) close() {}

// ended says how a cell ended and how long it took.
func ended(e runner.Event) string {
	s := words(e.Status, e.Reason)
	if e.Status == records.Done || e.Status == records.Budget {
		s += ", " + duration(e.Duration.Seconds())
	}
	return s
}
