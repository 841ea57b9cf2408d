package datasets

import (
	"context"
	"sync"

	"repro/algos/compute"
)

// A transform maps inputs. What it was fitted on are training rows.
type transform interface {
	// outputs is the length of a mapped row, of rows that have in inputs.
	outputs(in int) int
	// inPlace says whether apply may be given the same matrix twice.
	inPlace() bool
	// apply maps the rows of src to those of dst. What becomes of a row does not depend on the rows
	// beside it, if there are always as many.
	apply(dst, src compute.Matrix, e *compute.Engine)
}

// mapped are other samples, transformed on demand.
type mapped struct {
	Samples
	steps  []transform
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

func newMapped(s Samples, steps []transform) Samples {
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
		in = t.outputs(in)
	}
	return in, out
}

func (m *mapped) labels() []float64 { return labelsOf(m.Samples) }

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
func (w *space) through(steps []transform, x compute.Matrix) compute.Matrix {
	at := 0
	for _, t := range steps {
		to := x
		if !t.inPlace() {
			at = 1 - at
			to = w.tile(at, t.outputs(x.Cols))
		}
		t.apply(to, x, w.engine)
		x = to
	}
	return x
}

// scanRows is how many rows are looked at together when something is fitted.
const scanRows = 1024

// scan calls visit with the inputs of the given rows of s, in their order, a piece at a time; of all
// rows if rows is nil. visit may not keep or change them.
func scan(ctx context.Context, s Samples, rows []int, visit func(x compute.Matrix)) error {
	if m, ok := s.(matrixSamples); ok && rows == nil {
		visit(m.x)
		return ctx.Err()
	}
	if rows == nil {
		rows = span(0, s.Len())
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

// fit fits the transforms o asks for on training rows.
func (o Options) fit(ctx context.Context, train Samples) (steps []transform, err error) {
	rows := func(visit func(m compute.Matrix)) error { return scan(ctx, train, nil, visit) }
	scale, err := o.fitScale(rows)
	if scale != nil {
		steps = append(steps, scale)
	}
	if err != nil || o.PCA == 0 {
		return steps, err
	}
	reduce, err := o.fitPCA(ctx, newMapped(train, steps))
	return append(steps, reduce), err
}

// finish transforms the inputs of training and test rows by what the training rows tell, and puts
// them into the set. Rows in memory are transformed there; others when they are used, unless
// in_memory asks to keep them. Test rows are kept in memory.
func (o Options) finish(ctx context.Context, set *Set, train, test Samples) error {
	steps, err := o.fit(ctx, train)
	if err != nil {
		return err
	}
	t, err := inMemory(ctx, test, steps)
	if err != nil {
		return err
	}
	set.TestX, set.TestY = t.x, t.y
	if _, here := train.(matrixSamples); here || o.InMemory {
		set.Train, err = inMemory(ctx, train, steps)
		return err
	}
	set.Train = newMapped(train, steps)
	return nil
}

// inMemory returns transformed samples as a matrix, in the memory they are in if there is some and
// the transforms allow it.
func inMemory(ctx context.Context, s Samples, steps []transform) (matrixSamples, error) {
	if m, ok := s.(matrixSamples); ok {
		for len(steps) > 0 && steps[0].inPlace() {
			steps[0].apply(m.x, m.x, nil)
			steps = steps[1:]
		}
		s = m
		if len(steps) == 0 {
			return m, nil
		}
	}
	s = newMapped(s, steps)
	in, out := s.Dims()
	n := s.Len()
	if err := fits(n, in); err != nil {
		return matrixSamples{}, err
	}
	m := matrixSamples{compute.NewMatrix(n, in), compute.NewMatrix(n, out)}
	rows := span(0, n)
	for lo := 0; lo < n; lo += scanRows {
		if ctx.Err() != nil {
			return matrixSamples{}, ctx.Err()
		}
		hi := min(lo+scanRows, n)
		s.Gather(rows[lo:hi], m.x.RowRange(lo, hi), m.y.RowRange(lo, hi))
	}
	return m, ctx.Err()
}
