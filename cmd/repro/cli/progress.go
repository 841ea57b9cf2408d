package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// A progress shows the progress of a run. note and show may be called from any goroutine.
type progress interface {
	observe(runner.Event)
	note(line string)
	show(painted string) // what paint returned
	close()
}

// newProgress shows bars on a terminal and plain lines elsewhere.
func (a *app) newProgress(w *workload) progress {
	if a.terminal() {
		return newBars(a.screen, widthOf(a.screen), w, a.quiet)
	}
	return &lines{out: a.stderr, work: w, cells: a.verbose, every: 10 * time.Second, last: time.Now()}
}

// lines shows the progress of a run in lines: one at the end of every experiment or, with cells, at every start and end of a
// cell, and one on the whole run from time to time.
type lines struct {
	mu    sync.Mutex
	out   io.Writer
	work  *workload
	cells bool
	every time.Duration
	last  time.Time
}

func (l *lines) observe(e runner.Event) {
	name := e.Cell.Experiment + " " + e.Cell.Name
	switch {
	case e.Kind == runner.Started && (l.cells || e.Step > 0):
		again := ""
		if e.Step > 0 {
			again = fmt.Sprintf(", continuing after step %d", e.Step)
		}
		l.note(fmt.Sprintf("%s: started%s", name, again))
	case e.Kind == runner.Kept && l.cells:
		l.note(fmt.Sprintf("%s: complete from an earlier run", name))
	case e.Kind == runner.Ended && (l.cells || e.Status == records.Failed):
		l.note(fmt.Sprintf("%s: %s (%d of %d)", name, ended(e), l.work.ended, len(l.work.cells)))
	}
	if n := l.work.completed(e); n > 0 && !l.cells {
		l.note(fmt.Sprintf("%s: %s (%d of %d)", e.Cell.Experiment, printed.Count(n, "cell"), l.work.ended, len(l.work.cells)))
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

// show does nothing: what is shown on a terminal while a run goes on is printed at its end.
func (l *lines) show(string) {}

func (l *lines) close() {}

// ended returns in words how a cell ended and how long it took.
func ended(e runner.Event) string {
	s := words(e.Status, e.Reason)
	if e.Status == records.Done || e.Status == records.Budget {
		s += ", " + printed.Duration(e.Duration.Seconds())
	}
	return s
}
