package transforms

import (
	"slices"

	"repro/algos/compute"
)

// A Maker makes rows. It may be called concurrently.
type Maker interface {
	// Inputs is the length of a row.
	Inputs() int
	// Put writes copy k of unit u to x, a pure function of (seed, u, k).
	Put(u, k int, x []float64)
}

// Copies are rows made on demand: row k·n + i is copy k of unit i of the n units.
type Copies struct {
	Maker
	Units []int          // the units that have rows
	Count int            // copies of each
	Y     compute.Matrix // targets of these units
}

func (a *Copies) Len() int            { return a.Count * len(a.Units) }
func (a *Copies) Dims() (in, out int) { return a.Inputs(), a.Y.Cols }

func (a *Copies) Gather(rows []int, x, y compute.Matrix) {
	for r, i := range rows {
		if i < 0 || i >= a.Len() {
			panic("transforms: row out of range")
		}
		n := len(a.Units)
		a.Put(a.Units[i%n], i/n, x.Row(r))
		copy(y.Row(r), a.Y.Row(i%n))
	}
}

// Labels returns the first target of every row.
func (a *Copies) Labels() []float64 {
	return slices.Repeat(InMemory{Y: a.Y}.Labels(), a.Count)
}
