package compute

import (
	"fmt"

	"repro/algos/compute/internal/simd"
)

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
