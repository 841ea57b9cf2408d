package runner

import (
	"context"
	"errors"
	"slices"
	"sync"

	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
)

// A packing gathers the records of a run in packs.
type packing struct {
	mu      sync.Mutex
	loose   map[string]int // cells by experiment that this run has ended or kept since it last packed; nil for a plan that needs no packs
	settled []string       // packs that are on the disk
}

// packEvery is the number of cells of an experiment after which their records are packed, leastPacked that of records at the end of a run.
const packEvery, leastPacked = 500, 100

// add counts the cells of a group, and packs their experiment if it is time.
func (p *packing) add(ctx context.Context, r *run, group []*experiments.Cell) {
	if p.loose == nil || ctx.Err() != nil {
		return
	}
	c := group[0]
	p.mu.Lock()
	p.loose[c.Experiment] += len(group)
	due := p.loose[c.Experiment] >= packEvery
	if due {
		p.loose[c.Experiment] = 0
	}
	p.mu.Unlock()
	if due {
		r.pack(c, packEvery/2)
	}
}

// settle puts a pack on the disk, once for all its cells.
func (p *packing) settle(out, pack string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.settled, pack) {
		return nil
	}
	p.settled = append(p.settled, pack)
	return files.Settle(out, pack)
}

// rest packs what is left at the end of a run.
func (p *packing) rest(r *run) {
	for c := range r.ended {
		if p.loose[c.Experiment] > 0 {
			p.loose[c.Experiment] = 0
			r.pack(c, leastPacked)
		}
	}
}

// pack packs the experiment of a cell, if no other process does so. A record that cannot be packed stays as it is.
func (r *run) pack(c *experiments.Cell, least int) {
	take := func(name string) (files.Lock, error) {
		return r.locks.Take(files.Path(r.Out, locksFolder, c.Experiment, name))
	}
	l, err := take("packs")
	if err == nil {
		defer l.Release()
		err = records.Pack(r.Out, c.Experiment, least, func(cell string) func() {
			if k, err := take(cell + ".lock"); err == nil {
				return k.Release
			}
			return nil
		})
	}
	if held := (files.HeldError{}); err != nil && !errors.As(err, &held) {
		r.tell(Event{Cell: c, Kind: Warned, Reason: "the records of its experiment stay files of their own: " + err.Error(), Work: -1})
	}
}
