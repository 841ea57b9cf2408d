package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
)

// A cellRun is one cell being executed.
type cellRun struct {
	*run
	cell    *experiments.Cell
	began   time.Time
	budget  experiments.Budget
	total   int     // iterations the budget allows, 0 if it does not say
	seconds float64 // seconds inside Step the budget allows, 0 if it does not say

	set    *instance
	engine *compute.Engine
	fit    algos.Fit // nil for a program
	prog   *program  // nil for a fit
	eval   *evaluator
	due    func(step int) bool
	next   int // the next step that is due, or the last
	record *records.Writer
	progress
	counted compute.Counters // the engine's, when last looked at
	saved   time.Time
}

// An ending is why a cell stopped.
type ending struct {
	status records.Status
	reason string
}

// cell runs one cell unless its record is complete. Its error is of the run, not of the cell.
func (r *run) cell(ctx context.Context, c *experiments.Cell, threads int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !r.Fresh {
		rec, err := records.Read(r.recordPath(c))
		if err == nil && rec.Header.Digest == c.Digest && rec.Status().Complete() {
			r.tell(Event{Cell: c, Kind: Kept, Status: rec.Status(), Reason: rec.End.Reason, Work: 1})
			return nil
		}
	} else if err := removeIfThere(r.checkpointPath(c)); err != nil {
		return err
	}
	x := &cellRun{run: r, cell: c, began: time.Now(), saved: time.Now(), budget: c.Budget()}
	x.engine = compute.NewEngine(compute.Options{Threads: threads, Precision: c.Precision(), MemoryBytes: c.Memory()})
	err := x.execute(ctx, threads)
	if x.record != nil {
		err = errors.Join(err, x.record.Close())
	}
	return err
}

func (r *run) recordPath(c *experiments.Cell) string {
	return records.Path(r.Out, c.Experiment, c.Name)
}

func (r *run) checkpointPath(c *experiments.Cell) string {
	return records.File(r.Out, "checkpoints", c.Experiment, c.Name+".gob")
}

// execute prepares the cell, then steps it to its end.
func (x *cellRun) execute(ctx context.Context, threads int) error {
	err := x.prepare(ctx, threads)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return x.giveUp(err, threads)
	}
	resumed, err := x.resume()
	if err != nil {
		return err
	}
	if !resumed {
		if x.record, err = records.Create(x.recordPath(x.cell), x.header(threads)); err != nil {
			return err
		}
	}
	x.tell(x.event(Started))
	var end *ending
	if x.prog != nil {
		end, err = x.runProgram(ctx, x.prog)
	} else {
		end, err = x.steps(ctx)
	}
	if err != nil || end == nil {
		return err
	}
	return x.finish(*end)
}

// prepare loads the data and starts the fit, or finds the program.
func (x *cellRun) prepare(ctx context.Context, threads int) (err error) {
	if x.set, err = x.instances.of(ctx, x.cell); err != nil {
		return err
	}
	p := x.set.problem
	p.Engine, p.Keep = x.engine, x.keep()
	x.total = stepsOf(x.budget, x.set.size(), x.cell.Method.Configured)
	x.seconds = x.budget.Seconds
	if x.budget.TimeOf != "" {
		if x.seconds, err = x.timeOf(); err != nil {
			return err
		}
	}
	x.eval = newEvaluator(x.cell.Spec.Evaluate.Metrics, x.set)
	if e, ok := x.cell.Method.Configured.(*experiments.External); ok {
		x.prog, err = x.program(ctx, e, threads)
		return err
	}
	x.due = evaluations(x.cell.Spec.Evaluate, x.total, x.stepAt)
	x.Setup = seconds(func() { x.fit, err = x.cell.Method.Configured.Start(&p) })
	x.count()
	if a, ok := x.fit.(algos.Anticipator); ok && err == nil {
		a.Anticipate(x.set.data.TestX)
		x.counted = x.engine.Counters() // evaluation is not training
	}
	return err
}

// stepAt returns the step that ends so many epochs, or steps if the budget has no epochs.
func (x *cellRun) stepAt(at float64) int {
	if _, ok := x.cell.Method.Configured.(algos.Batcher); ok && x.budget.Epochs > 0 {
		return stepsOf(experiments.Budget{Epochs: at}, x.set.size(), x.cell.Method.Configured)
	}
	return int(math.Round(at))
}

// timeOf returns the seconds inside Step of the cell this one is to match.
func (x *cellRun) timeOf() (float64, error) {
	if len(x.cell.Needs) == 0 {
		return 0, fmt.Errorf("budget.time_of: the plan has no cell of method %s with seed %d; run it too", x.budget.TimeOf, x.cell.Seed)
	}
	path := records.Path(x.Out, x.cell.Experiment, x.cell.Needs[0])
	rec, err := records.Read(path)
	if err != nil || !rec.Status().Complete() || len(rec.Points) == 0 {
		return 0, fmt.Errorf("budget.time_of: %s is not complete, so its time is unknown; run method %s too", path, x.budget.TimeOf)
	}
	return rec.Points[len(rec.Points)-1].Timing.Train, nil
}

// giveUp records a cell that could not start.
func (x *cellRun) giveUp(cause error, threads int) (err error) {
	end := ending{records.Failed, cause.Error()}
	var program notRun
	if errors.Is(cause, algos.ErrUnsupported) || errors.Is(cause, datasets.ErrMissing) || errors.As(cause, &program) {
		end.status = records.Skipped
	}
	if x.record, err = records.Create(x.recordPath(x.cell), x.header(threads)); err != nil {
		return err
	}
	return x.finish(end)
}

// resume goes on from the cell's checkpoint, if it has one.
func (x *cellRun) resume() (bool, error) {
	c, err := loadCheckpoint(x.checkpointPath(x.cell), x.cell.Digest)
	if err != nil || c == nil {
		return false, err
	}
	w, err := records.Resume(x.recordPath(x.cell), c.Offset)
	if err != nil {
		return false, nil // the record is gone or shorter: start again
	}
	if err := restoreState(x.fit, c.State); err != nil {
		return false, errors.Join(fmt.Errorf("checkpoint %s: %w; remove it, or run with --fresh", x.checkpointPath(x.cell), err), w.Close())
	}
	x.record, x.progress, x.eval.evaluatorState = w, c.Progress, c.Eval
	return true, nil
}

// save checkpoints the cell.
func (x *cellRun) save() error {
	state, err := encodeState(x.fit)
	if err != nil {
		return err
	}
	x.saved = time.Now()
	c := checkpoint{Digest: x.cell.Digest, Offset: x.record.Offset(), Progress: x.progress, Eval: x.eval.evaluatorState, State: state}
	return c.save(x.checkpointPath(x.cell))
}

// steps drives the fit to its end. A nil ending means the run was cancelled; the cell has a
// checkpoint then.
func (x *cellRun) steps(ctx context.Context) (*ending, error) {
	told := time.Now()
	for {
		if ctx.Err() != nil {
			return nil, errors.Join(x.save(), ctx.Err())
		}
		end, err := x.step()
		if err != nil {
			return &ending{records.Failed, err.Error()}, nil
		}
		if end != nil {
			return end, nil
		}
		if time.Since(x.saved) >= x.Checkpoint {
			if err := x.save(); err != nil {
				return nil, err
			}
		}
		if time.Since(told) > 100*time.Millisecond {
			x.tell(x.event(Advanced))
			told = time.Now()
		}
	}
}

// step makes one iteration and evaluates it if it is due. The error is the fit's.
func (x *cellRun) step() (*ending, error) {
	var p algos.Progress
	var err error
	made := 1
	x.Train += seconds(func() {
		if l, ok := x.fit.(algos.Leaper); ok && x.seconds == 0 {
			made, p, err = l.Leap(x.untilDue())
		} else {
			p, err = x.fit.Step()
		}
	})
	x.count()
	x.Step += made - 1 // the last of them follows
	if errors.Is(err, algos.ErrDiverged) {
		return &ending{records.Diverged, err.Error()}, x.diverge()
	}
	if err != nil {
		return nil, err
	}
	x.Step++
	x.Seen += int64(p.Seen)

	var end *ending
	switch {
	case p.Done:
		end = &ending{records.Done, fmt.Sprintf("the method was done after %d steps", x.Step)}
	case x.total > 0 && x.Step >= x.total:
		end = &ending{records.Budget, fmt.Sprintf("%d steps", x.total)}
	case x.seconds > 0 && x.Train >= x.seconds:
		end = &ending{records.Budget, fmt.Sprintf("%.6g s inside steps, of %.6g", x.Train, x.seconds)}
	}
	if end == nil && !x.due(x.Step) {
		return nil, nil
	}
	values, finite, err := x.eval.measure(x.fit, x.Step)
	x.counted = x.engine.Counters() // evaluation is not training
	if err != nil {
		return nil, err
	}
	if !finite {
		end = &ending{records.Diverged, fmt.Sprintf("a test prediction after step %d is not a finite number", x.Step)}
	}
	return end, x.point(values)
}

// untilDue returns how many iterations there are to the next evaluation or the end.
func (x *cellRun) untilDue() int {
	if x.next <= x.Step {
		x.next = x.Step + 1
		for x.next < x.total && !x.due(x.next) {
			x.next++
		}
	}
	return x.next - x.Step
}

// diverge writes the point of a step that failed: no values.
func (x *cellRun) diverge() error {
	x.Step++
	return x.point(x.eval.nothing())
}

func (x *cellRun) point(values map[string]*float64) error {
	c := x.Counters
	counters := records.Counters{KernelEvals: c.KernelEvals, FeatureEvals: c.FeatureEvals, Flops: c.Flops, Bytes: c.Bytes}
	if s, ok := x.fit.(algos.Sizer); ok {
		counters.Memory = s.Footprint()
	}
	return x.record.Point(records.Point{
		Step: x.Step, Seen: x.Seen, Epoch: float64(x.Seen) / float64(x.set.problem.Train.Len()),
		Counters: counters, Values: values,
		Timing: records.PointTiming{Setup: x.Setup, Train: x.Train},
	})
}

// count adds what the engine spent since it was last looked at to the training's counters.
func (x *cellRun) count() {
	now := x.engine.Counters()
	x.Counters = x.Counters.Add(now.Sub(x.counted))
	x.counted = now
}

// finish writes what a complete cell leaves: predictions, then the end line.
func (x *cellRun) finish(end ending) error {
	if end.status.Complete() && end.status != records.Diverged {
		if err := x.writePredictions(); err != nil {
			return err
		}
	}
	err := x.record.End(records.End{
		Status: end.status, Reason: end.reason, Steps: x.Step,
		Timing: records.EndTiming{Finished: now(), Wall: time.Since(x.began).Seconds()},
	})
	if err == nil {
		err = removeIfThere(x.checkpointPath(x.cell))
	}
	e := x.event(Ended)
	e.Status, e.Reason, e.Work = end.status, end.reason, 1
	x.tell(e)
	return err
}

// header describes the cell. What could not be resolved, because it did not start, is left out.
func (x *cellRun) header(threads int) records.Header {
	c, m := x.cell, x.machine
	h := records.Header{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Label: c.Method.Label,
		Algorithm: c.Method.Algorithm, Seed: c.Seed, Profile: c.Spec.Profile, Settings: c.Settings, Digest: c.Digest,
		Provenance: records.Provenance{
			Version: m.version, Commit: m.commit, Dirty: m.dirty, Go: m.goVersion,
			Precision: string(x.engine.Precision()), Timed: c.Spec.Repeat.Timed,
		},
		Timing: records.HeaderTiming{Started: now(), Host: m.host, CPU: m.cpu, Threads: threads},
	}
	if x.seconds > 0 {
		h.Provenance.Exempt = fmt.Sprintf("a budget of %.6g seconds ends it", x.seconds)
	}
	if x.prog != nil {
		h.Provenance.External = &x.prog.record
	}
	if x.set != nil {
		h.Resolved = x.set.resolved
		h.Provenance.Substitute = x.set.data.Substitute
		for _, f := range x.set.data.Files {
			h.Provenance.Data = append(h.Provenance.Data, records.DataDigest{Name: f.Name, SHA256: f.SHA256, Rows: f.Rows})
		}
	}
	return h
}

func (x *cellRun) event(kind EventKind) Event {
	e := Event{Cell: x.cell, Kind: kind, Step: x.Step, Total: x.total, Work: -1, Duration: time.Since(x.began)}
	switch {
	case x.total > 0:
		e.Work = workDone(x.cell.Method.Configured, x.set, x.Step, x.total)
	case x.seconds > 0:
		e.Work = min(1, x.Train/x.seconds)
	}
	return e
}

// workDone is the part of a fit's cost spent after some of its steps: the cost of additive methods
// grows with the square of the step.
func workDone(a algos.Algorithm, s *instance, step, total int) float64 {
	c, ok := a.(algos.Coster)
	if !ok || s == nil {
		return float64(step) / float64(total)
	}
	size := s.size()
	work := func(steps int) float64 {
		size.Steps = steps
		cost := c.Cost(size)
		return cost.FeatureEvals + cost.KernelEvals + cost.Flops + 2*float64(size.Out)*cost.Reads
	}
	if all := work(total); all > 0 {
		return min(1, work(step)/all)
	}
	return float64(step) / float64(total)
}

func seconds(do func()) float64 {
	t := time.Now()
	do()
	return time.Since(t).Seconds()
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}
