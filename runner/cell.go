package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync/atomic"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/online"
	"repro/algos/parts"
	"repro/datasets"
	"repro/experiments"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner/programs"
)

// A cellRun is one cell being executed.
type cellRun struct {
	log
	left    atomic.Bool // it has ended or was given up
	share   func(*leap) // makes iterations with those of its team; nil if it is alone
	threads int
	budget  experiments.Budget
	total   int     // iterations that the budget allows, 0 if it sets no number
	seconds float64 // seconds inside Step that the budget allows, 0 if it sets none

	instance *instance
	engine   *compute.Engine
	borrowed float64 // seconds that kernel matrices took which other cells evaluated
	fit      *fit
	stepper  stepper
	foe      *opponent // that chooses the examples; nil if they are known
	prog     *program  // nil for a method of this process
	eval     *evaluator
	marks    []int // steps after which to evaluate, in order; nil for all that the stepper stops at
	progress
	resumed int // the step of the checkpoint that the cell continued from
}

// An ending says how and why a cell stopped.
type ending struct {
	status records.Status
	reason string
	limit  float64 // of [limits], if it is why
}

// group runs a cell, or the cells of a team, unless their records are complete. It puts a cell that another process runs on the
// list of held ones. It returns an error only if the whole run must stop; a cell that fails says so in its record.
//
// If ctx is cancelled, group waits for patience only: it then stops the engines, and soon leaves the cells to themselves. The
// goroutine of such cells keeps their locks until they end.
func (r *run) group(ctx context.Context, cells []*experiments.Cell, threads int) error {
	members := make([]*cellRun, len(cells))
	for i, c := range cells {
		members[i] = &cellRun{log: log{run: r, cell: c, clock: newClock(), files: map[string]string{}}, threads: threads, budget: c.Budget()}
	}
	one := func(x *cellRun) error {
		defer x.left.Store(true)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return x.protect(ctx, func() error { return x.unlessComplete(ctx) })
	}
	done := make(chan error, 1)
	go func() {
		if len(members) == 1 {
			done <- one(members[0])
		} else {
			done <- inTeam(members, one)
		}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	for range 2 { // the second time with stopped engines
		select {
		case err := <-done:
			return err
		case <-time.After(patience):
			r.stop.Store(true)
		}
	}
	for _, x := range members {
		if !x.left.Load() {
			x.warn("stopped within a long computation; %s", x.continues())
		}
	}
	return ctx.Err()
}

// patience is how long a cancelled run waits for its cells: once for each of them to end its step and write a checkpoint,
// and once for it to end after the engines were stopped.
const patience = 500 * time.Millisecond

// unlessComplete runs the cell if its record is not complete and no other process runs it.
func (x *cellRun) unlessComplete(ctx context.Context) error {
	if complete, err := x.isComplete(false); complete || err != nil {
		return err
	}
	device, err := compute.ChosenDevice()
	if err != nil {
		return err
	}
	if err := files.MakeFolder(x.Out, x.lockPath()); err != nil {
		return err
	}
	l, err := x.locks.Take(x.lockPath())
	if held := (files.HeldError{}); errors.As(err, &held) {
		x.hold(x.cell, held.By)
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot lock %s %s: %w; make the folder writable, or name another with --out", x.cell.Experiment, x.cell.Name, err)
	}
	defer l.Release()
	x.lock = l
	if complete, err := x.isComplete(true); complete || err != nil { // another process may have run it meanwhile
		return err
	}
	if err := x.clean(); err != nil {
		return err
	}
	if x.Fresh {
		if err := files.Remove(x.Out, x.checkpointPath(x.cell)); err != nil {
			return err
		}
	}
	x.engine = compute.NewEngine(compute.Options{Threads: x.threads, Precision: x.cell.Precision(), MemoryBytes: x.cell.Memory(), Device: device, Idle: &x.idle, Stop: &x.stop})
	defer func() {
		x.engine.Retire()
		x.close()
		if x.record != nil {
			x.record.Close()
		}
	}()
	return x.protect(ctx, func() error { return x.execute(ctx) })
}

// close closes the fit, if it has started.
func (x *cellRun) close() {
	defer func() {
		if v := recover(); v != nil {
			x.warn("panic while it was closed: %v", v)
		}
	}()
	if x.fit == nil {
		return
	}
	if err := algos.Close(x.fit.Fit); err != nil {
		x.warn("could not be closed: %v", err)
	}
}

// execute prepares the cell and runs it to its end.
func (x *cellRun) execute(ctx context.Context) error {
	if _, ok := x.cell.Method.Configured.(*experiments.Imported); ok {
		return x.replay()
	}
	err := x.prepare(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return x.giveUp(err)
	}
	if !x.resume() {
		if err := x.create(x.header()); err != nil {
			return err
		}
	}
	x.derive()
	x.tell(x.event(Started))
	end, err := x.iterate(ctx)
	if err != nil || end == nil {
		return err
	}
	if changed, added := x.cell.Touched(); end.status.Complete() && x.prog != nil && len(changed)+len(added) > 0 {
		x.warn("%s changed during the run, so that the next command repeats it%s", printed.List(append(changed, added...)), itself)
	}
	return x.finish(*end)
}

// derive adds to what the fit reports the discretisation parameters that are computed.
func (x *cellRun) derive() {
	report := x.fit.report
	x.fit.report = func() map[string]float64 {
		values := report()
		derived := x.cell.Spec.Derived(func(name string) (float64, bool) { v, ok := values[name]; return v, ok })
		if len(derived) == 0 {
			return values
		}
		maps.Copy(derived, values)
		return derived
	}
}

// prepare loads the data and starts the fit, or finds the program of an external method.
func (x *cellRun) prepare(ctx context.Context) (err error) {
	if x.instance, err = x.instances.of(ctx, x.cell); err != nil {
		return err
	}
	if touched, _ := x.cell.Touched(); len(touched) > 0 {
		return changed(touched)
	}
	if err := x.planned(ctx); err != nil {
		return err
	}
	p := x.instance.problem
	p.Engine, p.Keep = x.engine, x.keep()
	x.total = x.budget.Iterations(x.instance.size(), x.cell.Method.Configured)
	x.seconds = x.budget.Seconds
	if x.budget.TimeOf != "" {
		if x.seconds, err = x.timeOf(); err != nil {
			return err
		}
	}
	x.eval = newEvaluator(x.cell.Metrics(), x.instance, x.engine)
	x.eval.tally = &x.Tally
	x.marks = x.cell.Spec.Evaluate.Marks(x.total, func(at float64) int { return x.budget.StepAt(at, x.instance.size(), x.cell.Method.Configured) })
	if e, ok := x.cell.Method.Configured.(*experiments.External); ok {
		return x.program(ctx, e)
	}
	if err := x.hindsight(&p); err != nil {
		return err
	}
	if algos.TraitsOf(x.cell.Method.Configured).Online {
		stream := parts.NewStream(&p)
		stream.Tally = &x.Tally
		if x.foe != nil {
			stream.AtOnce = 1
		}
		p.Stream = stream
	}
	if err := algos.Check(&p); err != nil {
		return err
	}
	return x.start(&p)
}

// changed is the error of a cell whose files changed.
func changed(files []string) error {
	return fmt.Errorf("%s changed while the run was going on; run the same command again%s", printed.List(files), itself)
}

// itself is what to do about files that a program writes and its spec names: their cells would run again for ever.
const itself = "; a file that the program itself writes belongs into the folder that it runs in, and not in files"

// start starts the fit, and sets who makes its iterations.
func (x *cellRun) start(p *algos.Problem) error {
	var f algos.Fit
	var err error
	begin := x.cell.Method.Configured.Start
	if x.Start != nil {
		begin = func(p *algos.Problem) (algos.Fit, error) { return x.Start(x.cell, p) }
	}
	x.Setup = seconds(func() { f, err = begin(p) }) + x.borrowed
	if err != nil {
		return err
	}
	x.Counters = x.engine.Counters()
	x.fit = takeIn(f)
	x.fit.anticipate(x.instance.data.TestX) // evaluation is not training
	x.stepper = fitting{x.fit, x.engine, x.share}
	if x.foe != nil {
		x.foe.stepper, x.foe.fit, x.stepper = x.stepper, x.fit, x.foe
	}
	if x.eval.progressive() && p.Stream == nil {
		x.stepper, err = newLookahead(x.stepper, x.fit, x.cell.Method, p, x.instance.size())
	}
	return err
}

// hindsight prepares what compares the predictions with a regression on all examples so far: metrics, and the adversary that
// takes the place of the training rows if the data set is one.
func (x *cellRun) hindsight(p *algos.Problem) error {
	if err := tooLong(x.cell, x.instance.data.Train.Len()); err != nil {
		return err
	}
	if x.instance.data.Adversarial {
		x.foe = &opponent{Adversary: online.NewAdversary(p, x.cell.Data().Starts, x.cell.Data().Joint())}
		x.eval.past = x.foe.Past()
	} else if x.cell.LooksBack() {
		x.eval.past = online.NewHindsight(p)
	}
	return nil
}

// giveUp writes the record of a cell that could not start.
func (x *cellRun) giveUp(cause error) error {
	end := *failedBy(cause)
	var program programs.NotRun
	if errors.Is(cause, algos.ErrUnsupported) || errors.Is(cause, datasets.ErrMissing) || errors.As(cause, &program) {
		end.status = records.Skipped
	}
	if f := x.find(x.cell); f.Ended() && f.Complete() && !x.Fresh {
		x.warn("cannot run again, so its record is kept without its files: %v", cause)
		if err := files.Settle(x.Out, f.File); err != nil {
			return err
		}
		x.tell(Event{Cell: x.cell, Kind: Kept, Status: f.Status(), Reason: f.End.Reason, Work: 1})
		return nil
	}
	if err := x.create(x.header()); err != nil {
		return err
	}
	return x.finish(end)
}

// resume continues from the cell's checkpoint and reports whether it does. If there is one of these settings that it cannot
// continue from, it warns.
func (x *cellRun) resume() bool {
	c, err := openCheckpoint(x.checkpointPath(x.cell))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		defer c.file.Close()
		if c.Digest != x.cell.Digest {
			return false
		}
	}
	again := func(format string, args ...any) bool {
		x.warn("cannot continue from its checkpoint, so it starts again: "+format, args...)
		return false
	}
	if err != nil {
		return again("%v", err)
	}
	if c.Build != thisBuild() {
		return again("it was written by another build (%s), this one is %s", c.Build, thisBuild())
	}
	w, err := records.Resume(x.recordPath(x.cell), c.Offset)
	if err != nil {
		return again("%v", err)
	}
	if err := algos.RestoreState(c.rest, c.bytes, x.fit.State()); err != nil {
		w.Close()
		return again("%v", err)
	}
	if x.prog != nil {
		if err := x.prog.served.Restored(); err != nil {
			w.Close()
			return again("%v", err)
		}
	}
	x.record, x.progress, x.eval.evaluatorState, x.resumed = w, c.Progress, c.Eval, c.Progress.Step
	if x.foe != nil {
		x.foe.State = c.Adversary
	}
	x.checkpointed.Store(int64(x.Step))
	return true
}

// checkpoint writes a checkpoint of the cell. A program that cannot save its state has none: it starts again. If it could and fails,
// its next step says so.
func (x *cellRun) checkpoint() error {
	if x.prog == nil {
		return x.keepState()
	}
	s := x.prog.served
	if s == nil || !s.Saves() {
		return nil
	}
	var err error
	s.Save(func() { err = x.keepState() })
	return err
}

func (x *cellRun) keepState() error {
	c := &checkpoint{Progress: x.progress, Eval: x.eval.evaluatorState, state: x.fit.State()}
	if x.foe != nil {
		c.Adversary = x.foe.State
	}
	return x.save(c)
}

// finish writes the predictions, if the cell has a result, and the end line.
func (x *cellRun) finish(end ending) error {
	if err := x.lock.Lost(); err != nil {
		return err
	}
	if end.status.Complete() && end.status != records.Diverged && x.fit != nil {
		err := x.writePredictions()
		if failed := algos.Err(x.fit.Fit); errors.Is(failed, programs.ErrCancelled) {
			return failed
		} else if failed != nil {
			end, err = *endingOf(failed), nil
		}
		if err != nil {
			return err
		}
	}
	end, err := x.end(end, x.Step)
	if err != nil {
		return err
	}
	e := x.event(Ended)
	e.Status, e.Reason, e.Work = end.status, end.reason, 1
	x.tell(e)
	return nil
}

func (x *cellRun) event(kind EventKind) Event {
	e := Event{Cell: x.cell, Kind: kind, Step: x.Step, Total: x.total, Work: -1, Duration: time.Since(x.began)}
	switch {
	case x.total > 0:
		e.Work = workDone(x.cell.Method.Configured, x.instance, x.Step, x.total)
	case x.seconds > 0:
		e.Work = min(1, x.Train/x.seconds)
	}
	return e
}

// workDone returns the fraction of a fit's cost that is spent after step of total steps. The cost of additive methods
// grows with the square of the step.
func workDone(a algos.Algorithm, i *instance, step, total int) float64 {
	c, ok := a.(algos.Coster)
	if !ok || i == nil {
		return float64(step) / float64(total)
	}
	size := i.size()
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

// origin is a moment from which intervals are measured: time.Since reads one clock, and time.Now two, which takes long in a page.
var origin = time.Now()

func seconds(do func()) float64 {
	t := time.Since(origin)
	do()
	return (time.Since(origin) - t).Seconds()
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }
