package transforms

import "repro/algos/compute"

// A Maker makes rows. It may be called concurrently.
type Maker interface {
	// Inputs is the length of a row.
	Inputs() int
	// Put writes copy k of unit u to x, a pure function of (seed, u, k).
	Put(u, k int, x []float64)
}

// copyStream is the stream that decides copy k of unit u, however many units and copies there are.
func copyStream(s compute.Source, u, k int) *compute.Stream {
	return s.Stream(uint64(k)<<32 | uint64(u))
}

// Copies are rows made on demand: row k·n + i is copy k of unit i of the n units.
type Copies struct {
	Maker
	Units []int          // the units that have rows
	Count int            // copies of each
	Y     compute.Matrix // targets of all units
}

func (a *Copies) Len() int            { return a.Count * len(a.Units) }
func (a *Copies) Dims() (in, out int) { return a.Inputs(), a.Y.Cols }

func (a *Copies) Gather(rows []int, x, y compute.Matrix) {
	for r, i := range rows {
		if i < 0 || i >= a.Len() {
			panic("transforms: row out of range")
		}
		u := a.Units[i%len(a.Units)]
		a.Put(u, i/len(a.Units), x.Row(r))
		copy(y.Row(r), a.Y.Row(u))
	}
}

// Labels returns the first target of every row.
func (a *Copies) Labels() []float64 {
	labels := make([]float64, 0, a.Len())
	for range a.Count {
		for _, u := range a.Units {
			labels = append(labels, a.Y.At(u, 0))
		}
	}
	return labels
}
