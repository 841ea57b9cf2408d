package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"repro/results/records"
	"repro/runner"
)

// A progress shows the progress of a run. note may be called from any goroutine.
type progress interface {
	observe(runner.Event)
	note(line string)
	close()
}

// newProgress shows bars on a terminal and plain lines elsewhere.
func (a *app) newProgress(w *workload) progress {
	if a.terminal() {
		return newBars(a.screen, widthOf(a.screen), w)
	}
	return &lines{out: a.stderr, work: w, every: 10 * time.Second, last: time.Now()}
}

// lines shows the progress of a run in lines: one at every start and end of a cell, and one on the whole run from time to
// time.
type lines struct {
	mu    sync.Mutex
	out   io.Writer
	work  *workload
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
		l.note(fmt.Sprintf("%s: complete from an earlier run", name))
	case runner.Ended:
		l.note(fmt.Sprintf("%s: %s (%d of %d)", name, ended(e), l.work.ended, len(l.work.cells)))
	}
	if now := time.Now(); now.Sub(l.last) >= l.every {
		l.last = now
		l.note(fmt.Sprintf("%.0f %% done, %v", 100*l.work.fraction(), l.work))
	}
}

func (l *lines) note(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, line)
}

func (l *lines) close() {}

// ended returns in words how a cell ended and how long it took.
func ended(e runner.Event) string {
	s := words(e.Status, e.Reason)
	if e.Status == records.Done || e.Status == records.Budget {
		s += ", " + duration(e.Duration.Seconds())
	}
	return s
}
