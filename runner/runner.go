// Package runner executes the cells of a plan. It owns everything around a fit: seeds, the clock,
// budgets, evaluation, checkpoints and the machine's facts. Its only product is records.
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

// Options say how to run, never what: nothing here changes a number, budgets in seconds apart.
type Options struct {
	Out        string            // folder of records, checkpoints and predictions
	Threads    int               // processors to use; 0 means all
	Fresh      bool              // run cells again even if their records are complete, and replace any record
	Library    *datasets.Library // where data comes from
	Checkpoint time.Duration     // time between checkpoints; 0 means 5 s
	Observe    func(Event)       // told what happens, from several goroutines but one call at a time; may be nil

	AllowExternal bool // run the programs of external methods, which are skipped otherwise
}

// An Event is something that happened to a cell.
type Event struct {
	Cell     *experiments.Cell
	Kind     EventKind
	Step     int     // iterations done
	Total    int     // iterations in all, 0 if the budget does not say
	Work     float64 // part of the cell's expected cost that is done, 0 … 1; negative if unknown
	Status   records.Status
	Reason   string
	Duration time.Duration // since the cell started, here
}

// EventKind is what happened.
type EventKind int

const (
	Started  EventKind = iota // the cell begins, or continues from a checkpoint
	Advanced                  // some steps later
	Ended                     // its record is complete
	Kept                      // its record was complete already
)

// A Summary counts how the cells of a run ended.
type Summary struct {
	Status map[records.Status]int
	Kept   int // cells whose records were complete already
}

// Failed says whether any cell failed or diverged.
func (s Summary) Failed() bool { return s.Status[records.Failed]+s.Status[records.Diverged] > 0 }

// Run executes the cells and writes their records. Cells whose records are complete are kept;
// interrupted ones continue from their last checkpoint. A cell that fails is recorded as failed and
// the others go on. Run returns ctx's error if it was cancelled: every running cell then has a
// checkpoint, and running again continues. It runs nothing if Guard returns an error.
//
// Cells of experiments that are timed or need much memory run one at a time with all threads, the others in
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
	kept      kept
	instances *instances
	machine   machine

	mu  sync.Mutex
	sum Summary
}

// experiment runs the cells of one spec.
func (r *run) experiment(ctx context.Context, cells []experiments.Cell) error {
	defer r.kept.drop() // no other experiment has the same key
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
