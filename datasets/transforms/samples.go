package transforms

import (
	"fmt"
	"slices"

	"repro/algos/compute"
	"repro/datasets/formats"
)

// Samples are rows by index; package datasets has the same interface.
type Samples interface {
	Len() int
	Dims() (in, out int)
	Gather(rows []int, x, y compute.Matrix)
}

// InMemory are rows in memory, in the order of their indices.
type InMemory struct{ X, Y compute.Matrix }

func (s InMemory) Len() int            { return s.X.Rows }
func (s InMemory) Dims() (in, out int) { return s.X.Cols, s.Y.Cols }

func (s InMemory) Gather(rows []int, x, y compute.Matrix) {
	for k, i := range rows {
		copy(x.Row(k), s.X.Row(i))
		copy(y.Row(k), s.Y.Row(i))
	}
}

// Whole returns all rows themselves, not copies.
func (s InMemory) Whole() (x, y compute.Matrix, ok bool) { return s.X, s.Y, true }

// A Subset is some rows of other samples.
type Subset struct {
	Samples
	Rows []int
}

func (s Subset) Len() int { return len(s.Rows) }

func (s Subset) Gather(rows []int, x, y compute.Matrix) {
	base := make([]int, len(rows))
	for k, i := range rows {
		base[k] = s.Rows[i]
	}
	s.Samples.Gather(base, x, y)
}

// Gather returns the given rows of s in memory.
func Gather(s Samples, rows []int) (x, y compute.Matrix) {
	in, out := s.Dims()
	x, y = compute.NewMatrix(len(rows), in), compute.NewMatrix(len(rows), out)
	s.Gather(rows, x, y)
	return x, y
}

// labelled samples know the first target of every row without making the inputs.
type labelled interface{ Labels() []float64 }

// Labels returns the first target of every row.
func (s InMemory) Labels() []float64 {
	labels := make([]float64, s.Y.Rows)
	for i := range labels {
		labels[i] = s.Y.At(i, 0)
	}
	return labels
}

// Labels returns the first target of every row.
func Labels(s Samples) []float64 {
	if l, ok := s.(labelled); ok {
		return l.Labels()
	}
	if c, ok := s.(Subset); ok {
		if l, ok := c.Samples.(labelled); ok {
			return At(l.Labels(), c.Rows)
		}
	}
	const tile = 1024
	var labels []float64
	for lo := 0; lo < s.Len(); lo += tile {
		_, y := Gather(s, Span(lo, min(lo+tile, s.Len())))
		labels = append(labels, InMemory{Y: y}.Labels()...)
	}
	return labels
}

// At returns the entries of v with the given numbers.
func At[T any](v []T, rows []int) []T {
	some := make([]T, len(rows))
	for k, i := range rows {
		some[k] = v[i]
	}
	return some
}

// Span returns the numbers lo ≤ i < hi.
func Span(lo, hi int) []int {
	s := make([]int, hi-lo)
	for k := range s {
		s[k] = lo + k
	}
	return s
}

// Fits returns an error if n rows are too large for the given bytes of memory.
func Fits(n, dims int, memory int64) error {
	if bytes, ok := formats.Product(n, dims, 8); !ok || bytes > memory {
		return fmt.Errorf("%d rows of %d inputs would take %.3g GB, and data may take %s of memory", n, dims, 8e-9*float64(n)*float64(dims), formats.Size(memory))
	}
	return nil
}

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
func (a *Copies) Labels() []float64 { return slices.Repeat(InMemory{Y: a.Y}.Labels(), a.Count) }

// OneHot samples have one column of targets for each class instead of one column of labels.
type OneHot struct {
	Samples
	Classes []float64 // labels, increasing
	Off     float64   // what stands in the columns of other classes: 0 or -1
}

// SetClass writes the targets of a row of class c: 1 in its column and off in the others.
func SetClass(row []float64, c int, off float64) {
	for i := range row {
		row[i] = off
	}
	row[c] = 1
}

func (s OneHot) Dims() (in, out int) {
	in, _ = s.Samples.Dims()
	return in, len(s.Classes)
}

func (s OneHot) Gather(rows []int, x, y compute.Matrix) {
	labels := compute.NewMatrix(len(rows), 1)
	s.Samples.Gather(rows, x, labels)
	s.code(labels, y)
}

// Whole returns the inputs of all rows themselves and their targets, if the rows are in memory.
func (s OneHot) Whole() (x, y compute.Matrix, ok bool) {
	m, ok := s.Samples.(InMemory)
	if !ok {
		return x, y, false
	}
	y = compute.NewMatrix(m.Len(), len(s.Classes))
	s.code(m.Y, y)
	return m.X, y, true
}

// code sets y to the targets of labels.
func (s OneHot) code(labels, y compute.Matrix) {
	for i := range labels.Rows {
		c, known := slices.BinarySearch(s.Classes, labels.At(i, 0))
		if !known {
			panic("transforms: a label came after the classes were counted")
		}
		SetClass(y.Row(i), c, s.Off)
	}
}
