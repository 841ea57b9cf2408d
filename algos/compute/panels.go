package compute

import (
	"slices"

	"repro/algos/compute/internal/simd"
)

// width is the number of points in a panel.
const width = simd.Width

// panels returns the number of panels that n points fill.
func panels(n int) int { return (n + width - 1) / width }

// A side is one of the two operands of a product: a set of points, packed in panels of 48. Panel p holds points
// 48p - skip … 48p - skip + 47 as columns; its row l is their component l. Extra rows after the inputs hold what is added
// to the inner products: phases or squared norms.
type side[T simd.Float] struct {
	n     int // points
	skip  int // unused columns of the first panel, before point 0
	depth int // rows of a panel
	// nominal, if not 0, is what counts as the size of a panel in bytes, because its depth depends on the instruction set but
	// the partition of a product, and with it bits, must not.
	nominal int
	// prepare, if set, does what fill does. Otherwise the points are the rows of x minus shift, and after is called on each panel
	// once these are packed.
	prepare func(panels []panel[T], dst []T, lo, hi int, strips bool)
	e       *Engine
	x       Matrix
	shift   []float64
	after   func(panel []T)
}

// A panel is 48 packed points. Its data is either component-major, rows of 48 numbers, or, if strips, a sequence of 6
// micro-panels (strips) of 8 points, each with rows of 8 numbers.
type panel[T simd.Float] struct {
	data   []T
	strips bool
}

// strides returns the distances between rows and between strips, in elements.
func (p panel[T]) strides() (row, strip int) {
	if p.strips {
		return simd.Strip, len(p.data) / width * simd.Strip
	}
	return width, simd.Strip
}

// index returns the index in data of component l of the point in column j.
func (p panel[T]) index(l, j int) int {
	row, strip := p.strides()
	return l*row + j/simd.Strip*strip + j%simd.Strip
}

// prepared is some packed panels of a side, with their memory.
type prepared[T simd.Float] struct {
	panels []panel[T]
	data   buffer[T]
}

// set packs panels lo ≤ p < hi of a side and returns them.
func (b *prepared[T]) set(s side[T], lo, hi int, strips bool) []panel[T] {
	b.panels = slices.Grow(b.panels[:0], hi-lo)[:hi-lo]
	s.fill(b.panels, b.data.get((hi-lo)*s.size()), lo, hi, strips)
	return b.panels
}

// fill sets panels to the packed panels lo ≤ p < hi. It packs them into dst, which has room for all, or returns cached ones. It
// cuts those that it packs into strips if strips is true. It may work in parallel.
func (s side[T]) fill(panels []panel[T], dst []T, lo, hi int, strips bool) {
	if s.prepare != nil {
		s.prepare(panels, dst, lo, hi, strips)
		return
	}
	eachJob(s.e, hi-lo, (hi-lo)*s.size(), packing[T]{s, panels, dst, lo, strips}, packing[T].panel)
}

// A packing packs points from panel lo on.
type packing[T simd.Float] struct {
	side   side[T]
	panels []panel[T]
	dst    []T
	lo     int
	strips bool
}

// panel packs panel lo + k.
func (p packing[T]) panel(k int) {
	s := &p.side
	to := panel[T]{p.dst[k*s.size():][:s.size()], p.strips}
	rows, space := to.rows(s.e)
	packPoints(rows, s.x, (p.lo+k)*width, s.shift)
	s.after(rows)
	to.filled(s.e, rows, space)
	p.panels[k] = to
}

func (s side[T]) panels() int { return panels(s.skip + s.n) }
func (s side[T]) size() int   { return s.depth * width }

// bytes returns the size of a panel, at least 1, or the nominal one.
func (s side[T]) bytes() int {
	if s.nominal > 0 {
		return s.nominal
	}
	return max(1, s.size()*sizeof[T]())
}

// columns returns the range from ≤ j < to of columns of panel p that hold points.
func (s side[T]) columns(p int) (from, to int) {
	if p == 0 {
		from = s.skip
	}
	return from, min(width, s.skip+s.n-p*width)
}

// points returns the rows of x minus shift (nil means 0) as a side with extra rows below the inputs. It calls after on
// each panel once its inputs are packed.
func points[T simd.Float](e *Engine, x Matrix, shift []float64, extra int, after func(panel []T)) side[T] {
	if shift == nil {
		shift = e.noShift(x.Cols)
	}
	return side[T]{n: x.Rows, depth: x.Cols + extra, e: e, x: x, shift: shift, after: after}
}

// noShift returns n zeros, which nobody may change.
func (e *Engine) noShift(n int) []float64 {
	if len(e.zeros) < n {
		e.zeros = make([]float64, n)
	}
	return e.zeros[:n]
}

// rows returns memory for the rows of the panel: its own, or that of a space if the panel is in strips.
func (p panel[T]) rows(e *Engine) ([]T, *tileSpace[T]) {
	if !p.strips {
		return p.data, nil
	}
	space := spaceOf[T](e).tileSpace()
	return space.rows.get(len(p.data)), space
}

// filled ends what began with rows: it cuts them into strips if the panel is in strips.
func (p panel[T]) filled(e *Engine, rows []T, space *tileSpace[T]) {
	if p.strips {
		p.cut(0, rows)
		spaceOf[T](e).giveBack(space)
	}
}

// cut copies rows to row l and those below it of a panel in strips.
func (p panel[T]) cut(l int, rows []T) {
	_, strip := p.strides()
	simd.Strips(p.data[l*simd.Strip:], strip, rows)
}

// packPoints packs up to 48 rows of x, beginning with row i, minus shift. Columns without a point are 0.
func packPoints[T simd.Float](panel []T, x Matrix, i int, shift []float64) {
	rows := min(width, x.Rows-i)
	if rows < width {
		clear(panel)
	}
	if x.Cols > 0 && rows > 0 {
		simd.Pack(panel, width, x.Data[i*x.Stride:], x.Stride, shift, rows, x.Cols)
	}
}

// MostPacked is the largest size in bytes of the points that KeepPacked keeps.
const MostPacked = 512 << 20

// KeepPacked returns a kernel operator whose products, and those of selections of its rows, keep z packed from the second one
// on, so that a batch of rows does not pack all of z anew. z must not change afterwards. Results have the same bits. It
// returns op itself if z takes more than 512 MiB, and other operators.
func KeepPacked(op Operator) Operator {
	o := operatorOf(op)
	if k, ok := o.on.(interface{ keepPacked() Product }); ok {
		if kept := k.keepPacked(); kept != nil {
			return o.like(o.e, kept)
		}
	}
	return op
}

// keepPacked returns nil if z is too large.
func (o *kernel[T]) keepPacked() Product {
	if panels(o.z.Rows)*o.product(o.x, o.z).in.size()*sizeof[T]() > MostPacked {
		return nil
	}
	k := *o
	k.kept = &keptPanels[T]{panels: make([]panel[T], panels(o.z.Rows))}
	return &k
}

// keptPanels are the packed panels of a side, those without data not packed yet.
type keptPanels[T simd.Float] struct {
	panels   []panel[T]
	products int
}

// of returns s, whose panels are kept.
func (k *keptPanels[T]) of(s side[T]) side[T] {
	k.products++
	packed := s
	s.prepare = func(panels []panel[T], dst []T, lo, hi int, strips bool) {
		if k.products == 1 {
			packed.fill(panels, dst, lo, hi, strips)
			return
		}
		for p := lo; p < hi; p++ {
			if k.panels[p].data == nil || k.panels[p].strips != strips {
				packed.fill(k.panels[lo:hi], allocate[T]((hi-lo)*s.size()), lo, hi, strips)
				break
			}
		}
		copy(panels, k.panels[lo:hi])
	}
	return s
}
