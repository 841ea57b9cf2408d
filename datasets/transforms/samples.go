package transforms

import (
	"fmt"

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

// Pick returns a copy of the given rows of m.
func Pick(m compute.Matrix, rows []int) compute.Matrix {
	p := compute.NewMatrix(len(rows), m.Cols)
	for k, i := range rows {
		copy(p.Row(k), m.Row(i))
	}
	return p
}

// Fits returns an error if n rows are too large for the given bytes of memory.
func Fits(n, dims int, memory int64) error {
	if bytes, ok := formats.Product(n, dims, 8); !ok || bytes > memory {
		return fmt.Errorf("%d rows of %d inputs would take %.3g GB, and data may take %s of memory", n, dims, 8e-9*float64(n)*float64(dims), formats.Size(memory))
	}
	return nil
}
