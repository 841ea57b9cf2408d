package compute

import (
	"fmt"
	"slices"

	"repro/algos/compute/internal/simd"
)

// Features returns the operator Φ of the features of the given blocks at the rows of x. With w = f.Width(), Φ is
// x.Rows × w·(Hi-Lo), and entry (i, j) is feature j mod w of block Lo + j/w at row i of x. Frequencies are drawn at every
// product unless the engine's cache holds them. It panics if blocks is not a range or f is neither a ProjectionMap nor
// an Evaluator.
func (e *Engine) Features(f FeatureMap, x Matrix, blocks Range) Operator {
	return e.features(f, x, blocks)
}

func (e *Engine) features(f FeatureMap, x Matrix, blocks Range) *operator {
	if blocks.Lo < 0 || blocks.Hi < blocks.Lo {
		panic(fmt.Sprintf("compute: Features: blocks [%d, %d) are not a range", blocks.Lo, blocks.Hi))
	}
	if m, ok := f.(Mapped); ok {
		x = m.Map(x)
	}
	var o *operator
	switch f := f.(type) {
	case Evaluator:
		o = e.operator(&evaluated{operator{}, f, x, blocks})
		o.kind = evaluatedFeatures
	case ProjectionMap:
		o = e.operator(e.device.Features(e.precision, f, x, blocks))
		o.kind = featureValues
	default:
		panic(fmt.Sprintf("compute: Features: %T is neither a ProjectionMap nor an Evaluator", f))
	}
	o.single, o.rows, o.cols, o.inputs = e.precision == Float32, x.Rows, (blocks.Hi-blocks.Lo)*f.Width(), x.Cols
	return o
}

// Features implements Device.
func (h *host) Features(p Precision, f ProjectionMap, x Matrix, blocks Range) Product {
	if p == Float32 {
		return &features[float32]{operator{e: (*Engine)(h)}, f, x, blocks}
	}
	return &features[float64]{operator{e: (*Engine)(h)}, f, x, blocks}
}

// features is the operator Φ of a ProjectionMap.
type features[T simd.Float] struct {
	operator
	f      ProjectionMap
	x      Matrix
	blocks Range
}

func (o *features[T]) Part(rows []int) Product {
	s := *o
	s.x = o.x.Select(rows)
	return &s
}

func (o *features[T]) Mul(dst, v Matrix, transpose bool) {
	var p *product[T]
	if transpose {
		p = o.product(o.frequencies(), o.samples(), true)
	} else {
		p = o.product(o.samples(), o.frequencies(), false)
	}
	p.mul(dst, v)
	p.done()
}

// FeatureMatrix returns the matrix Φ of Features: 8·x.Rows·f.Width()·(Hi-Lo) bytes.
func (e *Engine) FeatureMatrix(f FeatureMap, x Matrix, blocks Range) Matrix {
	return e.features(f, x, blocks).matrix()
}

func (o *features[T]) Entries(to func(i int) []float64) {
	p := o.product(o.frequencies(), o.samples(), true)
	p.writeTo(to, false)
	p.done()
}

// product returns the product of two sides, one of which holds the frequencies: out if columns, else in.
func (o *features[T]) product(out, in side[T], columns bool) *product[T] {
	p := newProduct[T](o.e)
	p.out, p.in = out, in
	if g := o.f.Activation(); g.Function == Cosine && g.A != 0 {
		p.setPanels(simd.Cosine, columns, o.x.Cols, 0)
		p.factor = g.A * p.panels.Factor()
	} else {
		p.setPanels(simd.Sum, columns, o.x.Cols, 0)
		if g.Function != Identity {
			p.activation[0] = g
			p.epilogue = p.activation[:]
		}
	}
	return p
}

func (o *features[T]) samples() side[T] { return points(o.e, o.x, nil, 0, func([]T) {}) }

// frequencies returns the side of the frequencies ω, with a row of phases below them. Panels begin at multiples of 48
// features of the endless sequence, so that each panel is the same in every range of blocks.
func (o *features[T]) frequencies() side[T] {
	n, first := (o.blocks.Hi-o.blocks.Lo)*o.f.Width(), o.blocks.Lo*o.f.Width()
	p0 := first / width
	s := side[T]{n: n, skip: first % width, depth: o.x.Cols + 1}
	s.prepare = func(panels []panel[T], dst []T, lo, hi int, strips bool) { o.draw(panels, dst, p0+lo, strips) }
	return s
}

// draw sets panels to len(panels) panels of the endless sequence, the first of them panel lo. It takes panels from the
// cache if they are there, and adds drawn panels to the cache while there is room.
func (o *features[T]) draw(panels []panel[T], dst []T, lo int, strips bool) {
	size := (o.x.Cols + 1) * width
	cache, key := &o.e.cache, panelKey{o.f.Stream(), o.f.Width(), o.x.Cols, sizeof[T](), 0}
	room := cache.room(size * sizeof[T]())
	var missing, added []int
	for k := range panels {
		key.panel = lo + k
		if kept, ok := cache.panels[key]; ok {
			panels[k] = panel[T]{kept.([]T), false}
			continue
		}
		missing = append(missing, key.panel)
		if len(missing) <= room {
			panels[k] = panel[T]{spaceOf[T](o.e).panel(size), false}
			added = append(added, key.panel)
		} else {
			panels[k] = panel[T]{dst[k*size:][:size], strips}
		}
	}
	if len(missing) > 0 {
		draw := o.drawing(missing)
		o.e.parallel(len(missing), 64*len(missing)*size, func(k int) { draw(missing[k], panels[missing[k]-lo]) })
	}
	for _, p := range added {
		key.panel = p
		cache.add(key, panels[p-lo].data, size*sizeof[T]())
	}
}

// A SpectralMap is a ProjectionMap whose frequencies follow a Spectrum: feature j of block i is row j of stream i of the
// source. The operators draw the frequencies directly into packed panels, many times faster than Draw; in float32 they
// are rounded as drawPanel says.
type SpectralMap interface {
	ProjectionMap
	// Spectrum returns the law of the frequencies and the source of their streams.
	Spectrum() (Spectrum, Source)
}

// drawing returns a function that sets to to panel p of the sequence; which lists the panels it will be called for, in
// increasing order. If the map is not a SpectralMap, drawing first draws all blocks that these panels need.
func (o *features[T]) drawing(which []int) func(p int, to panel[T]) {
	w, d := o.f.Width(), o.x.Cols
	if s, ok := o.f.(SpectralMap); ok {
		spectrum, source := s.Spectrum()
		return func(p int, to panel[T]) { drawPanel(spectrum, source, p*width, w, d, to) }
	}
	var need []int // blocks
	for _, p := range which {
		for b := p * width / w; b*w < (p+1)*width; b++ {
			if len(need) == 0 || need[len(need)-1] < b {
				need = append(need, b)
			}
		}
	}
	omega, phase := make([]Matrix, len(need)), make([][]float64, len(need))
	drawn := spaceOf[T](o.e).drawn.get(len(need) * w * (d + 1))
	clear(drawn)
	o.e.parallel(len(need), 64*len(need)*w*(d+1), func(k int) {
		block := drawn[k*w*(d+1):][:w*(d+1)]
		omega[k], phase[k] = Matrix{Rows: d, Cols: w, Stride: w, Data: block[:d*w]}, block[d*w:]
		o.f.Draw(need[k], omega[k], phase[k])
	})
	return func(p int, to panel[T]) {
		rows, space := to.rows(o.e)
		for j := range width {
			f := p*width + j
			k, _ := slices.BinarySearch(need, f/w)
			for l := range d {
				rows[l*width+j] = T(omega[k].At(l, f%w))
			}
			rows[d*width+j] = T(phase[k][f%w])
		}
		to.filled(o.e, rows, space)
	}
}

type panelKey struct {
	stream          any
	width, in, size int
	panel           int
}

// A panelCache keeps drawn panels up to a limit of bytes. It keeps the first panels added and never evicts: a method
// that visits its blocks in order at every step would evict each panel before using it again.
type panelCache struct {
	limit, used int64
	panels      map[panelKey]any // []float32 or []float64
}

// room returns how many more panels of size bytes fit into the cache.
func (c *panelCache) room(size int) int { return int(max(0, c.limit-c.used) / int64(size)) }

// recycle empties the cache and leaves the memory of its panels to workspaces.
func (c *panelCache) recycle(single *workspace[float32], double *workspace[float64]) {
	for _, p := range c.panels {
		switch p := p.(type) {
		case []float32:
			single.recycle(p)
		case []float64:
			double.recycle(p)
		}
	}
	c.panels, c.used = nil, 0
}

// add adds a panel, a []float32 or []float64.
func (c *panelCache) add(key panelKey, panel any, size int) {
	if c.panels == nil {
		c.panels = map[panelKey]any{}
	}
	c.panels[key] = panel
	c.used += int64(size)
}

// evaluated is the operator Φ of an Evaluator. It evaluates Φ in parts and multiplies each part with Gemm.
type evaluated struct {
	operator
	f      Evaluator
	x      Matrix
	blocks Range
}

func (o *evaluated) Part(rows []int) Product {
	s := *o
	s.x = o.x.Select(rows)
	return &s
}

func (o *evaluated) Mul(dst, v Matrix, transpose bool) {
	dst.Zero()
	o.parts(func(phi Matrix, row, col int) {
		out, in := dst.RowRange, v.RowRange
		if transpose {
			o.e.device.Gemm(o.e.precision, out(col, col+phi.Cols), 1, phi, true, in(row, row+phi.Rows), false, 1, false)
		} else {
			o.e.device.Gemm(o.e.precision, out(row, row+phi.Rows), 1, phi, false, in(col, col+phi.Cols), false, 1, false)
		}
	})
}

func (o *evaluated) Entries(to func(i int) []float64) {
	o.parts(func(phi Matrix, row, col int) {
		for i := range phi.Rows {
			copy(to(row + i)[col:], phi.Row(i))
		}
	})
}

// partRows is the largest number of rows of a part of Φ, evaluateRows that of one call of Evaluate.
const partRows, evaluateRows = 1024, 128

// parts calls visit for parts of Φ of a few megabytes: phi holds the part whose first entry is (row, col). The partition determines the bits of results; it depends only on the shape
// of Φ.
func (o *evaluated) parts(visit func(phi Matrix, row, col int)) {
	w := o.f.Width()
	rows := min(max(evaluateRows, panelBytes/(8*w)), partRows)
	group := max(1, panelBytes/(8*w*rows))
	space := o.e.Unset(min(rows, o.x.Rows), w*min(group, o.blocks.Hi-o.blocks.Lo))
	defer o.e.Reuse(space)
	for lo := o.blocks.Lo; lo < o.blocks.Hi; lo += group {
		hi := min(lo+group, o.blocks.Hi)
		for row := 0; row < o.x.Rows; row += rows {
			phi := space.RowRange(0, min(rows, o.x.Rows-row)).ColRange(0, w*(hi-lo))
			o.fill(phi, row, Range{lo, hi})
			visit(phi, row, w*(lo-o.blocks.Lo))
		}
	}
}

// fill sets phi to the features of the blocks at phi.Rows rows of x, the first of them row.
func (o *evaluated) fill(phi Matrix, row int, blocks Range) {
	w := o.f.Width()
	slices := (phi.Rows + evaluateRows - 1) / evaluateRows
	o.e.parallel(slices*(blocks.Hi-blocks.Lo), 8*phi.Rows*phi.Cols*(1+o.x.Cols), func(job int) {
		at, i := job%slices*evaluateRows, job/slices
		end := min(at+evaluateRows, phi.Rows)
		o.f.Evaluate(blocks.Lo+i, o.x.RowRange(row+at, row+end), phi.RowRange(at, end).ColRange(i*w, (i+1)*w))
	})
}
