package compute

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"repro/algos/compute/internal/simd"
)

// Store evaluates a kernel or feature operator once and returns it stored, so that further products cost
// arithmetic and memory alone: rows·columns numbers in the engine's precision. If they do not fit what is
// left of the engine's memory for stored operators, or op is of another kind, it returns op itself. The
// memory counts as free again when the result has become garbage.
func (e *Engine) Store(op Operator) Operator {
	switch o := op.(type) {
	case *kernel[float32]:
		return store(e, op, func() *product[float32] { return o.product(o.z, o.x) }, o.symmetric(), o.count)
	case *kernel[float64]:
		return store(e, op, func() *product[float64] { return o.product(o.z, o.x) }, o.symmetric(), o.count)
	case *features[float32]:
		return store(e, op, func() *product[float32] { return o.product(o.frequencies(), o.samples(), true) }, false, o.count)
	case *features[float64]:
		return store(e, op, func() *product[float64] { return o.product(o.frequencies(), o.samples(), true) }, false, o.count)
	case *evaluated:
		if e.precision == Float32 {
			return storeEvaluated[float32](o)
		}
		return storeEvaluated[float64](o)
	}
	return op
}

// Adopt returns an operator that another engine of the same precision stored as one of e's: products with it
// run on e, which counts what storing it cost once more, for a cost must not depend on who was first. They
// share its memory, which counts as used by both.
func (e *Engine) Adopt(op Operator) Operator {
	switch o := op.(type) {
	case *stored[float32]:
		return adopt(e, o)
	case *stored[float64]:
		return adopt(e, o)
	}
	panic(fmt.Sprintf("compute: Adopt: %T is not stored", op))
}

func adopt[T simd.Float](e *Engine, o *stored[T]) Operator {
	mine := *o
	mine.e = e
	if mine.whole == nil {
		mine.whole = o
	}
	e.counters = e.counters.Add(o.cost)
	size := mine.size()
	e.stored.Add(size)
	mine.occupies(size)
	return &mine
}

// Release gives the memory of an operator back that this engine's Store made, now and not when it has become
// garbage, so that what a step stores does not depend on when garbage is collected. Neither it nor rows selected of
// it may be used again. Other operators, rows of a stored one among them, it leaves alone.
func (e *Engine) Release(op Operator) {
	switch o := op.(type) {
	case *stored[float32]:
		release(e, o)
	case *stored[float64]:
		release(e, o)
	}
}

func release[T simd.Float](e *Engine, o *stored[T]) {
	if o.e != e || o.whole != nil || o.data == nil {
		return
	}
	o.kept.Stop()
	e.stored.Add(-o.size())
	e.spare, o.data = o.data, nil
}

// IsStored reports whether an operator is in memory: what Store returned, or some rows of that.
func IsStored(op Operator) bool {
	switch op.(type) {
	case *stored[float32], *stored[float64]:
		return true
	}
	return false
}

// Entries returns a copy of what a stored operator holds; it is another one's programming error.
func Entries(op Operator) Matrix {
	switch o := op.(type) {
	case *stored[float32]:
		return o.entries()
	case *stored[float64]:
		return o.entries()
	}
	panic(fmt.Sprintf("compute: Entries: %T is not stored", op))
}

func (o *stored[T]) entries() Matrix {
	m := NewMatrix(o.rows, o.cols)
	for i := range o.rows {
		row := m.Row(i)
		for j, v := range o.data[o.at(i)*o.cols:][:o.cols] {
			row[j] = o.factor * float64(v)
		}
	}
	return m
}

// store stores the transpose of a product.
func store[T simd.Float](e *Engine, op Operator, transposed func() *product[T], symmetric bool, count func(k int)) Operator {
	r, c := op.Dims()
	s := newStored[T](e, r, c)
	if s == nil {
		return op
	}
	before := e.counters
	p := transposed()
	s.factor = p.factor
	p.eachOf(symmetric)(func(tile []T, q, o int) {
		p.rowsOf(tile, q, o, func(i, j int, row []T) { copy(s.data[i*c+j:], row) })
	})
	count(0)
	s.cost = e.counters.Sub(before)
	return s
}

// storeEvaluated stores features that are evaluated.
func storeEvaluated[T simd.Float](o *evaluated) Operator {
	r, c := o.Dims()
	before := o.e.counters
	s := newStored[T](o.e, r, c)
	if s == nil {
		return o
	}
	o.parts(func(phi Matrix, row, col int) {
		for i := range phi.Rows {
			simd.Convert(s.data[(row+i)*c+col:][:phi.Cols], phi.Row(i))
		}
	})
	o.count(0)
	s.cost = o.e.counters.Sub(before)
	return s
}

// collectFirst is the size of a matrix, in bytes, that is worth a collection of garbage before it is made.
const collectFirst = 1 << 30

// manyPages is the size of a matrix, in bytes, whose pages the processor does not remember.
const manyPages = 64 << 20

// newStored returns r×c numbers to be set, nil if there is no memory left for them.
func newStored[T simd.Float](e *Engine, r, c int) *stored[T] {
	size := int64(r) * int64(c) * int64(sizeof[T]())
	if e.stored.Add(size) > e.memory {
		e.stored.Add(-size)
		return nil
	}
	data, reuse := e.spare.([]T)
	e.spare = nil
	if !reuse || len(data) != r*c {
		data = nil // which the collection may take
		if size >= collectFirst {
			runtime.GC() // there may be no room for this beside garbage of the same size
		}
		if data = make([]T, r*c); size >= manyPages {
			inHugePages(data)
		}
	}
	s := &stored[T]{e: e, rows: r, cols: c, factor: 1, data: data}
	s.occupies(size)
	return s
}

// occupies takes the size off what its engine's stored operators take when o has become garbage.
func (o *stored[T]) occupies(size int64) {
	o.kept = runtime.AddCleanup(o, func(stored *atomic.Int64) { stored.Add(-size) }, o.e.stored)
}

func (o *stored[T]) size() int64 { return int64(len(o.data)) * int64(sizeof[T]()) }

// stored is a matrix in the precision of its engine, row by row.
type stored[T simd.Float] struct {
	e          *Engine
	rows, cols int
	factor     float64 // of what data holds
	data       []T
	cost       Counters   // of storing it
	whole      *stored[T] // what a selection is of; keeps its memory counted
	chosen     []int      // rows of it, nil for all
	kept       runtime.Cleanup
}

func (o *stored[T]) Dims() (r, c int) { return o.rows, o.cols }

// Select implements Operator.
func (o *stored[T]) Select(rows []int) Operator {
	whole, chosen := o, make([]int, len(rows))
	if o.whole != nil {
		whole = o.whole
	}
	for i, r := range rows {
		chosen[i] = o.at(r)
	}
	return &stored[T]{e: o.e, rows: len(rows), cols: o.cols, factor: o.factor, data: o.data, whole: whole, chosen: chosen}
}

// at returns which row of the data is row i.
func (o *stored[T]) at(i int) int {
	if i < 0 || i >= o.rows {
		panic("compute: Select: row out of range")
	}
	if o.chosen == nil {
		return i
	}
	return o.chosen[i]
}

func (o *stored[T]) MulTo(dst, v Matrix) {
	mustShape("MulTo", dst, o.rows, v.Cols)
	mustShape("MulTo", v, o.cols, v.Cols)
	if v.Cols <= fewColumns && o.cols > 0 {
		rowProducts(o.e, dst, o.factor, rowSet[T]{o.data, o.cols, o.chosen}, operandOf(v, false), 0)
		o.count(v.Cols)
		return
	}
	p := &product[T]{e: o.e, factor: o.factor, out: unpacked[T](o.rows), in: unpacked[T](o.cols)}
	p.read = func(tile []T, space *tileSpace[T], q, out int) {
		rows, cols := o.copy(space.turned, out, q)
		simd.Transpose(tile, width, space.turned, width, rows, cols)
	}
	p.mul(dst, v)
	o.count(v.Cols)
}

func (o *stored[T]) MulTransTo(dst, v Matrix) {
	mustShape("MulTransTo", dst, o.cols, v.Cols)
	mustShape("MulTransTo", v, o.rows, v.Cols)
	p := &product[T]{e: o.e, factor: o.factor, out: unpacked[T](o.cols), in: unpacked[T](o.rows)}
	p.read = func(tile []T, _ *tileSpace[T], q, out int) { o.copy(tile, q, out) }
	p.mul(dst, v)
	o.count(v.Cols)
}

// copy sets dst to 48 rows from 48p on by 48 columns from 48q on, as far as there are, and returns their
// numbers.
func (o *stored[T]) copy(dst []T, p, q int) (rows, cols int) {
	rows, cols = min(width, o.rows-p*width), min(width, o.cols-q*width)
	for i := range rows {
		copy(dst[i*width:][:cols], o.data[o.at(p*width+i)*o.cols+q*width:])
	}
	return rows, cols
}

func (o *stored[T]) count(k int) {
	n, m, c := int64(o.rows), int64(o.cols), int64(k)
	o.e.counters.Flops += 2 * n * m * c
	o.e.counters.Bytes += int64(sizeof[T]())*n*m + 8*(n+m)*c
}

// unpacked is n points without panels.
func unpacked[T simd.Float](n int) side[T] {
	return side[T]{n: n, prepare: func([]panel[T], []T, int, int, bool) {}}
}

// Select implements Operator.
func (o *kernel[T]) Select(rows []int) Operator {
	s := *o
	s.x = o.x.Select(rows)
	return &s
}

// Select implements Operator.
func (o *features[T]) Select(rows []int) Operator {
	s := *o
	s.x = o.x.Select(rows)
	return &s
}

// Select implements Operator.
func (o *evaluated) Select(rows []int) Operator {
	s := *o
	s.x = o.x.Select(rows)
	return &s
}
