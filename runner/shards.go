package runner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repro/datasets"
	"repro/experiments"
)

// A Shard is the part of a plan that one process runs: the places of its cells in the plan, in their order.
type Shard []int

// Shards packs the cells of a plan into n shards of about the same cost: the longest first, each into the shard that has the
// least so far [Graham 1969, LPT]. Cells that need each other, share a reference solution or are of one team
// stay together. Timed cells and external programs have shards of their own, as many as their part of the cost, unless n is 1. A
// shard may be empty.
//
// The costs are those of a typical processor, not of this one, and whole milliseconds. So every machine gets the same shards
// from the same specs, whatever is recorded already. Cells of unknown cost count as the mean of the others, at least a second.
//
// It reads no data, but counts the rows of the user's own files, and returns an error if it cannot.
func Shards(ctx context.Context, cells []experiments.Cell, n int, l *datasets.Library) ([]Shard, error) {
	units, err := unitsOf(ctx, cells, l)
	if err != nil {
		return nil, err
	}
	var timed, others []unit
	for _, g := range units {
		if g.timed {
			timed = append(timed, g)
		} else {
			others = append(others, g)
		}
	}
	own := 0 // shards of timed cells
	switch {
	case len(others) == 0:
		own = n
	case len(timed) > 0 && n > 1:
		part := float64(cost(timed)) / float64(cost(timed)+cost(others))
		own = max(1, min(n-1, int(math.Round(part*float64(n)))))
	case len(timed) > 0:
		others, timed = append(others, timed...), nil
	}
	return append(pack(others, n-own), pack(timed, own)...), nil
}

// A unit is a number of cells that run in one process.
type unit struct {
	cells []int // places in the plan, increasing
	cost  int64 // milliseconds on a typical processor
	timed bool
}

// timed reports whether a cell needs a machine of its own: because its seconds count, or because it is a program that may use
// any number of threads.
func timed(c *experiments.Cell) bool {
	_, program := c.Method.Configured.(*experiments.External)
	return program || c.Spec.Repeat.Timed
}

// Alone reports whether a shard of a plan needs a machine of its own, because it has timed cells or external programs.
func (s Shard) Alone(cells []experiments.Cell) bool {
	return slices.ContainsFunc(s, func(i int) bool { return timed(&cells[i]) })
}

func cost(units []unit) int64 {
	sum := int64(0)
	for _, g := range units {
		sum += g.cost
	}
	return sum
}

// pack distributes units among n shards.
func pack(units []unit, n int) []Shard {
	if n == 0 {
		return nil
	}
	slices.SortStableFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(a.cells[0], b.cells[0]))
	})
	shards, load := make([]Shard, n), make([]int64, n)
	for _, g := range units {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		shards[least] = append(shards[least], g.cells...)
		load[least] += g.cost
	}
	for _, s := range shards {
		slices.Sort(s)
	}
	return shards
}

// unitsOf returns the cells of a plan in the units that must stay together, by their first cells.
func unitsOf(ctx context.Context, cells []experiments.Cell, l *datasets.Library) ([]unit, error) {
	costs, err := nominalCosts(ctx, cells, l)
	if err != nil {
		return nil, err
	}
	var units []unit
	of := map[any]int{} // the unit of a cell's key or of a shared solution
	for i := range cells {
		c := &cells[i]
		var keys []any
		for _, name := range c.Needs {
			keys = append(keys, cellKey{c.Spec, name})
		}
		if c.NeedsReference() {
			keys = append(keys, sharedBy(c))
		}
		if key, ok := teamOf(c); ok {
			keys = append(keys, key)
		}
		at := -1 // the unit that the cell joins
		for _, k := range keys {
			g, ok := of[k]
			switch {
			case !ok || g == at:
			case at < 0:
				at = g
			default: // the cell joins two units
				units[at].cells = append(units[at].cells, units[g].cells...)
				units[at].cost += units[g].cost
				units[g] = unit{}
				for k, v := range of {
					if v == g {
						of[k] = at
					}
				}
			}
		}
		if at < 0 {
			at = len(units)
			units = append(units, unit{timed: timed(c)})
		}
		units[at].cells = append(units[at].cells, i)
		units[at].cost += costs[i]
		for _, k := range append(keys, cellKey{c.Spec, c.Name}) {
			of[k] = at
		}
	}
	units = slices.DeleteFunc(units, func(g unit) bool { return len(g.cells) == 0 })
	for _, g := range units {
		slices.Sort(g.cells)
	}
	return units, nil
}

// nominalCosts returns what the cells of a plan take on a typical processor, in milliseconds.
func nominalCosts(ctx context.Context, cells []experiments.Cell, l *datasets.Library) ([]int64, error) {
	e := NewNominalEstimator(l)
	costs := make([]int64, len(cells))
	sum, known := int64(0), int64(0)
	for i := range cells {
		got, err := e.Cell(ctx, &cells[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cells[i].Spec.File, err)
		}
		if got.Seconds < 0 {
			continue
		}
		costs[i] = max(1, int64(math.Round(1000*got.Seconds)))
		sum += costs[i]
		known++
	}
	usual := max(1000, sum/max(1, known))
	for i, ms := range costs {
		if ms == 0 {
			costs[i] = usual
		}
	}
	return costs, nil
}
