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
	o := operatorOf(op)
	size := o.bytes()
	if o.on == nil || o.stored || !e.take(size) {
		return op
	}
	held := e.hold(size, nil)
	var kept Product
	if k, ok := o.on.(Keeper); ok {
		kept = k.Keep()
	} else {
		kept = o.copied()
	}
	e.count(o.evaluation())
	s := o.like(e, kept)
	s.stored, s.held, s.part = true, held, false
	return s
}

// Reserve returns a stored r×c matrix of float64 numbers, and its entries, for the caller to set before the first product. ok is
// false if it exceeds what is left of Options.MemoryBytes.
func (e *Engine) Reserve(r, c int) (op Operator, entries Matrix, ok bool) {
	size := 8 * int64(r) * int64(c)
	if !e.take(size) {
		return nil, Matrix{}, false
	}
	s := &stored[float64]{factor: 1, data: newNumbers[float64](e, r*c)}
	s.operator = operator{e: e, on: s, kind: givenNumbers, rows: r, cols: c, stored: true, held: e.hold(size, nil)}
	return s.own(), Matrix{Rows: r, Cols: c, Stride: c, Data: s.data}, true
}

// take takes memory for stored operators, and reports whether there was enough.
func (e *Engine) take(size int64) bool {
	if e.stored.Add(size) <= e.memory {
		return true
	}
	e.stored.Add(-size)
	return false
}

// A holding is the memory of a stored operator. It counts against the limit of its engine until it is released or garbage
// collected: whoever can read the entries holds it.
type holding struct {
	size int64
	of   *holding `held:"bookkeeping"` // of the engine that stored what its own engine adopted
	end  runtime.Cleanup
}

// hold returns the holding of memory that was taken.
func (e *Engine) hold(size int64, of *holding) *holding {
	h := &holding{size: size, of: of}
	h.end = runtime.AddCleanup(h, func(stored *atomic.Int64) { stored.Add(-size) }, e.stored)
	return h
}

// mustBeStored panics if op is not stored.
func mustBeStored(name string, op Operator) *operator {
	if o := operatorOf(op); o.stored {
		return o
	}
	panic(fmt.Sprintf("compute: %s: %T is not stored", name, op))
}

// Adopt returns op, which another engine of the same precision stored, as an operator of e. Its products run on e. Both
// operators share one matrix, whose bytes count against the limit of both engines. Adopt adds the cost of evaluating the
// matrix to the counters of e, so that costs do not depend on which engine stored it. It panics if op is not stored.
func (e *Engine) Adopt(op Operator) Operator {
	o := mustBeStored("Adopt", op)
	e.stored.Add(o.bytes())
	return e.of(o, e.hold(o.bytes(), o.held))
}

// Borrow returns op as an operator of e, as Adopt does, until the engine that stored it releases it or evaluates the next.
// The matrix does not count against the limit of e.
func (e *Engine) Borrow(op Operator) Operator {
	o := mustBeStored("Borrow", op)
	return e.of(o, o.held)
}

// of returns o as an operator of e, whose counters get its cost.
func (e *Engine) of(o *operator, held *holding) Operator {
	on := o.on
	if h, ok := on.(interface{ of(e *Engine) Product }); ok {
		on = h.of(e)
	}
	e.count(o.evaluation())
	mine := o.like(e, on)
	mine.held, mine.part = held, true
	return mine
}

func (o *stored[T]) of(e *Engine) Product {
	mine := *o
	mine.e = e
	return &mine
}

// Release frees the memory of an operator that Store of this engine returned, at once instead of at the next garbage
// collection. Neither the operator nor any selection of its rows may be used afterwards. Release does nothing to other
// operators, including selections and adopted ones.
func (e *Engine) Release(op Operator) {
	o := operatorOf(op)
	if o.e != e || o.held == nil || o.part || o.on == nil {
		return
	}
	o.held.end.Stop()
	e.stored.Add(-o.held.size)
	if h, ok := o.on.(interface{ leave() }); ok {
		h.leave()
	}
	o.on = nil
}

// leave leaves the memory to the next stored operator of the same size.
func (o *stored[T]) leave() { o.e.spare, o.data = o.data, nil }

// IsStored reports whether op is a stored matrix or a selection of its rows.
func IsStored(op Operator) bool { return operatorOf(op).stored }

// Entries returns a copy of the matrix of a stored operator. It panics if op is not stored.
func Entries(op Operator) Matrix {
	o := mustBeStored("Entries", op)
	m := NewMatrix(o.rows, o.cols)
	o.on.Entries(m.Row)
	return m
}

func (o *stored[T]) Entries(to func(i int) []float64) {
	for i := range o.rows {
		row := to(i)
		for j, v := range o.data[o.at(i)*o.cols:][:o.cols] {
			row[j] = o.factor * float64(v)
		}
	}
}

// copied returns the stored matrix of all entries, in memory of its own.
func (o *operator) copied() Product {
	if o.single {
		return storedIn(o, newNumbers[float32](o.e, o.rows*o.cols))
	}
	return storedIn(o, newNumbers[float64](o.e, o.rows*o.cols))
}

// storedIn returns the stored matrix of all entries of o, in data.
func storedIn[T simd.Float](o *operator, data []T) *stored[T] {
	s := &stored[T]{operator: operator{e: o.e, rows: o.rows, cols: o.cols}, factor: 1, data: data}
	switch on := o.on.(type) {
	case *kernel[T]:
		s.fill(on.product(on.z, on.x), on.symmetric())
	case *features[T]:
		s.fill(on.product(on.frequencies(), on.samples(), true), false)
	case *evaluated:
		on.parts(func(phi Matrix, row, col int) {
			for i := range phi.Rows {
				simd.Convert(data[(row+i)*o.cols+col:][:phi.Cols], phi.Row(i))
			}
		})
	default:
		all := NewMatrix(o.rows, o.cols)
		on.Entries(all.Row)
		simd.Convert(data, all.Data)
	}
	return s
}

// fill sets the entries to the transpose of a product.
func (o *stored[T]) fill(p *product[T], symmetric bool) {
	o.factor = p.factor
	p.eachOf(symmetric)(func(tile []T, q, out int) {
		p.rowsOf(tile, q, out, func(i, j int, row []T) { copy(o.data[i*o.cols+j:], row) })
	})
	p.done()
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

// newNumbers returns memory for the n numbers of a stored matrix: that of the last one released if it has the same size.
func newNumbers[T simd.Float](e *Engine, n int) []T {
	data, reuse := e.spare.([]T)
	e.spare = nil
	if reuse && len(data) == n {
		return data
	}
	data = nil // so that the collection can free it
	if n*sizeof[T]() >= collectFirst {
		runtime.GC() // garbage of the same size could exceed the machine's memory
	}
	return allocate[T](n)
}

// stored is a row-major matrix in the precision of its engine, or a selection of the rows of one.
type stored[T simd.Float] struct {
	operator
	factor float64 // multiplies the entries of data
	data   []T
	chosen []int // rows of data; nil means all
}

func (o *stored[T]) Part(rows []int) Product {
	chosen := make([]int, len(rows))
	for i, r := range rows {
		chosen[i] = o.at(r)
	}
	return &stored[T]{operator: operator{e: o.e, rows: len(rows), cols: o.cols}, factor: o.factor, data: o.data, chosen: chosen}
}

// at returns the row of data that is row i.
func (o *stored[T]) at(i int) int {
	if o.chosen == nil {
		return i
	}
	return o.chosen[i]
}

func (o *stored[T]) Mul(dst, v Matrix, transpose bool) {
	if !transpose && v.Cols <= FewColumns && o.cols > 0 {
		rowProducts(o.e, dst, o.factor, rowSet[T]{o.data, o.cols, o.chosen}, operandOf(v, false), 0)
		return
	}
	p := newProduct[T](o.e)
	p.factor = o.factor
	if transpose {
		p.out, p.in = unpacked[T](o.cols), unpacked[T](o.rows)
		p.read = func(tile []T, _ *tileSpace[T], q, out int) { o.copy(tile, q, out) }
		if o.chosen == nil {
			p.stored = o.inPlace
		}
	} else {
		p.out, p.in = unpacked[T](o.rows), unpacked[T](o.cols)
		p.read = func(tile []T, space *tileSpace[T], q, out int) {
			rows, cols := o.copy(space.turned, out, q)
			simd.Transpose(tile, width, space.turned, width, rows, cols)
		}
	}
	p.mul(dst, v)
	p.done()
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
func RowsOf(op Operator) Rowwise {
	o := mustBeStored("RowsOf", op)
	if rows, ok := o.on.(Rowwise); ok {
		return rows
	}
	return o.like(o.e, o.copied()).on.(Rowwise) // from the memory of another device
}

// Evaluate evaluates all entries of a kernel or feature operator, as Store does, in memory that the next call of Evaluate
// reuses and that Options.MemoryBytes does not limit.
func (e *Engine) Evaluate(op Operator) Rowwise {
	o := operatorOf(op)
	if o.on == nil || o.stored {
		return RowsOf(op)
	}
	var on Product
	if n := o.rows * o.cols; o.single {
		on = storedIn(o, e.single.evaluated.get(n))
	} else {
		on = storedIn(o, e.double.evaluated.get(n))
	}
	e.count(o.evaluation())
	o.like(e, on).stored = true
	return on.(Rowwise)
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
