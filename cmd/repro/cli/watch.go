package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	prettyprogress "github.com/jedib0t/go-pretty/v6/progress"

	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
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
	if a.Interactive() {
		return newBars(a.Screen, terminal.WidthOf(a.Screen), w, a.quiet)
	}
	return &lines{out: a.Stderr, work: w, cells: a.verbose, every: 10 * time.Second, last: time.Now()}
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

// barUnits is the length of a full bar, fine enough for runs of hours.
const barUnits = 10000

// bars show the progress of a run on a terminal: one bar for each running cell and one for the whole run.
type bars struct {
	w       prettyprogress.Writer
	work    *workload
	width   int
	quiet   bool // says nothing of cells that diverged
	total   *prettyprogress.Tracker
	running map[*experiments.Cell]*prettyprogress.Tracker
	done    chan struct{}
}

// newPretty returns a writer of bars in this package's style, which renders until stopPretty stops it. With values, bars
// show their values.
func newPretty(out io.Writer, width int, values bool) (w prettyprogress.Writer, done chan struct{}) {
	w = prettyprogress.NewWriter()
	w.SetOutputWriter(out)
	w.SetTerminalWidth(width)
	w.SetMessageLength(max(20, min(60, width-40)))
	w.SetTrackerLength(20)
	w.SetTrackerPosition(prettyprogress.PositionRight)
	w.SetSortBy(prettyprogress.SortByIndex)
	style := prettyprogress.StyleDefault
	style.Options.Separator = " "
	style.Options.DoneString = ""
	style.Options.PercentFormat = "%3.0f%%"
	style.Options.TimeInProgressPrecision = time.Second
	style.Options.TimeDonePrecision = 10 * time.Millisecond
	style.Visibility.Value = values
	style.Visibility.ETA = false
	w.SetStyle(style)
	done = make(chan struct{})
	go func() {
		w.Render()
		close(done)
	}()
	return w, done
}

func newBars(out io.Writer, width int, t *workload, quiet bool) *bars {
	b := &bars{work: t, width: width, quiet: quiet, running: map[*experiments.Cell]*prettyprogress.Tracker{}}
	b.w, b.done = newPretty(out, width, false)
	b.total = &prettyprogress.Tracker{Message: t.String(), Total: barUnits, AutoStopDisabled: true, Index: 1 << 62}
	b.w.AppendTracker(b.total)
	return b
}

func (b *bars) observe(e runner.Event) {
	name := printed.Visible(e.Cell.Experiment + " " + e.Cell.Name)
	switch e.Kind {
	case runner.Started:
		t := &prettyprogress.Tracker{Message: name, Total: barUnits, AutoStopDisabled: true, RemoveOnCompletion: true}
		if e.Work < 0 {
			t.Total = 0
		}
		b.running[e.Cell] = t
		b.w.AppendTracker(t)
	case runner.Advanced:
		if t := b.running[e.Cell]; e.Work >= 0 {
			t.SetValue(int64(e.Work * barUnits))
		}
	case runner.Ended:
		b.end(e, name)
	}
	b.total.UpdateMessage(b.work.String())
	b.total.SetValue(int64(b.work.fraction() * barUnits))
}

// end removes the bar of a cell that ended, and prints a line if it is not done.
func (b *bars) end(e runner.Event, name string) {
	if t := b.running[e.Cell]; t != nil {
		t.MarkAsDone()
		delete(b.running, e.Cell)
	}
	if e.Status != records.Done && e.Status != records.Budget && !(b.quiet && e.Status == records.Diverged) {
		b.note(fmt.Sprintf("%s: %s", name, words(e.Status, e.Reason)))
	}
}

func (b *bars) note(line string) { b.show(printed.Visible(terminal.Wrapped(line, b.width))) }

func (b *bars) show(painted string) { b.w.Log("%s", painted) }

func (b *bars) close() {
	if b.work.ended == len(b.work.cells) {
		b.total.MarkAsDone()
	}
	stopPretty(b.w, b.done)
}

// stopPretty draws the bars a last time. A stop before the first frame is lost, so it repeats the stop.
func stopPretty(w prettyprogress.Writer, done chan struct{}) {
	for {
		w.Stop()
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A workload sums up how much of a run is done. Cells are weighted by their expected cost.
type workload struct {
	cells  map[*experiments.Cell]*share
	of     map[string]int // cells by experiment
	left   map[string]int // cells by experiment that have not ended
	ended  int
	before float64 // weight of what was done before this run
	all    float64
	pace   float64 // expected seconds for a unit of weight, 0 if unknown
	began  time.Time
}

// A share is one cell's part of a run.
type share struct{ weight, done float64 }

// newWorkload returns the workload of a plan whose cells to run are expected to take the given number of seconds. A cell of
// unknown cost has the average weight.
func newWorkload(plan []runner.Planned, expected float64) *workload {
	sum, todo, known := 0.0, 0.0, 0
	for _, p := range plan {
		if s := p.Time(); s > 0 {
			sum += s
			known++
			if p.State != runner.Complete {
				todo += s
			}
		}
	}
	usual := 1.0
	if known > 0 {
		usual = sum / float64(known)
	}
	t := &workload{cells: map[*experiments.Cell]*share{}, of: map[string]int{}, left: map[string]int{}, began: time.Now()}
	if todo > 0 {
		t.pace = expected / todo
	}
	for _, p := range plan {
		s := &share{weight: usual}
		if w := p.Time(); w > 0 {
			s.weight = w
		}
		t.cells[p.Of] = s
		t.of[p.Of.Experiment]++
		t.left[p.Of.Experiment]++
		t.all += s.weight
	}
	return t
}

// add counts an event.
func (w *workload) add(e runner.Event) {
	s := w.cells[e.Cell]
	if e.Work >= 0 {
		s.done = e.Work
	}
	switch e.Kind {
	case runner.Started:
		w.before += s.weight * s.done
	case runner.Kept:
		w.before += s.weight
		w.end(e)
	case runner.Ended:
		s.done = 1
		w.end(e)
	}
}

func (w *workload) end(e runner.Event) {
	w.ended++
	w.left[e.Cell.Experiment]--
}

// completed returns the number of cells of an event's experiment if the event, which was added, ended the last of them, and
// 0 otherwise.
func (w *workload) completed(e runner.Event) int {
	if e.Kind != runner.Kept && e.Kind != runner.Ended || w.left[e.Cell.Experiment] > 0 {
		return 0
	}
	return w.of[e.Cell.Experiment]
}

// fraction returns the part of the run that is done.
func (w *workload) fraction() float64 {
	done := 0.0
	for _, s := range w.cells {
		done += s.weight * s.done
	}
	return min(1, done/w.all)
}

// secondsLeft returns the seconds that the run still needs at its pace so far, but at least what was expected for the rest,
// because evaluations and reference solutions do not count as progress. It is negative if it is unknown yet.
func (w *workload) secondsLeft() float64 {
	done := w.fraction() * w.all
	elapsed := time.Since(w.began).Seconds()
	if worked := done - w.before; worked > 0.01*(w.all-w.before) {
		return max(elapsed/worked, w.pace) * (w.all - done)
	}
	return -1
}

// String returns the number of cells that ended and the time left.
func (w *workload) String() string {
	s := fmt.Sprintf("%d of %s", w.ended, printed.Count(len(w.cells), "cell"))
	if left := w.secondsLeft(); left >= 1 && w.ended < len(w.cells) {
		s += fmt.Sprintf(", about %s left", printed.Duration(left))
	}
	return s
}

// Arrivals show what each experiment has found as soon as its last cell ends, while the others run: a line, and after the
// first one a curve and the report. They appear on a terminal only; the end screen repeats them.
type arrivals struct {
	app    *app
	specs  map[string]*experiments.Spec
	widest int // length of the longest id
	show   func(painted string)
	queue  chan *experiments.Spec // that have ended; nil if nothing is shown
	done   chan struct{}
}

func (a *app) newArrivals(cells []experiments.Cell, show func(string)) *arrivals {
	ar := &arrivals{app: a, specs: map[string]*experiments.Spec{}, show: show, done: make(chan struct{})}
	for i := range cells {
		s := cells[i].Spec
		ar.specs[s.ID] = s
		ar.widest = max(ar.widest, len(s.ID))
	}
	if !a.Interactive() || len(ar.specs) < 2 {
		close(ar.done)
		return ar
	}
	ar.queue = make(chan *experiments.Spec, len(ar.specs)) // so that observe never waits
	go func() {
		defer close(ar.done)
		first := true
		for s := range ar.queue {
			ar.arrive(s, first)
			first = false
		}
	}()
	return ar
}

// observe notices that the last cell of an experiment has ended; w has counted the event.
func (ar *arrivals) observe(e runner.Event, w *workload) {
	if ar.queue != nil && w.completed(e) > 0 {
		ar.queue <- ar.specs[e.Cell.Experiment]
	}
}

// close waits until all experiments that have ended are shown.
func (ar *arrivals) close() {
	if ar.queue != nil {
		close(ar.queue)
	}
	<-ar.done
}

// arrive shows an experiment that has ended. What it cannot read or write is reported at the end of the run.
func (ar *arrivals) arrive(s *experiments.Spec, first bool) {
	store := &records.Store{Dir: ar.app.out}
	for _, c := range s.Expand() {
		if r, err := records.Read(records.Path(ar.app.out, c.Experiment, c.Name)); err == nil {
			store.Records = append(store.Records, r)
		}
	}
	exp := s.Experiment()
	j := judge(exp, store)
	out := ar.app.Stderr
	ar.show(lineOf(out, j, ar.widest, 0))
	if !first {
		return
	}
	if chart := chart(out, exp, store.Records); chart != "" {
		ar.show(chart)
	}
	report := filepath.Join(ar.app.out, "report.html")
	if _, err := os.Stat(report); err == nil {
		return // of an earlier run, which may have more; the end of this one replaces it
	}
	if _, err := ar.app.writeReport(store, []judged{j}); err == nil {
		ar.show(out.Paint(terminal.Bold, report) + " has its figures; the others are added at the end")
	}
}

// chart draws the curves of the experiment's first figure of curves with characters: medians over seeds, on logarithmic axes.
// It is empty if there is no such figure or nothing to draw.
func chart(o *terminal.Output, exp claims.Experiment, recs []*records.Record) string {
	i := slices.IndexFunc(exp.Figures, func(f claims.Figure) bool {
		return (f.Kind == "" || f.Kind == "curves") && f.X != "" && (f.Scale == "" || f.Scale == "loglog")
	})
	if i < 0 {
		return ""
	}
	f := exp.Figures[i]
	lines := chartLines(exp, f, recs)
	if len(lines) == 0 {
		return ""
	}
	y := exp.Metric(f.Y)
	words := strings.NewReplacer("_{", "", "^{", "^", "}", "").Replace(cmp.Or(y.Words, f.Y))
	return o.Plot(f.Title, words+" against "+f.X+", both logarithmic", lines, true, true)
}

// chartLines returns the lines of a figure that can be drawn.
func chartLines(exp claims.Experiment, f claims.Figure, recs []*records.Record) []terminal.ChartLine {
	all := f.Series
	if len(all) == 0 {
		for _, m := range exp.Methods {
			all = append(all, claims.Series{Method: m.ID})
		}
	}
	var lines []terminal.ChartLine
	for _, s := range all {
		c := stats.CurveOf(records.Select(recs, s.Method), cmp.Or(s.Metric, f.Y), f.X, s.Statistic)
		l := terminal.ChartLine{Label: cmp.Or(s.Label, c.Label)}
		for i := range c.X {
			if c.X[i] > 0 && c.Median[i] > 0 && !math.IsInf(c.Median[i], 1) {
				l.X, l.Y = append(l.X, math.Log10(c.X[i])), append(l.Y, math.Log10(c.Median[i]))
			}
		}
		if len(l.X) > 1 {
			lines = append(lines, l)
		}
	}
	return lines
}
