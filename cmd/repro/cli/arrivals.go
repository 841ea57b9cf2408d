package cli

import (
	"os"
	"path/filepath"

	"repro/experiments"
	"repro/results/records"
	"repro/runner"
)

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
	if !a.terminal() || len(ar.specs) < 2 {
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
	out := ar.app.stderr
	ar.show(out.lineOf(j, ar.widest, 0))
	if !first {
		return
	}
	if chart := out.chart(exp, store.Records); chart != "" {
		ar.show(chart)
	}
	report := filepath.Join(ar.app.out, "report.html")
	if _, err := os.Stat(report); err == nil {
		return // of an earlier run, which may have more; the end of this one replaces it
	}
	if _, err := ar.app.writeReport(store, []judged{j}); err == nil {
		ar.show(out.paint(bold, report) + " has its figures; the others are added at the end")
	}
}
