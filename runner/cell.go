package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/datasets"
	"repro/datasets/locks"
	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
)

// A cellRun is one cell being executed.
type cellRun struct {
	*run
	cell    *experiments.Cell
	team    *team // of cells that it makes iterations with; nil if it is alone
	began   time.Time
	budget  experiments.Budget
	total   int     // iterations that the budget allows, 0 if it sets no number
	seconds float64 // seconds inside Step that the budget allows, 0 if it sets none

	instance *instance
	engine   *compute.Engine
	fit      *fit
	stepper  stepper
	foe      *adversary // that chooses the examples; nil if they are known
	prog     *program   // nil for a fit
	eval     *evaluator
	marks    []int      // steps after which to evaluate, in order
	lock     locks.Lock // nil before the cell has it
	record   *records.Writer
	ended    bool              // the record has an end line
	files    map[string]string // SHA-256 of the files written besides the record, by name
	progress
	resumed      int           // the step of the checkpoint that the cell continued from
	saved        time.Time     // when the last checkpoint was written
	saving       time.Duration // how long that took
	checkpointed atomic.Int64  // the step of the last checkpoint
}

// An ending says how and why a cell stopped.
type ending struct {
	status records.Status
	reason string
}

// cell runs one cell unless its record is complete. If another process runs the cell, it puts the cell on the list of held
// ones. It returns an error only if the whole run must stop; a cell that fails says so in its record.
//
// If ctx is cancelled, cell waits for patience only: it then stops the engines, and soon leaves the cell to itself. The
// goroutine of such a cell keeps its lock until it ends.
func (r *run) cell(ctx context.Context, c *experiments.Cell, t *team, threads int) error {
	x := &cellRun{run: r, cell: c, team: t, began: time.Now(), saved: time.Now(), budget: c.Budget(), files: map[string]string{}}
	done := make(chan error, 1)
	go func() {
		t.enter()
		defer t.leave()
		if ctx.Err() != nil {
			done <- ctx.Err()
			return
		}
		done <- x.protect(ctx, threads, func() error { return x.unlessComplete(ctx, threads) })
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
	x.warn("stopped within a long computation; %s", x.continues())
	return ctx.Err()
}

// patience is how long a cancelled run waits for its cells: once for each of them to end its step and write a checkpoint,
// and once for it to end after the engines were stopped.
const patience = 500 * time.Millisecond

// continues returns in words where the next run of an abandoned cell begins.
func (x *cellRun) continues() string {
	if step := x.checkpointed.Load(); step > 0 {
		return fmt.Sprintf("the next run continues after step %d", step)
	}
	return "the next run starts the cell again"
}

// unlessComplete runs the cell if its record is not complete and no other process runs it.
func (x *cellRun) unlessComplete(ctx context.Context, threads int) error {
	if x.isComplete(false) {
		if _, err := os.Lstat(x.lockPath()); err == nil { // of a process that was killed after the end line
			if l, err := x.locks.Take(x.lockPath()); err == nil {
				l.Release()
			}
		}
		return nil
	}
	if err := records.MakeFolder(x.Out, x.lockPath()); err != nil {
		return err
	}
	l, err := x.locks.Take(x.lockPath())
	if held := (locks.HeldError{}); errors.As(err, &held) {
		x.hold(x.cell, held.By)
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot lock %s %s: %w; make the folder writable, or name another with --out", x.cell.Experiment, x.cell.Name, err)
	}
	defer l.Release()
	x.lock = l
	if x.isComplete(true) { // another process may have run it meanwhile
		return nil
	}
	if err := x.clean(); err != nil {
		return err
	}
	if x.Fresh {
		if err := removeIfThere(x.checkpointPath(x.cell)); err != nil {
			return err
		}
	}
	x.engine = compute.NewEngine(compute.Options{Threads: threads, Precision: x.cell.Precision(), MemoryBytes: x.cell.Memory(), Idle: &x.idle, Stop: &x.stop})
	defer func() {
		x.engine.Retire()
		if x.record != nil {
			x.record.Close()
		}
	}()
	return x.protect(ctx, threads, func() error { return x.execute(ctx, threads) })
}

// isComplete reports whether the cell has a complete record and all files that the record names. If locked, it warns of a
// file that is not as it should be.
func (x *cellRun) isComplete(locked bool) bool {
	if x.Fresh {
		return false
	}
	rec, err := records.Read(x.recordPath(x.cell))
	if err != nil || !x.cell.Ran(rec.Header) || !rec.Status().Complete() {
		return false
	}
	if what := DamagedFile(x.Out, rec); what != "" {
		if locked {
			x.warn("%s; the cell runs again", what)
		}
		return false
	}
	x.tell(Event{Cell: x.cell, Kind: Kept, Status: rec.Status(), Reason: rec.End.Reason, Work: 1})
	return true
}

func (r *run) recordPath(c *experiments.Cell) string {
	return records.Path(r.Out, c.Experiment, c.Name)
}

func (r *run) checkpointPath(c *experiments.Cell) string {
	return records.File(r.Out, "checkpoints", c.Experiment, c.Name+".gob")
}

func (x *cellRun) lockPath() string {
	return records.File(x.Out, locksFolder, x.cell.Experiment, x.cell.Name+".lock")
}

// execute prepares the cell and runs it to its end.
func (x *cellRun) execute(ctx context.Context, threads int) error {
	err := x.prepare(ctx, threads)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return x.giveUp(err, threads)
	}
	if !x.resume() {
		if err := x.create(threads); err != nil {
			return err
		}
	}
	x.tell(x.event(Started))
	end, err := x.iterate(ctx)
	if err != nil || end == nil {
		return err
	}
	return x.finish(*end)
}

// prepare loads the data and starts the fit, or finds the program of an external method.
func (x *cellRun) prepare(ctx context.Context, threads int) (err error) {
	if x.instance, err = x.instances.of(ctx, x.cell); err != nil {
		return err
	}
	if files := x.cell.Touched(); len(files) > 0 {
		return fmt.Errorf("%s changed while the run was going on; run the same command again", printed.List(files))
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
	x.eval = newEvaluator(x.cell.Spec.Evaluate.Metrics, x.instance, x.engine)
	x.eval.tally = &x.Tally
	if e, ok := x.cell.Method.Configured.(*experiments.External); ok {
		if x.prog, err = x.program(ctx, e, threads); err == nil {
			x.fit, x.stepper = takeIn(x.prog), x.prog
		}
		return err
	}
	x.marks = x.cell.Spec.Evaluate.Marks(x.total, func(at float64) int { return x.budget.StepAt(at, x.instance.size(), x.cell.Method.Configured) })
	if err := x.hindsight(&p); err != nil {
		return err
	}
	if _, ok := x.cell.Method.Configured.(algos.Online); ok {
		stream := parts.NewStream(&p)
		stream.Tally = &x.Tally
		if x.foe != nil {
			stream.AtOnce = 1
		}
		p.Stream = stream
	}
	return x.start(&p)
}

// start starts the fit, and sets who makes its iterations.
func (x *cellRun) start(p *algos.Problem) error {
	var f algos.Fit
	var err error
	x.Setup = seconds(func() { f, err = x.cell.Method.Configured.Start(p) })
	if err != nil {
		return err
	}
	x.Counters = x.engine.Counters()
	x.fit = takeIn(f)
	x.fit.anticipate(x.instance.data.TestX) // evaluation is not training
	x.stepper = fitting{x.fit, x.team, x.engine}
	if x.foe != nil {
		x.foe.fit, x.foe.stepper, x.stepper = x.fit, x.stepper, x.foe
	}
	if x.eval.progressive() && p.Stream == nil {
		x.stepper, err = newLookahead(x.stepper, x.fit, x.cell.Method, p, x.instance.size())
	}
	return err
}

// hindsight prepares what compares the predictions with a regression on all examples so far: metrics, and the adversary that
// takes the place of the training rows if the data set is one.
func (x *cellRun) hindsight(p *algos.Problem) error {
	if err := tooLong(x.cell.Spec.Evaluate, p.Train.Len()); err != nil {
		return err
	}
	if x.instance.data.Adversarial {
		x.foe = newAdversary(p, x.cell.Data())
		x.eval.past = x.foe.past
	} else if x.cell.Spec.Evaluate.LooksBack() {
		x.eval.past = newHindsight(p)
	}
	return nil
}

// giveUp writes the record of a cell that could not start.
func (x *cellRun) giveUp(cause error, threads int) error {
	end := ending{records.Failed, cause.Error()}
	var program notRun
	if errors.Is(cause, algos.ErrUnsupported) || errors.Is(cause, datasets.ErrMissing) || errors.As(cause, &program) {
		end.status = records.Skipped
	}
	if rec, err := records.Read(x.recordPath(x.cell)); err == nil && !x.Fresh && x.cell.Ran(rec.Header) && rec.Status().Complete() {
		x.warn("cannot run again, so its record is kept without its files: %v", cause)
		x.tell(Event{Cell: x.cell, Kind: Kept, Status: rec.Status(), Reason: rec.End.Reason, Work: 1})
		return nil
	}
	if err := x.create(threads); err != nil {
		return err
	}
	return x.finish(end)
}

// create starts the cell's record.
func (x *cellRun) create(threads int) error {
	if err := x.makeWay(); err != nil {
		return err
	}
	w, err := records.Create(x.recordPath(x.cell), x.header(threads))
	x.record = w
	return err
}

// resume continues from the cell's checkpoint and reports whether it does. If there is one of these settings that it cannot
// continue from, it warns.
func (x *cellRun) resume() bool {
	c, err := loadCheckpoint(x.checkpointPath(x.cell))
	if errors.Is(err, fs.ErrNotExist) || err == nil && c.Digest != x.cell.Digest {
		return false
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
	if err := restoreState(x.fit, c.State); err != nil {
		w.Close()
		return again("%v", err)
	}
	x.record, x.progress, x.eval.evaluatorState, x.resumed = w, c.Progress, c.Eval, c.Progress.Step
	if x.foe != nil {
		x.foe.adversaryState = c.Adversary
	}
	x.checkpointed.Store(int64(x.Step))
	return true
}

// checkpoint writes a checkpoint of the cell. A program has none: it starts again.
func (x *cellRun) checkpoint() error {
	if x.prog != nil {
		return nil
	}
	begun := time.Now()
	if err := x.lock.Lost(); err != nil {
		return err
	}
	state, err := encodeState(x.fit)
	if err != nil {
		return err
	}
	c := checkpoint{Digest: x.cell.Digest, Build: thisBuild(), Offset: x.record.Offset(), Progress: x.progress, Eval: x.eval.evaluatorState, State: state}
	if x.foe != nil {
		c.Adversary = x.foe.adversaryState
	}
	path := x.checkpointPath(x.cell)
	if err := records.MakeFolder(x.Out, path); err != nil {
		return err
	}
	if err := c.save(path); err != nil {
		return err
	}
	x.checkpointed.Store(int64(x.Step))
	x.saved, x.saving = time.Now(), time.Since(begun)
	return nil
}

// wantsCheckpoint says whether it is time for a checkpoint.
func (x *cellRun) wantsCheckpoint() bool {
	apart := x.Checkpoint
	if apart == 0 {
		apart = max(5*time.Second, 20*x.saving)
	}
	return time.Since(x.saved) >= apart
}

// finish writes the predictions, if the cell is complete, and the end line. If the record is no longer where it was
// created, the cell fails.
func (x *cellRun) finish(end ending) error {
	if err := x.lock.Lost(); err != nil {
		return err
	}
	if end.status.Complete() && end.status != records.Diverged {
		if err := x.writePredictions(); err != nil {
			return err
		}
	}
	x.ended = true
	err := x.record.End(records.End{
		Status: end.status, Reason: end.reason, Steps: x.Step, Files: x.files,
		Timing: records.EndTiming{Finished: now(), Wall: time.Since(x.began).Seconds()},
	})
	if err == nil {
		err = removeIfThere(x.checkpointPath(x.cell))
	}
	if gone := x.record.InPlace(); gone != nil && err == nil {
		end = ending{records.Failed, gone.Error()}
	}
	e := x.event(Ended)
	e.Status, e.Reason, e.Work = end.status, end.reason, 1
	x.tell(e)
	return err
}

// warn tells of something that the user should know about the cell.
func (x *cellRun) warn(format string, args ...any) {
	x.tell(Event{Cell: x.cell, Kind: Warned, Reason: fmt.Sprintf(format, args...), Work: -1})
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
