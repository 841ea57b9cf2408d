// Package runner executes the cells of a plan. It owns everything around a fit: seeds, the clock,
// budgets, evaluation, checkpoints and provenance. It writes records, predictions and checkpoints.
//
// # Streams and adversaries
//
// The runner owns the stream of an online method, so it counts the losses of predictions before their targets are known,
// and the checkpoint has them. A method of batches can be compared on these metrics: each batch is predicted before the
// method learns from it (steppers.go), outside the clock. Metrics of regret compare with ridge regression on all
// examples so far (algos/online). Where the data set is an adversary, the runner chooses each example against the fit's
// Model before the step.
//
// # Checkpoints
//
// A checkpoint holds the fit's state, the running predictions, the runner's counts and the byte offset of its record. It
// is written to a file beside the old one and renamed. Resuming verifies the record up to that offset, truncates it there,
// and computes the points after it again, to the same bytes. A checkpoint begins with its SHA-256, and nothing of it is
// decoded unless that matches. It names the build that wrote it: commit, Go version, architecture, instruction set, and the
// hash of the executable if no commit identifies the sources. If it is damaged or of another build, or its record is not as
// it was, the cell starts again and the run says why.
//
// # Several processes
//
// One process at a time writes the files of a cell. It holds locks/<experiment>/<cell>.lock, which the kernel releases when
// the process ends; where the file system has no locks, a file with a heartbeat replaces it. A run that finds a cell locked
// runs its other cells first and then waits. Shards of one plan are the same on all machines, because they are cut by the
// costs of a typical processor; package shards has their leases.
//
// # Packs
//
// A run of a part of a plan of very many cells (records.Many) gathers the complete records of an experiment in packs: whenever this
// process has ended or kept some hundreds of its cells, and at the end of the run.
//
// # Ends
//
// A panic in a cell ends that cell: its record says failed, and failures/<experiment>/<cell>.txt has the stack and the
// command that reproduces it. A cancelled run gives its cells half a second to end their step and write a checkpoint, then
// stops their engines, which panic with compute.ErrStopped at the next tile, and half a second later returns without them. An
// abandoned cell keeps its lock until its goroutine ends. The end line of a record names the files that the cell wrote
// below predictions, with their SHA-256. When a cell ends, its record must still be the file that it opened, and when the
// run ends, all records must be there; otherwise the cell fails.
//
// An external program that ends before it has replied or printed a point, in no cell of its method so far, ends the run: all other
// cells would end like that. They have no records, and the next run begins with them.
//
// # Side by side
//
// Timed experiments run their cells alone with all threads; others run side by side with one thread each. Cells that may
// store more than the default memory run alone too, those of one kernel after each other, and the latest kernel matrix is
// kept for the cells that follow: an engine that adopts it counts its cost once more, so no record depends on which cell ran
// first. Cells of a grid of step sizes advance in step (steppers.go), and each keeps its own record, checkpoint and end.
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"repro/algos"
	"repro/datasets"
	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
	"repro/runner/programs"
)

// Options say how to run cells. They change no number, except that of a run with a budget in seconds.
type Options struct {
	Out        string            // folder that records, checkpoints and predictions are written to
	Threads    int               // number of processors to use; 0 means all
	Fresh      bool              // run cells again even if their records are complete, and replace any record
	Library    *datasets.Library // opens the data
	Checkpoint time.Duration     // time between checkpoints of a cell; 0 means 5 s, or 20 times what the last one took if that is longer
	Observe    func(Event)       // called at every event, from several goroutines but once at a time; may be nil

	AllowExternal bool // run the programs of external methods; if false they are skipped
	Planned       int  // number of cells of the plan, if Run has a part of it only; it decides whether records are packed

	// Start starts the fit of a cell in place of its method, whose settings the record has all the same: a campaign of deliberate
	// faults sets it (package sabotage). Nil is the method's own Start.
	Start func(c *experiments.Cell, p *algos.Problem) (algos.Fit, error)

	// Command returns the command that runs a cell again from its start, for the report of a panic. It may be nil.
	Command func(*experiments.Cell) string
}

// An Event is something that happened to a cell.
type Event struct {
	Cell     *experiments.Cell
	Kind     EventKind
	Step     int     // iterations done
	Total    int     // iterations in all, 0 if the budget does not say
	Work     float64 // fraction of the cell's expected cost that is spent, 0 to 1; negative if unknown
	Status   records.Status
	Reason   string
	Duration time.Duration // since the cell started in this process
}

// EventKind says what happened.
type EventKind int

const (
	Started  EventKind = iota // the cell starts, or continues from a checkpoint
	Advanced                  // the cell has made more steps
	Ended                     // the cell has ended and its record is written
	Kept                      // the cell did not run, because its record is complete
	Waiting                   // the run waits for the process that runs the cell, which Reason names
	Lost                      // the record of a cell that had ended or was kept is gone: the cell has failed
	Warned                    // Reason says what the user should know, for example why the cell starts again
)

// A Summary counts how the cells of a run ended.
type Summary struct {
	Status map[records.Status]int
	Kept   int // cells that did not run, because their records are complete
}

// Run executes the cells and writes their records. It skips cells whose records are complete, and continues interrupted
// ones from their last checkpoint. If a cell fails, or panics, its record says so and the others go on. Run returns Guard's
// error, if there is one, before it runs anything.
//
// If ctx is cancelled, Run returns its error within 2 s, and the next Run continues. A cell that is then within a long
// computation continues from the last checkpoint it has.
//
// Several processes may run cells in one folder. A cell that another one runs comes last: Run waits until that process ends
// the cell or dies, and keeps the record if it is complete.
//
// Cells of experiments that are timed or need much memory run one after another with all threads. The others run in
// parallel with one thread each, also those of different experiments. The last ones also use the threads of those that have
// ended. Cells that differ in their step sizes only may make their iterations together.
func Run(ctx context.Context, cells []experiments.Cell, o Options) (Summary, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if _, err := Guard(cells, o); err != nil {
		return Summary{}, err
	}
	r := &run{
		Options: o, instances: newInstances(o.Library), locks: files.NewLocker(),
		sum: Summary{Status: map[records.Status]int{}}, holders: map[*experiments.Cell]string{}, ended: map[*experiments.Cell]records.Status{},
	}
	r.instances.stop = &r.stop
	if max(len(cells), o.Planned) > records.Many {
		r.packs.loose = map[string]int{}
	}
	todo := make([]*experiments.Cell, len(cells))
	for i := range cells {
		todo[i] = &cells[i]
	}
	AllowGarbage()
	defer giveBack()
	err := r.all(ctx, slices.Clone(todo))
	if err == nil {
		r.packs.rest(r)
		r.findLost(todo)
	}
	removeEmpty(filepath.Join(o.Out, locksFolder))
	err = errors.Join(err, r.programs.Close())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	return r.sum, err
}

type run struct {
	Options
	matrices  matrixCache
	instances *instances
	programs  programs.Folder
	locks     *files.Locker
	packs     packing
	stop      atomic.Bool  // stops all engines
	ends      atomic.Bool  // because a program is broken
	idle      atomic.Int64 // processors that no cell uses

	mu      sync.Mutex
	sum     Summary
	over    bool                                 // Run has returned; an abandoned cell may still go on
	holders map[*experiments.Cell]string         // of cells that other processes run, in words
	ended   map[*experiments.Cell]records.Status // of the cells that ended or were kept
}

// locksFolder is the folder of the locks below the output folder.
const locksFolder = "locks"

// pause is the time between two looks at the locks of other processes.
const pause = 200 * time.Millisecond

// all runs the cells of todo, which it changes, and comes back to those that other processes run until there are none.
func (r *run) all(ctx context.Context, todo []*experiments.Cell) error {
	announced := map[*experiments.Cell]bool{}
	for {
		clear(r.holders)
		if err := r.pass(ctx, todo); err != nil || len(r.holders) == 0 {
			return err
		}
		todo = slices.DeleteFunc(todo, func(c *experiments.Cell) bool { return r.holders[c] == "" })
		if first := todo[0]; !announced[first] {
			announced[first] = true
			r.tell(Event{Cell: first, Kind: Waiting, Reason: r.holders[first], Work: -1})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// pass runs cells in order. An experiment that runs alone waits for the one before it. Any other begins while the last cells of
// the one before still run, unless that one runs alone.
func (r *run) pass(ctx context.Context, cells []*experiments.Cell) error {
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && together(cells[0].Spec, cells[n].Spec) {
			n++
		}
		if err := r.together(ctx, cells[:n]); err != nil {
			return err
		}
		cells = cells[n:]
	}
	return nil
}

// together reports whether cells of two specs, of which b follows a or is a, run side by side.
func together(a, b *experiments.Spec) bool { return a == b || !a.Alone() && !b.Alone() }

// hold notes that another process runs a cell.
func (r *run) hold(c *experiments.Cell, by string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holders[c] = by
}

// needsHeld returns which process runs a cell that c needs, "" if none does.
func (r *run) needsHeld(c *experiments.Cell) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other, by := range r.holders {
		if other.Spec == c.Spec && slices.Contains(c.Needs, other.Name) {
			return by
		}
	}
	return ""
}

// together runs the cells of one experiment that runs alone, or of several that do not.
func (r *run) together(ctx context.Context, cells []*experiments.Cell) error {
	defer func() {
		if ctx.Err() == nil { // otherwise an abandoned cell may use them
			r.matrices.drop() // no other experiment has the same key
		}
	}()
	most := slices.MaxFunc(cells, func(a, b *experiments.Cell) int { return cmp.Compare(a.Spec.Memory, b.Spec.Memory) })
	defer limitGarbage(most.Spec.Memory)()
	workers, threads := 1, r.Threads
	if !cells[0].Spec.Alone() {
		workers, threads = min(r.Threads, len(cells)), 1
	}
	r.idle.Store(int64(r.Threads - workers*threads))
	todo := make(chan []*experiments.Cell)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for group := range todo {
				if by := r.needsHeld(group[0]); by != "" {
					r.hold(group[0], by)
				} else if errs[i] == nil && r.programs.Broken() == "" {
					errs[i] = r.group(ctx, group, threads)
					r.packs.add(ctx, r, group)
					if why := r.programs.Broken(); why != "" && !r.ends.Swap(true) {
						r.tell(Event{Cell: group[0], Kind: Warned, Work: -1, Reason: "the run ends here, for a program ended before it did anything: " + why})
					}
				}
			}
			r.idle.Add(int64(threads))
		})
	}
	for _, group := range teams(cells, workers) {
		select {
		case todo <- group:
		case <-ctx.Done():
		}
	}
	close(todo)
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

func (r *run) tell(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	switch e.Kind {
	case Kept:
		r.sum.Kept++
		r.sum.Status[e.Status]++
	case Ended:
		r.sum.Status[e.Status]++
	case Lost:
		r.sum.Status[r.ended[e.Cell]]--
		r.sum.Status[e.Status]++
	}
	if e.Kind == Kept || e.Kind == Ended {
		r.ended[e.Cell] = e.Status
	}
	if r.Observe != nil {
		r.Observe(e)
	}
}

// findLost fails the cells whose records were removed or changed after they ended.
func (r *run) findLost(cells []*experiments.Cell) {
	for _, c := range cells {
		then, ok := r.ended[c]
		if !ok || then == records.Failed {
			continue
		}
		if f := r.find(c); f.Ended() && f.Status() == then {
			continue // also if another process has written it again
		}
		r.tell(Event{Cell: c, Kind: Lost, Status: records.Failed, Work: 1,
			Reason: fmt.Sprintf("another program removed or changed %s after the run had ended; run the same command again", r.recordPath(c))})
	}
}

// removeEmpty removes the empty folders below dir, and dir if it is empty.
func removeEmpty(dir string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if f.IsDir() {
			removeEmpty(filepath.Join(dir, f.Name()))
		}
	}
	os.Remove(dir) // fails if it is not empty, as it should
}
