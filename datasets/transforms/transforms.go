// Package transforms holds what is done to rows after they were read: a choice among them, scaling, principal
// components, one column a class, and copies made on demand. What is fitted is fitted on
// training rows only. It knows no data set and no option of a spec.
package transforms

import (
	"context"
	"sync"

	"repro/algos/compute"
)

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
