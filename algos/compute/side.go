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
	// panels to them. Those that exist already need not be copied; the others are cut into strips if strips asks for
	// that. It may work in parallel.
	prepare func(panels []panel[T], dst []T, lo, hi int, strips bool)
}

// A panel is 48 points: rows of 48 numbers, or, where tiles read them faster so, strips of 8 points one after another,
// each as many rows of 8.
type panel[T simd.Float] struct {
	data   []T
	strips bool
}

// strides returns the distances of rows and of strips.
func (p panel[T]) strides() (row, strip int) {
	if p.strips {
		return simd.Strip, len(p.data) / width * simd.Strip
	}
	return width, simd.Strip
}

// index returns where component l of the point in column j is.
func (p panel[T]) index(l, j int) int {
	row, strip := p.strides()
	return l*row + j/simd.Strip*strip + j%simd.Strip
}

// A prepared side is some of its panels, with the memory they are in.
type prepared[T simd.Float] struct {
	panels []panel[T]
	data   buffer[T]
}

// set prepares panels lo ≤ p < hi of a side and returns them.
func (b *prepared[T]) set(s side[T], lo, hi int, strips bool) []panel[T] {
	b.panels = slices.Grow(b.panels[:0], hi-lo)[:hi-lo]
	s.prepare(b.panels, b.data.get((hi-lo)*s.size()), lo, hi, strips)
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
	s.prepare = func(panels []panel[T], dst []T, lo, hi int, strips bool) {
		e.parallel(hi-lo, (hi-lo)*s.size(), func(k int) {
			panels[k] = panel[T]{dst[k*s.size():][:s.size()], strips}
			panels[k].fill(e, func(rows []T) {
				packPoints(rows, x, (lo+k)*width, shift)
				after(rows)
			})
		})
	}
	return s
}

// fill sets the panel to one that make makes as rows.
func (p panel[T]) fill(e *Engine, make func(rows []T)) {
	if !p.strips {
		make(p.data)
		return
	}
	w := spaceOf[T](e)
	space := w.tileSpace()
	rows := space.rows.get(len(p.data))
	make(rows)
	p.cut(0, rows)
	w.giveBack(space)
}

// cut sets row l and those after it of a panel in strips.
func (p panel[T]) cut(l int, rows []T) {
	_, strip := p.strides()
	simd.Strips(p.data[l*simd.Strip:], strip, rows)
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
