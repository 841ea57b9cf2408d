package compute

import (
	"math"
	"sync/atomic"

	"repro/algos/compute/internal/simd"
)

// A grid is what the components of two sets of points are on: step·(least + v) with integers v from 0 to 255. Pixels, codes
// and indicators are. A kernel computes squared distances of such points from the integers: exactly, and several times as
// fast where the processor multiplies bytes.
type grid struct {
	step  float64
	least int
}

const (
	gridValues = 256 // integers v
	gridRows   = 256 // least rows of both sets: to look for a grid of fewer costs more than it saves
	gridSample = 32  // rows that the step is found from
)

// gridOf returns the grid that the points of x and z are on, nil if there is none.
func (e *Engine) gridOf(x, z Matrix) *grid {
	if min(x.Rows, z.Rows) < gridRows || z.Cols > simd.MostIntegers {
		return nil
	}
	step := stepOf(z)
	if step == 0 {
		return nil
	}
	lo, hi := e.multiples(z, step)
	if hi-lo < gridValues && !same(x, z) {
		from, to := e.multiples(x, step)
		lo, hi = min(lo, from), max(hi, to)
	}
	if hi-lo >= gridValues {
		return nil
	}
	return &grid{step, lo}
}

// stepOf returns the largest step of which the components of up to 32 rows of z can be multiples, 0 if there is none. It is a
// fraction of the smallest magnitude among them. Steps whose squares float32 lacks do not count.
func stepOf(z Matrix) float64 {
	least, of := math.Inf(1), min(z.Rows, gridSample)
	sample := make([]Matrix, of)
	for i := range of {
		at := i * z.Rows / of
		sample[i] = z.RowRange(at, at+1)
		for _, v := range sample[i].Row(0) {
			if v != 0 {
				least = min(least, math.Abs(v))
			}
		}
	}
	for j := 1; j < gridValues; j++ {
		step := least / float64(j)
		if !(step > 0x1p-50 && step < 0x1p40) {
			return 0
		}
		lo, hi := 0, 0
		for i := 0; i < of && hi-lo < gridValues; i++ {
			from, to := multiples(sample[i], step)
			lo, hi = min(lo, from), max(hi, to)
		}
		if hi-lo < gridValues {
			return step
		}
	}
	return 0
}

// multiples returns the least and the largest m of the components m·step of points; if one of them is no multiple, or they
// are further apart than 255, a range of more.
func (e *Engine) multiples(points Matrix, step float64) (lo, hi int) {
	const rows = 64
	n := (points.Rows + rows - 1) / rows
	ranges := make([][2]int, n)
	var failed atomic.Bool
	e.parallel(n, 4*points.Rows*points.Cols, func(job int) {
		if failed.Load() {
			return
		}
		from, to := multiples(points.RowRange(job*rows, min((job+1)*rows, points.Rows)), step)
		ranges[job] = [2]int{from, to}
		if to-from >= gridValues {
			failed.Store(true)
		}
	})
	if failed.Load() {
		return 0, gridValues
	}
	for _, r := range ranges {
		lo, hi = min(lo, r[0]), max(hi, r[1])
	}
	return lo, hi
}

// multiples is Engine.multiples on one thread. A number counts as a multiple if it differs from one by less than a quarter of
// the error of rounding it to float32. 0 is in the range.
func multiples(points Matrix, step float64) (lo, hi int) {
	inverse, least, largest := 1/step, int32(0), int32(0)
	for i := range points.Rows {
		for _, v := range points.Row(i) {
			q := v * inverse
			if !(q > -gridValues && q < gridValues) {
				return 0, gridValues
			}
			m := int32(q+(gridValues+.5)) - gridValues
			if math.Abs(q-float64(m)) > 0x1p-26*math.Abs(q) {
				return 0, gridValues
			}
			least, largest = min(least, m), max(largest, m)
		}
		if largest-least >= gridValues {
			return 0, gridValues
		}
	}
	return int(least), int(largest)
}

// onGrid returns the product of points on o.grid.
func (o *kernel[T]) onGrid(out, in Matrix) *product[T] {
	integers := simd.NewIntegers(out.Cols)
	p := newProduct[T](o.e)
	p.out, p.in = o.integers(integers, out, false), o.keeps(in, o.integers(integers, in, true))
	unit := o.grid.step * o.f.Scale
	form, s := simd.Distance, unit*unit
	if a := o.f.exponent(); a != 0 {
		form, s = simd.Exponential, a*s
	} else {
		p.epilogue = o.f.Steps
	}
	p.panels = any(integers.Panels(form, float32(s))).(*simd.Panels[T])
	return p
}

// integers returns x as a side of integers.
func (o *kernel[T]) integers(of *simd.Integers, x Matrix, left bool) side[T] {
	s := side[T]{n: x.Rows, depth: of.Rows() + 1, nominal: (x.Cols/2 + 1) * width * sizeof[T]()}
	w, shift, scale := spaceOf[float32](o.e), make([]float64, x.Cols), float32(1/o.grid.step)
	for l := range shift {
		shift[l] = float64(o.grid.least) * o.grid.step
	}
	s.prepare = func(panels []panel[T], dst []T, lo, hi int, strips bool) {
		o.e.parallel(hi-lo, (hi-lo)*x.Cols*width, func(k int) {
			panels[k] = panel[T]{dst[k*s.size():][:s.size()], strips}
			space := w.tileSpace()
			rows := space.rows.get(of.Components() * width)
			packPoints(rows, x, (lo+k)*width, shift)
			clear(rows[x.Cols*width:])
			row, strip := panels[k].strides()
			of.Pack(any(panels[k].data).([]float32), row, strip, rows, scale, left)
			w.giveBack(space)
		})
	}
	return s
}
