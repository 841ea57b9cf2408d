// Package runner executes the cells of a plan. It owns everything around a fit: seeds, the clock,
// budgets, evaluation, checkpoints and provenance. It writes records, predictions and checkpoints.
package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"repro/datasets"
	"repro/experiments"
	"repro/results/records"
)

// Options say how to run cells. They change no number, except that of a run with a budget in seconds.
type Options struct {
	Out        string            // folder that records, checkpoints and predictions are written to
	Threads    int               // number of processors to use; 0 means all
	Fresh      bool              // run cells again even if their records are complete, and replace any record
	Library    *datasets.Library // opens the data
	Checkpoint time.Duration     // time between checkpoints; 0 means 5 s
	Observe    func(Event)       // called at every event, from several goroutines but once at a time; may be nil

	AllowExternal bool // run the programs of external methods; if false they are skipped
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
)

// A Summary counts how the cells of a run ended.
type Summary struct {
	Status map[records.Status]int
	Kept   int // cells that did not run, because their records are complete
}

// Failed reports whether any cell failed or diverged.
func (s Summary) Failed() bool { return s.Status[records.Failed]+s.Status[records.Diverged] > 0 }

// Run executes the cells and writes their records. It skips cells whose records are complete, and continues interrupted
// ones from their last checkpoint. If a cell fails, its record says so and the others go on. If ctx is cancelled, Run
// returns its error; every running cell then has a checkpoint, and the next Run continues. Run returns Guard's error, if
// there is one, before it runs anything.
//
// Cells of experiments that are timed or need much memory run one after another with all threads. The others run in
// parallel with one thread each.
func Run(ctx context.Context, cells []experiments.Cell, o Options) (Summary, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Checkpoint == 0 {
		o.Checkpoint = 5 * time.Second
	}
	if err := Guard(cells, o); err != nil {
		return Summary{}, err
	}
	if err := writable(o.Out); err != nil {
		return Summary{}, err
	}
	r := &run{Options: o, instances: newInstances(o.Library), machine: readMachine(), sum: Summary{Status: map[records.Status]int{}}}
	var err error
	for len(cells) > 0 && err == nil {
		n := 1
		for n < len(cells) && cells[n].Spec == cells[0].Spec {
			n++
		}
		err = r.experiment(ctx, cells[:n])
		cells = cells[n:]
	}
	return r.sum, err
}

type run struct {
	Options
	matrices  matrixCache
	instances *instances
	machine   machine

	mu  sync.Mutex
	sum Summary
}

// experiment runs the cells of one spec.
func (r *run) experiment(ctx context.Context, cells []experiments.Cell) error {
	defer r.matrices.drop() // no other experiment has the same key
	defer limitGarbage(cells[0].Spec.Memory)()
	workers, threads := 1, r.Threads
	if !cells[0].Spec.Alone() {
		workers, threads = min(r.Threads, len(cells)), 1
	}
	todo := make(chan *experiments.Cell)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for c := range todo {
				if errs[i] == nil {
					errs[i] = r.cell(ctx, c, threads)
				}
			}
		})
	}
	for i := range cells {
		select {
		case todo <- &cells[i]:
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
	switch e.Kind {
	case Kept:
		r.sum.Kept++
		r.sum.Status[e.Status]++
	case Ended:
		r.sum.Status[e.Status]++
	}
	if r.Observe != nil {
		r.Observe(e)
	}
}

// writable checks that records can be written below dir before anything is computed.
func writable(dir string) error {
	fail := func(err error) error {
		return fmt.Errorf("cannot write to the output folder %s: %w; choose another with --out", dir, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "records"), 0o777); err != nil {
		return fail(err)
	}
	f, err := os.CreateTemp(dir, ".repro-*")
	if err != nil {
		return fail(err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
