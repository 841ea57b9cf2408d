package compute

import (
	"slices"

	"repro/algos/compute/internal/simd"
)

// A side is one of the two sets of points between which a product is taken, in panels: panel p holds
// points 48p - skip … 48p - skip + 47 as columns, row l their component l. Rows beyond the inputs make a
// sum of products what it should be: a phase, or squared norms.
type side[T simd.Float] struct {
	n     int // points
	skip  int // columns of the first panel before point 0
	depth int // rows of a panel
	// prepare makes panels lo ≤ p < hi in dst, which has room for all of them one after another, and sets
	// panels to them; panels that exist already need not be copied. It may work in parallel.
	prepare func(panels [][]T, dst []T, lo, hi int)
}

// A prepared side is some of its panels, with the memory they are in.
type prepared[T simd.Float] struct {
	panels [][]T
	data   buffer[T]
}

// set prepares panels lo ≤ p < hi of a side and returns them.
func (b *prepared[T]) set(s side[T], lo, hi int) [][]T {
	b.panels = slices.Grow(b.panels[:0], hi-lo)[:hi-lo]
	s.prepare(b.panels, b.data.get((hi-lo)*s.size()), lo, hi)
	return b.panels
}

func (s side[T]) panels() int { return panels(s.skip + s.n) }
func (s side[T]) size() int   { return s.depth * width }

// bytes returns the size of a panel, at least 1.
func (s side[T]) bytes() int { return max(1, s.size()*sizeof[T]()) }

// columns returns the columns of panel p that hold points, from ≤ j < to.
func (s side[T]) columns(p int) (from, to int) {
	if p == 0 {
		from = s.skip
	}
	return from, min(width, s.skip+s.n-p*width)
}

// points packs the rows of x, less a shift, and leaves room for extra rows. after is called for each panel
// when its inputs are there.
func points[T simd.Float](e *Engine, x Matrix, shift []float64, extra int, after func(panel []T)) side[T] {
	s := side[T]{n: x.Rows, depth: x.Cols + extra}
	if shift == nil {
		shift = make([]float64, x.Cols)
	}
	s.prepare = func(panels [][]T, dst []T, lo, hi int) {
		e.parallel(hi-lo, (hi-lo)*s.size(), func(k int) {
			panels[k] = dst[k*s.size():][:s.size()]
			packPoints(panels[k], x, (lo+k)*width, shift)
			after(panels[k])
		})
	}
	return s
}

// packPoints packs up to 48 rows of x, from row i on; columns without a point are zero.
func packPoints[T simd.Float](panel []T, x Matrix, i int, shift []float64) {
	rows := min(width, x.Rows-i)
	if rows < width {
		clear(panel)
	}
	if x.Cols > 0 && rows > 0 {
		simd.Pack(panel, width, x.Data[i*x.Stride:], x.Stride, shift, rows, x.Cols)
	}
}
