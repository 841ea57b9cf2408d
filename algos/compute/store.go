package compute

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"repro/algos/compute/internal/simd"
)

// Store evaluates all entries of a kernel or feature operator and returns it as a stored matrix of r·c numbers in the
// engine's precision, so that further products evaluate nothing. Store returns op itself if the matrix exceeds what is
// left of Options.MemoryBytes, or if op is stored already or of another kind. The memory is free again after Release, or
// when the result has been garbage collected.
func (e *Engine) Store(op Operator) Operator {
	if inSingle(e, op) {
		return store[float32](e, op)
	}
	return store[float64](e, op)
}

// Reserve returns a stored r×c matrix of float64 numbers, and its entries, for the caller to set before the first product. ok is
// false if it exceeds what is left of Options.MemoryBytes.
func (e *Engine) Reserve(r, c int) (op Operator, entries Matrix, ok bool) {
	s := newStored[float64](e, r, c)
	if s == nil {
		return nil, Matrix{}, false
	}
	return s, Matrix{Rows: r, Cols: c, Stride: c, Data: s.data}, true
}

// inSingle reports whether the entries of op are float32 numbers.
func inSingle(e *Engine, op Operator) bool {
	switch op.(type) {
	case *kernel[float32], *features[float32]:
		return true
	case *evaluated:
		return e.precision == Float32
	}
	return false
}

// inMemory is what a stored operator can do in either precision.
type inMemory interface {
	Rowwise
	adopt(e *Engine) Operator
	borrow(e *Engine) Operator
	release(e *Engine)
	entries() Matrix
}

// mustBeStored panics if op is not stored.
func mustBeStored(name string, op Operator) inMemory {
	if o, ok := op.(inMemory); ok {
		return o
	}
	panic(fmt.Sprintf("compute: %s: %T is not stored", name, op))
}

// Adopt returns op, which another engine of the same precision stored, as an operator of e. Its products run on e. Both
// operators share one matrix, whose bytes count against the limit of both engines. Adopt adds the cost of evaluating the
// matrix to the counters of e, so that costs do not depend on which engine stored it. It panics if op is not stored.
func (e *Engine) Adopt(op Operator) Operator { return mustBeStored("Adopt", op).adopt(e) }

func (o *stored[T]) adopt(e *Engine) Operator {
	mine := o.of(e)
	size := mine.size()
	e.stored.Add(size)
	mine.occupies(size)
	return mine
}

// Borrow returns op as an operator of e, as Adopt does, until the engine that stored it releases it or evaluates the next.
// The matrix does not count against the limit of e.
func (e *Engine) Borrow(op Operator) Operator { return mustBeStored("Borrow", op).borrow(e) }

func (o *stored[T]) borrow(e *Engine) Operator { return o.of(e) }

// of returns o as an operator of e, whose counters get its cost.
func (o *stored[T]) of(e *Engine) *stored[T] {
	mine := *o
	mine.e = e
	if mine.whole == nil {
		mine.whole = o
	}
	e.counters = e.counters.Add(o.cost)
	return &mine
}

// Release frees the memory of an operator that Store of this engine returned, at once instead of at the next garbage
// collection. Neither the operator nor any selection of its rows may be used afterwards. Release does nothing to other
// operators, including selections and adopted ones.
func (e *Engine) Release(op Operator) {
	if o, ok := op.(inMemory); ok {
		o.release(e)
	}
}

func (o *stored[T]) release(e *Engine) {
	if o.e != e || o.whole != nil || o.data == nil {
		return
	}
	o.kept.Stop()
	e.stored.Add(-o.size())
	e.spare, o.data = o.data, nil
}

// IsStored reports whether op is a stored matrix or a selection of its rows.
func IsStored(op Operator) bool {
	_, ok := op.(inMemory)
	return ok
}

// Entries returns a copy of the matrix of a stored operator. It panics if op is not stored.
func Entries(op Operator) Matrix { return mustBeStored("Entries", op).entries() }

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

// store stores op.
func store[T simd.Float](e *Engine, op Operator) Operator {
	fill := filling[T](op)
	if fill == nil {
		return op
	}
	r, c := op.Dims()
	s := newStored[T](e, r, c)
	if s == nil {
		return op
	}
	fill(s)
	return s
}

// filling returns what evaluates the entries of op into a matrix and counts the cost, nil if op has none to evaluate.
func filling[T simd.Float](op Operator) func(s *stored[T]) {
	switch o := op.(type) {
	case *kernel[T]:
		return func(s *stored[T]) { s.fill(o.product(o.z, o.x), o.symmetric(), o.count) }
	case *features[T]:
		return func(s *stored[T]) { s.fill(o.product(o.frequencies(), o.samples(), true), false, o.count) }
	case *evaluated:
		return func(s *stored[T]) { s.fillEvaluated(o) }
	}
	return nil
}

// fill sets the entries to the transpose of a product, whose cost count counts.
func (o *stored[T]) fill(p *product[T], symmetric bool, count func(k int)) {
	before := o.e.counters
	o.factor = p.factor
	p.eachOf(symmetric)(func(tile []T, q, out int) {
		p.rowsOf(tile, q, out, func(i, j int, row []T) { copy(o.data[i*o.cols+j:], row) })
	})
	count(0)
	o.cost = o.e.counters.Sub(before)
}

// fillEvaluated sets the entries to the features of an Evaluator.
func (o *stored[T]) fillEvaluated(f *evaluated) {
	before := o.e.counters
	f.parts(func(phi Matrix, row, col int) {
		for i := range phi.Rows {
			simd.Convert(o.data[(row+i)*o.cols+col:][:phi.Cols], phi.Row(i))
		}
	})
	f.count(0)
	o.cost = o.e.counters.Sub(before)
}

// collectFirst is the size in bytes from which a garbage collection precedes the allocation of a matrix.
const collectFirst = 1 << 30

// hugePagesFrom is the size in bytes from which a matrix asks for huge pages: the TLB does not cover its small pages.
const hugePagesFrom = 64 << 20

// allocate returns n zeros.
func allocate[T simd.Float](n int) []T {
	data := make([]T, n)
	if n*sizeof[T]() >= hugePagesFrom {
		adviseHugePages(data)
	}
	return data
}

// newStored returns a stored r×c matrix whose entries are not set, or nil if it exceeds the engine's memory.
func newStored[T simd.Float](e *Engine, r, c int) *stored[T] {
	size := int64(r) * int64(c) * int64(sizeof[T]())
	if e.stored.Add(size) > e.memory {
		e.stored.Add(-size)
		return nil
	}
	data, reuse := e.spare.([]T)
	e.spare = nil
	if !reuse || len(data) != r*c {
		data = nil // so that the collection can free it
		if size >= collectFirst {
			runtime.GC() // garbage of the same size could exceed the machine's memory
		}
		data = allocate[T](r * c)
	}
	s := &stored[T]{e: e, rows: r, cols: c, factor: 1, data: data}
	s.occupies(size)
	return s
}

// occupies arranges that size is subtracted from the engine's memory in use when o is garbage collected.
func (o *stored[T]) occupies(size int64) {
	o.kept = runtime.AddCleanup(o, func(stored *atomic.Int64) { stored.Add(-size) }, o.e.stored)
}

func (o *stored[T]) size() int64 { return int64(len(o.data)) * int64(sizeof[T]()) }

// stored is a row-major matrix in the precision of its engine, or a selection of the rows of one.
type stored[T simd.Float] struct {
	e          *Engine
	rows, cols int
	factor     float64 // multiplies the entries of data
	data       []T
	cost       Counters   // cost of evaluating the matrix
	whole      *stored[T] // the operator that data belongs to, if another; the reference keeps it alive
	chosen     []int      // rows of data; nil means all
	kept       runtime.Cleanup
}

func (o *stored[T]) Dims() (r, c int) { return o.rows, o.cols }

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

// at returns the row of data that is row i.
func (o *stored[T]) at(i int) int {
	if i < 0 || i >= o.rows {
		panic(fmt.Sprintf("compute: Select: row %d of an operator with %d rows", i, o.rows))
	}
	if o.chosen == nil {
		return i
	}
	return o.chosen[i]
}

func (o *stored[T]) MulTo(dst, v Matrix) {
	mustShape("MulTo", dst, o.rows, v.Cols)
	mustShape("MulTo", v, o.cols, v.Cols)
	if v.Cols <= FewColumns && o.cols > 0 {
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
	if o.chosen == nil {
		p.stored = o.inPlace
	}
	p.mul(dst, v)
	o.count(v.Cols)
}

// copy sets dst to the tile of rows 48p … 48p+47 and columns 48q … 48q+47, as far as they exist, and returns the numbers
// of rows and columns copied.
func (o *stored[T]) copy(dst []T, p, q int) (rows, cols int) {
	rows, cols = min(width, o.rows-p*width), min(width, o.cols-q*width)
	for i := range rows {
		copy(dst[i*width:][:cols], o.data[o.at(p*width+i)*o.cols+q*width:])
	}
	return rows, cols
}

// inPlace returns the rows of panels p ≤ k < to at the 48 columns of panel q, the number of columns, and how many rows there are.
// It returns nil if there are fewer columns.
func (o *stored[T]) inPlace(p, to, q int) (rows []T, apart, n int) {
	if (q+1)*width > o.cols {
		return nil, 0, 0
	}
	return o.data[p*width*o.cols+q*width:], o.cols, min(to*width, o.rows) - p*width
}

func (o *stored[T]) count(k int) {
	n, m, c := int64(o.rows), int64(o.cols), int64(k)
	o.e.counters.Flops += 2 * n * m * c
	o.e.counters.Bytes += int64(sizeof[T]())*n*m + 8*(n+m)*c
}

// unpacked returns a side of n points that packs no panels, for products that set read.
func unpacked[T simd.Float](n int) side[T] {
	return side[T]{n: n, prepare: func([]panel[T], []T, int, int, bool) {}}
}

// Rowwise are rows of a stored operator, for methods that take one row or a few at a time: a product of an Operator costs more
// than their arithmetic does. Both methods run on the caller and compute in float64, in an order of sums that depends on
// nothing but the number of columns, so that a result has the same bits however rows are grouped.
type Rowwise interface {
	Operator
	// Dots sets dst_i to the inner product of row rows_i with v.
	Dots(dst []float64, rows []int, v []float64)
	// AddTo adds Σ_i c_i a_i to v, in order, where a_i is row rows_i.
	AddTo(v []float64, rows []int, c []float64)
}

// RowsOf returns the rows of a stored operator. It panics if op is not stored.
func RowsOf(op Operator) Rowwise { return mustBeStored("RowsOf", op) }

// Evaluate evaluates all entries of a kernel or feature operator, as Store does, in memory that the next call of Evaluate
// reuses and that Options.MemoryBytes does not limit.
func (e *Engine) Evaluate(op Operator) Rowwise {
	if inSingle(e, op) {
		return evaluate[float32](e, op)
	}
	return evaluate[float64](e, op)
}

func evaluate[T simd.Float](e *Engine, op Operator) Rowwise {
	fill := filling[T](op)
	if fill == nil {
		return RowsOf(op)
	}
	r, c := op.Dims()
	s := &stored[T]{e: e, rows: r, cols: c, factor: 1, data: spaceOf[T](e).evaluated.get(r * c)}
	fill(s)
	return s
}

func (o *stored[T]) Dots(dst []float64, rows []int, v []float64) {
	if len(dst) != len(rows) || len(v) != o.cols {
		panic(fmt.Sprintf("compute: Dots: %d results of %d rows with %d numbers, of rows of %d", len(dst), len(rows), len(v), o.cols))
	}
	sums := spaceOf[float64](o.e).sums.get(simd.Interleave * len(rows))
	simd.RowDots(dst, 1, o.data, o.cols, o.places(rows), len(rows), v, 1, o.cols, sums)
	if o.factor != 1 {
		for i := range dst {
			dst[i] *= o.factor
		}
	}
	o.countRows(len(rows))
}

func (o *stored[T]) AddTo(v []float64, rows []int, c []float64) {
	if len(c) != len(rows) || len(v) != o.cols {
		panic(fmt.Sprintf("compute: AddTo: %d factors of %d rows to %d numbers, of rows of %d", len(c), len(rows), len(v), o.cols))
	}
	for i, r := range o.places(rows) {
		simd.AddScaled(v, o.data[r*o.cols:][:o.cols], o.factor*c[i])
	}
	o.countRows(len(rows))
}

func (o *stored[T]) countRows(n int) {
	o.e.counters.Flops += 2 * int64(n) * int64(o.cols)
	o.e.counters.Bytes += int64(n)*int64(sizeof[T]()*o.cols+8) + 8*int64(o.cols)
}

// places returns which rows of data the given rows are.
func (o *stored[T]) places(rows []int) []int {
	if o.chosen == nil {
		return rows
	}
	places := make([]int, len(rows))
	for i, r := range rows {
		places[i] = o.at(r)
	}
	return places
}
