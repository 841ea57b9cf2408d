package runner

import (
	"context"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/online"
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
		m.seconds = seconds(func() { m.Iterations = f.leap(n) })
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
