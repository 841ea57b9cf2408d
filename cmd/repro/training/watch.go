package training

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/plots"
	"repro/plots/figures"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// A Watch shows how far a run is: a line at the end of every experiment or, with cells, at every start and end of a cell, and one on
// the whole run.
type Watch struct {
	*terminal.Live
	t     *terminal.Terminal
	work  *workload
	cells bool
	bad   map[string]int // failed cells by reason
	out   string         // folder in which ProgressFile says the same; empty for none
	told  time.Time      // when that was written
}

// ProgressFile is the file of an output folder that says, while a run writes there, how far it is.
const ProgressFile = "progress.txt"

// NewWatch begins to show how far the run of a plan into a folder is, until Close. Without a folder only the terminal shows it.
func NewWatch(t *terminal.Terminal, plan *runner.Plan, cells bool, out string) *Watch {
	return &Watch{Live: t.Live(), t: t, work: newWorkload(plan.Cells, plan.Cost().Seconds), cells: cells, bad: map[string]int{}, out: out}
}

// Close ends the line and removes the file.
func (w *Watch) Close() {
	w.Live.Close()
	if !w.told.IsZero() {
		os.Remove(filepath.Join(w.out, ProgressFile))
	}
}

// tell writes how far the run is, once a second. If it cannot, only those who look there miss it.
func (w *Watch) tell(line string) {
	if now := time.Now(); w.out != "" && now.Sub(w.told) >= time.Second {
		w.told = now
		_ = files.Write(w.out, filepath.Join(w.out, ProgressFile), []byte(printed.Visible(line)+"\n"))
	}
}

// tellings is of how many cells a Watch tells that they failed for the same reason.
const tellings = 3

// Observe takes an event of the run in.
func (w *Watch) Observe(e runner.Event) {
	if w.work.cells[e.Cell] == nil {
		return // skipped, as the end tells
	}
	w.work.add(e)
	name := e.Cell.Experiment + " " + e.Cell.Name
	switch {
	case e.Kind == runner.Started && (w.cells || e.Step > 0):
		again := ""
		if e.Step > 0 {
			again = fmt.Sprintf(", continuing after step %d", e.Step)
		}
		w.t.Note("%s: started%s", name, again)
	case e.Kind == runner.Kept && w.cells:
		w.t.Note("%s: complete from an earlier run", name)
	case e.Kind == runner.Ended && (w.cells || e.Status == records.Failed):
		if e.Status == records.Failed {
			w.bad[e.Reason]++
		}
		if w.cells || w.bad[e.Reason] <= tellings {
			w.t.Note("%s: %s (%d of %d)", name, ended(e), w.work.ended, len(w.work.cells))
		}
	}
	if n := w.work.completed(e); n > 0 && !w.cells && !w.t.Interactive() {
		w.t.Note("%s: %s (%d of %d)", e.Cell.Experiment, printed.Count(n, "run"), w.work.ended, len(w.work.cells))
	}
	line := fmt.Sprintf("%.0f %% done, %v: %s", 100*w.work.fraction(), w.work, name)
	w.Set(line)
	w.tell(line)
}

// ended returns in words how a cell ended and how long it took.
func ended(e runner.Event) string {
	s := words(e.Status, e.Reason)
	if e.Status == records.Done || e.Status == records.Budget {
		s += ", " + printed.Duration(e.Duration.Seconds())
	}
	return s
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

// A workload sums up how much of a run is done. Cells are weighted by their expected cost.
type workload struct {
	cells  map[*experiments.Cell]*share
	of     map[string]int // cells by experiment
	left   map[string]int // cells by experiment that have not ended
	ended  int
	before float64 // weight of what was done before this run
	done   float64 // weight of what is done
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
			if !p.State.Settled() {
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
		if p.State == records.ToSkip {
			continue
		}
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

func (w *workload) add(e runner.Event) {
	s := w.cells[e.Cell]
	w.done -= s.weight * s.done
	defer func() { w.done += s.weight * s.done }()
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
func (w *workload) fraction() float64 { return max(0, min(1, w.done/w.all)) }

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
	s := fmt.Sprintf("%d of %s", w.ended, printed.Count(len(w.cells), "run"))
	if left := w.secondsLeft(); left >= 1 && w.ended < len(w.cells) {
		s += fmt.Sprintf(", about %s left", printed.Duration(left))
	}
	return s
}

// Arrivals show what each experiment has found as soon as its last cell ends, while the others run: a line, and after the
// first one a curve and the report. They appear on a terminal only; the end screen repeats them.
type arrivals struct {
	t      *terminal.Terminal
	out    string
	specs  map[string]*experiments.Spec
	widest int // length of the longest id
	show   func(painted string)
	queue  chan *experiments.Spec // that have ended; nil if nothing is shown
	done   chan struct{}
}

func newArrivals(t *terminal.Terminal, out string, cells []experiments.Cell, show func(string)) *arrivals {
	ar := &arrivals{t: t, out: out, specs: map[string]*experiments.Spec{}, show: show, done: make(chan struct{})}
	for i := range cells {
		s := cells[i].Spec
		ar.specs[s.ID] = s
		ar.widest = max(ar.widest, len(s.ID))
	}
	if !t.Interactive() || len(ar.specs) < 2 {
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
	store := &records.Store{Dir: ar.out}
	for _, c := range s.Expand() {
		if f := records.Find(ar.out, c.Experiment, c.Name, nil); f.Record != nil {
			store.Records = append(store.Records, f.Whole())
		}
	}
	cases, _ := baseline.Judge([]claims.Experiment{s.Experiment()}, store.Records) // the end of the run says what is wrong with shipped verdicts
	j := cases[0]
	out := ar.t.Stderr
	ar.show(findings.Line(out, j, ar.widest, 0))
	if !first {
		return
	}
	if chart := chart(out, ar.out, j); chart != "" {
		ar.show(chart)
	}
	report := filepath.Join(ar.out, "report.html")
	if _, err := os.Stat(report); err == nil {
		return // of an earlier run, which may have more; the end of this one replaces it
	}
	if _, err := findings.Write(ar.out, cases, nil, plots.Output{Elsewhere: flags.Elsewhere(ar.out)}); err == nil {
		ar.show(out.Paint(terminal.Bold, report) + " has its figures; the others are added at the end")
	}
}

// chart draws the curves of the experiment's first figure of curves on logarithmic axes with characters. It is empty if there is no
// such figure or nothing to draw.
func chart(o *terminal.Output, out string, j claims.Case) string {
	i := slices.IndexFunc(j.Figures, func(f claims.Figure) bool {
		return f.X != "" && (f.Scale == "" || f.Scale == "loglog")
	})
	if i < 0 {
		return ""
	}
	f, err := figures.Build(out, j, j.Figures[i])
	if err != nil || f.Curves == nil {
		return ""
	}
	return o.Plot(j.Figures[i].Title, f.Curves)
}
