package runner

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/online"
	"repro/algos/parts"
	"repro/experiments"
)

// A stepper makes the iterations of a cell. Steppers wrap each other: what one does before it calls the next, such as choosing
// an example, is no training.
type stepper interface {
	// advance makes at least one iteration and at most n, after those of so. It makes none if ctx was cancelled.
	advance(ctx context.Context, so *progress, n int) made
}

// made is what was made, and what the training in it took. Of iterations with an error the last was not made.
type made struct {
	algos.Iterations
	seconds  float64
	counters compute.Counters
}

// none says whether nothing was made, because the run was cancelled.
func (m made) none() bool { return m.Made == 0 && m.Err == nil && !m.Progress.Done }

// fitting makes the iterations of a fit, with those of its team if it has one.
type fitting struct {
	*fit
	engine *compute.Engine
	share  func(*leap) // lets the team make them; nil if there is none
}

func (f fitting) advance(_ context.Context, so *progress, n int) (m made) {
	before := f.engine.Counters()
	if f.share == nil {
		m.seconds = seconds(func() { m.Iterations = f.leap(n)[0] })
	} else {
		l := &leap{fit: f.fit, step: so.Step, n: n}
		if f.share(l); l.panicked != nil {
			panic(l.panicked)
		}
		m = l.made
	}
	m.counters = f.engine.Counters().Sub(before)
	return m
}

// An opponent is an adversary that chooses each example before a fit learns it.
type opponent struct {
	*online.Adversary
	stepper // of the fit
	fit     *fit
}

// advance implements stepper.
func (o *opponent) advance(ctx context.Context, so *progress, _ int) made {
	o.Choose(o.fit, so.Seen)
	if err := algos.Err(o.fit.Fit); err != nil {
		return made{Iterations: algos.Iterations{Made: 1, Err: err}}
	}
	return o.stepper.advance(ctx, so, 1)
}

// A fit is a Fit with its abilities, of which it was asked once.
type fit struct {
	algos.Fit
	leap        func(n int, others ...algos.Fit) []algos.Iterations // makes one iteration unless the Fit is a Leaper
	incremental algos.Incremental                                   // nil if it is none
	fitter      algos.Fitter                                        // nil if it is none
	average     func() algos.Model                                  // nil if the Fit has none
	report      func() map[string]float64                           // nil numbers if the Fit has none
	anticipate  func(x compute.Matrix)
	footprint   func() int64 // 0 if it is unknown
}

// takeIn asks a Fit for its abilities.
func takeIn(f algos.Fit) *fit {
	t := &fit{
		Fit:        f,
		leap:       func(int, ...algos.Fit) []algos.Iterations { return []algos.Iterations{algos.Step(f)} },
		average:    func() algos.Model { return nil },
		report:     func() map[string]float64 { return nil },
		anticipate: func(compute.Matrix) {},
		footprint:  func() int64 { return 0 },
	}
	if l, ok := f.(algos.Leaper); ok {
		t.leap = l.Leap
	}
	t.incremental, _ = f.(algos.Incremental)
	t.fitter, _ = f.(algos.Fitter)
	if a, ok := f.(algos.Averager); ok {
		t.average = a.Average
	}
	if r, ok := f.(algos.Reporter); ok {
		t.report = r.Report
	}
	if a, ok := f.(algos.Anticipator); ok {
		t.anticipate = a.Anticipate
	}
	if s, ok := f.(algos.Sizer); ok {
		t.footprint = s.Footprint
	}
	return t
}

// A lookahead predicts the examples that a fit is about to learn from, in the order in which all methods visit them, so that
// a method of batches can be compared with online ones.
type lookahead struct {
	stepper
	fit   *fit
	order parts.Order
	batch int
}

func newLookahead(s stepper, f *fit, m experiments.Method, p *algos.Problem, size algos.Size) (*lookahead, error) {
	t := algos.TraitsOf(m.Configured)
	order, err := parts.NewSampling(m.Algorithm, p, t.Replacement)
	return &lookahead{s, f, order, t.BatchAt(size)}, err
}

// advance implements stepper. It adds the predictions for the next batch to the tally.
func (l *lookahead) advance(ctx context.Context, so *progress, _ int) made {
	_, x, y := l.order.Batch(so.Seen, l.batch)
	u := l.fit.Model().Predict(x)
	if err := algos.Err(l.fit.Fit); err != nil {
		return made{Iterations: algos.Iterations{Made: 1, Err: err}}
	}
	for i := range u.Rows {
		so.Tally.Add(u.Row(i), y.Row(i))
	}
	return l.stepper.advance(ctx, so, 1)
}

// A leap is the wish of a cell of a team to make iterations, and what became of it.
type leap struct {
	fit      *fit // a Leaper
	step, n  int  // iterations made, and wanted at most
	made     made // by the fit, with its part of the time
	panicked error
	goOn     func() (next *leap, more bool) // lets the cell continue to its next wish, or to its end
}

// inTeam runs cells whose fits share work, because they differ in their step sizes only (algos.Traits.Shared). Each cell runs as it
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
	done := cells[0].fit.leap(n, others...)
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
	settings := algos.TraitsOf(c.Method.Configured).Shared
	if b := c.Budget(); settings == nil || c.Spec.Alone() || len(c.Needs) > 0 || b.Seconds > 0 || b.TimeOf != "" {
		return teamKey{}, false
	}
	key := teamKey{sharedBy(c), fmt.Sprintf("%v %+v %+v %s %d", c.Loss(), c.Problem(), c.Budget(), c.Precision(), c.Memory()), settings}
	return key, true
}
