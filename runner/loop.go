package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repro/algos"
	"repro/results/records"
	"repro/runner/programs"
)

// iterate makes the iterations of the cell, writes its points, and returns how it ended. A nil ending means that the run was
// cancelled and the cell has a checkpoint.
func (x *cellRun) iterate(ctx context.Context) (*ending, error) {
	for {
		if ctx.Err() != nil {
			return nil, errors.Join(x.checkpoint(), ctx.Err())
		}
		m := x.stepper.advance(ctx, &x.progress, x.untilDue())
		if m.none() {
			continue
		}
		end := x.add(m)
		if _, due := slices.BinarySearch(x.marks, x.Step); due || end != nil || x.marks == nil {
			end = x.evaluate(end)
		}
		if end != nil {
			return end, nil
		}
		if end := x.beyond(); end != nil { // its checkpoint is where it goes on
			return end, x.checkpoint()
		}
		if x.checkpointDue(x.Checkpoint) {
			if err := x.checkpoint(); err != nil {
				return nil, err
			}
		}
		if x.tellDue() {
			x.tell(x.event(Advanced))
		}
	}
}

// add counts what was made. It returns why nothing follows, nil if more does.
func (x *cellRun) add(m made) *ending {
	x.Step += m.Made
	x.Train += m.seconds
	x.Counters = x.Counters.Add(m.counters)
	if m.Err != nil {
		end := endingOf(m.Err)
		if end.status != records.Diverged {
			x.Step--
		}
		return end
	}
	x.Seen += int64(m.Progress.Seen)
	switch {
	case m.Progress.Done && x.prog != nil:
		return &ending{records.Done, "the program is done", 0}
	case m.Progress.Done:
		return &ending{records.Done, fmt.Sprintf("the method was done after %d steps", x.Step), 0}
	case x.total > 0 && x.Step >= x.total:
		return &ending{records.Budget, fmt.Sprintf("%d steps", x.total), 0}
	case x.seconds > 0 && x.Train >= x.seconds:
		return &ending{records.Budget, fmt.Sprintf("%.6g s inside steps, of %.6g", x.Train, x.seconds), 0}
	}
	return nil
}

// endingOf returns how a cell ends with an error.
func endingOf(err error) *ending {
	if errors.Is(err, algos.ErrDiverged) {
		return &ending{records.Diverged, err.Error(), 0}
	}
	return failedBy(err)
}

// failedBy returns the ending of a cell that failed.
func failedBy(err error) *ending {
	if e := (*limitError)(nil); errors.As(err, &e) {
		return (*ending)(e)
	}
	if errors.Is(err, programs.ErrTimeout) {
		return &ending{records.Timeout, err.Error(), 0}
	}
	return &ending{records.Failed, err.Error(), 0}
}

// evaluate writes a point: without values if the iterate diverged, and none if the cell ends without a result.
func (x *cellRun) evaluate(end *ending) *ending {
	if end != nil && !end.status.Complete() {
		return end
	}
	values, diverged, err := x.eval.nothing(), "", error(nil)
	if end == nil || end.status != records.Diverged {
		values, diverged, err = x.eval.measure(x.fit, x.Step)
	}
	if diverged != "" {
		end = &ending{records.Diverged, fmt.Sprintf("%s after step %d is not a finite number", diverged, x.Step), 0}
	}
	if errors.Is(err, programs.ErrCancelled) {
		return nil
	}
	if errors.Is(err, algos.ErrDiverged) {
		end, values, err = endingOf(err), x.eval.nothing(), nil
	}
	if err == nil {
		err = x.point(values)
	}
	if err != nil {
		return endingOf(err)
	}
	return end
}

// point writes a point of the record.
func (x *cellRun) point(values map[string]*float64) error {
	c, epoch := x.Counters, 0.0
	if n := x.instance.data.Train.Len(); n > 0 {
		epoch = float64(x.Seen) / float64(n)
	}
	return x.record.Point(records.Point{
		Step: x.Step, Seen: x.Seen, Epoch: epoch,
		Counters: records.Counters{KernelEvals: c.KernelEvals, FeatureEvals: c.FeatureEvals, Flops: c.Flops, Bytes: c.Bytes, Memory: x.fit.footprint()},
		Values:   values,
		Timing:   records.PointTiming{Setup: x.Setup, Train: x.Train},
	})
}

// untilDue returns the number of iterations up to the next evaluation or the end: 1 if the clock, or nothing, sets the end.
func (x *cellRun) untilDue() int {
	if x.seconds > 0 {
		return 1
	}
	next := x.total
	if i, _ := slices.BinarySearch(x.marks, x.Step+1); i < len(x.marks) {
		next = min(next, x.marks[i])
	}
	return max(1, next-x.Step)
}

// timeOf returns the seconds that the cell named by budget.time_of spent inside Step.
func (x *cellRun) timeOf() (float64, error) {
	if len(x.cell.Needs) == 0 {
		return 0, fmt.Errorf("budget.time_of: the plan has no run of method %s with seed %d; run it too", x.budget.TimeOf, x.cell.Seed)
	}
	f := records.Find(x.Out, x.cell.Experiment, x.cell.Needs[0], nil)
	if !f.Complete() || len(f.Points) == 0 {
		path := records.Path(x.Out, x.cell.Experiment, x.cell.Needs[0])
		return 0, fmt.Errorf("budget.time_of: %s is not complete, so its time is unknown; run method %s too", path, x.budget.TimeOf)
	}
	return f.Points[len(f.Points)-1].Timing.Train, nil
}
