// Package transforms holds what is done to rows after they were read: a choice among them, scaling, principal
// components, one column a class, and copies made on demand. What is fitted is fitted on
// training rows only. It knows no data set and no option of a spec.
package transforms

import (
	"context"
	"fmt"
	"slices"
	"sync"

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

// A Transform maps inputs. It was fitted, if at all, on training rows.
type Transform interface {
	// Outputs returns the length of a mapped row, given that of a row.
	Outputs(in int) int
	// InPlace reports whether Apply may be given the same matrix twice.
	InPlace() bool
	// Apply maps the rows of src to those of dst. The result for a row depends on no other row of src,
	// given their number.
	Apply(dst, src compute.Matrix, e *compute.Engine)
}

// mapped samples are transformed when they are gathered.
type mapped struct {
	Samples
	steps  []Transform
	spaces *sync.Pool // of *space
}

// A space is memory for the transforms of one tile of rows.
type space struct {
	engine *compute.Engine
	rows   [2]compute.Matrix // before and after a transform that is not in place
}

// tileRows is the number of rows that transforms see at a time. It is always the same, so that the
// bits of a row do not depend on which others are asked for; see docs/compute.md.
const tileRows = 48

// Mapped returns s with the steps applied, in their order, to the rows that are gathered.
func Mapped(s Samples, steps []Transform) Samples {
	if len(steps) == 0 {
		return s
	}
	return &mapped{s, steps, &sync.Pool{New: func() any {
		return &space{engine: compute.NewEngine(compute.Options{Threads: 1})}
	}}}
}

func (m *mapped) Dims() (in, out int) {
	in, out = m.Samples.Dims()
	for _, t := range m.steps {
		in = t.Outputs(in)
	}
	return in, out
}

// Labels returns the first target of every row.
func (m *mapped) Labels() []float64 { return Labels(m.Samples) }

func (m *mapped) Gather(rows []int, x, y compute.Matrix) {
	in, _ := m.Samples.Dims()
	w := m.spaces.Get().(*space)
	defer m.spaces.Put(w)
	for lo := 0; lo < len(rows); lo += tileRows {
		hi := min(lo+tileRows, len(rows))
		from := w.tile(0, in)
		from.RowRange(hi-lo, tileRows).Zero()
		m.Samples.Gather(rows[lo:hi], from.RowRange(0, hi-lo), y.RowRange(lo, hi))
		x.RowRange(lo, hi).CopyFrom(w.through(m.steps, from).RowRange(0, hi-lo))
	}
}

// tile returns memory number i for a tile of the given width.
func (w *space) tile(i, width int) compute.Matrix {
	if cap(w.rows[i].Data) < tileRows*width {
		w.rows[i] = compute.NewMatrix(tileRows, width)
	}
	return compute.Matrix{Rows: tileRows, Cols: width, Stride: width, Data: w.rows[i].Data[:tileRows*width]}
}

// through applies the steps to a tile.
func (w *space) through(steps []Transform, x compute.Matrix) compute.Matrix {
	at := 0
	for _, t := range steps {
		to := x
		if !t.InPlace() {
			at = 1 - at
			to = w.tile(at, t.Outputs(x.Cols))
		}
		t.Apply(to, x, w.engine)
		x = to
	}
	return x
}

// scanRows is the number of rows that a fit reads at a time.
const scanRows = 1024

// scan calls visit with the inputs of the given rows of s, in their order, a piece at a time; of all
// rows if rows is nil. visit may not keep or change them.
func scan(ctx context.Context, s Samples, rows []int, visit func(x compute.Matrix)) error {
	if m, ok := s.(InMemory); ok && rows == nil {
		visit(m.X)
		return ctx.Err()
	}
	if rows == nil {
		rows = Span(0, s.Len())
	}
	in, out := s.Dims()
	n := min(scanRows, len(rows))
	x, y := compute.NewMatrix(n, in), compute.NewMatrix(n, out)
	for lo := 0; lo < len(rows); lo += scanRows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		hi := min(lo+scanRows, len(rows))
		s.Gather(rows[lo:hi], x.RowRange(0, hi-lo), y.RowRange(0, hi-lo))
		visit(x.RowRange(0, hi-lo))
	}
	return ctx.Err()
}

// Load returns the transformed samples in memory, of which they may take the given bytes. Samples that are InMemory are
// overwritten, as far as the first steps can work in place. Others are gathered on all processors.
func Load(ctx context.Context, s Samples, steps []Transform, memory int64) (InMemory, error) {
	if m, ok := s.(InMemory); ok {
		for len(steps) > 0 && steps[0].InPlace() {
			steps[0].Apply(m.X, m.X, nil)
			steps = steps[1:]
		}
		s = m
		if len(steps) == 0 {
			return m, nil
		}
	}
	s = Mapped(s, steps)
	in, out := s.Dims()
	n := s.Len()
	if err := Fits(n, in, memory); err != nil {
		return InMemory{}, err
	}
	m := InMemory{compute.NewMatrix(n, in), compute.NewMatrix(n, out)}
	rows := Span(0, n)
	compute.Parallel((n+scanRows-1)/scanRows, func(i int) {
		if ctx.Err() == nil {
			lo, hi := i*scanRows, min((i+1)*scanRows, n)
			s.Gather(rows[lo:hi], m.X.RowRange(lo, hi), m.Y.RowRange(lo, hi))
		}
	})
	return m, ctx.Err()
}
