package compute

import (
	"fmt"

	"repro/algos/compute/internal/simd"
)

// Mul returns op(a)·b, op(a) = aᵀ if transpose.
func (e *Engine) Mul(a, b Matrix, transpose bool) Matrix {
	r := a.Rows
	if transpose {
		r = a.Cols
	}
	c := NewMatrix(r, b.Cols)
	e.Gemm(c, 1, a, transpose, b, false, 0)
	return c
}

// Gemm sets c to alpha·op(a)·op(b) + beta·c, where op transposes if ta or tb says so. With beta = 0 the
// old content of c does not matter. c must not share memory with a or b. aᵀ·a and a·aᵀ with beta = 0 take
// half the work. Vectors are matrices of one column; products with few columns, which are bound by memory,
// are computed in float64 in either precision.
func (e *Engine) Gemm(c Matrix, alpha float64, a Matrix, ta bool, b Matrix, tb bool, beta float64) {
	m, k := shape(a, ta)
	kb, n := shape(b, tb)
	if k != kb {
		panic(fmt.Sprintf("compute: Gemm: inner dimensions %d and %d differ", k, kb))
	}
	mustShape("Gemm", c, m, n)
	e.gemm(c, alpha, operandOf(a, !ta), operandOf(b, tb), beta, beta == 0 && ta != tb && same(a, b))
}

// Syrk sets c to alpha·op(a)·op(a)ᵀ + beta·c, op(a) = aᵀ if transpose. c must be symmetric unless beta
// is 0, and stays so to the bit; half of it is computed.
func (e *Engine) Syrk(c Matrix, alpha float64, a Matrix, transpose bool, beta float64) {
	m, _ := shape(a, transpose)
	mustShape("Syrk", c, m, m)
	x := operandOf(a, !transpose)
	e.gemm(c, alpha, x, x, beta, true)
}

func shape(a Matrix, transpose bool) (r, c int) {
	if transpose {
		return a.Cols, a.Rows
	}
	return a.Rows, a.Cols
}

// same reports whether a and b are the same matrix in the same memory.
func same(a, b Matrix) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols && a.Stride == b.Stride && len(a.Data) > 0 && len(b.Data) > 0 && &a.Data[0] == &b.Data[0]
}

// An operand is a matrix as points with components: a product's entries are inner products of the points
// of two operands.
type operand struct {
	m    Matrix
	rows bool // points are rows, else columns
}

func operandOf(m Matrix, rows bool) operand { return operand{m, rows} }

func (o operand) points() int {
	if o.rows {
		return o.m.Rows
	}
	return o.m.Cols
}

func (o operand) depth() int {
	if o.rows {
		return o.m.Cols
	}
	return o.m.Rows
}

// Cutting of products. The bits of float32 products depend on it, for beyond gemmBytes·passes sums continue in
// float64.
const (
	gemmBytes = 192 << 10 // of a panel: one of each operand, the next one and results fill the second-level cache
	passes    = 4         // panels, one after another along the inner dimension, before c is touched
	jobPanels = 8         // panels of out in a job
)

func (e *Engine) gemm(c Matrix, alpha float64, a, b operand, beta float64, symmetric bool) {
	e.counters.Flops += 2 * int64(a.points()) * int64(a.depth()) * int64(b.points())
	e.counters.Bytes += 8 * int64(a.points()*a.depth()+b.points()*b.depth()+c.Rows*c.Cols)
	if beta != 0 && beta != 1 {
		c.Scale(beta)
	}
	if a.depth() == 0 || alpha == 0 || c.Rows == 0 || c.Cols == 0 {
		if beta == 0 {
			c.Zero()
		}
		return
	}
	switch {
	case a.rows && b.points() <= fewColumns:
		e.rowProducts(c, alpha, a.m, b, beta)
		return
	case !a.rows && b.points() == 1:
		e.combine(c, alpha, a.m, b, beta)
		return
	}
	if e.precision == Float32 {
		newGemm[float32](e, c, alpha, a, b, beta, symmetric).run()
	} else {
		newGemm[float64](e, c, alpha, a, b, beta, symmetric).run()
	}
}

// fewColumns is the number of columns up to which a product of a matrix, not transposed, is made of inner
// products of its rows as they are: reading them costs more than the arithmetic, packing them still more.
const fewColumns = 12

// rowProducts is gemm for few columns, in float64.
func (e *Engine) rowProducts(c Matrix, alpha float64, a Matrix, b operand, beta float64) {
	n, k := b.points(), a.Cols
	columns := NewMatrix(n, k) // of b, contiguous
	if b.rows {
		columns.CopyFrom(b.m)
	} else {
		simd.Transpose(columns.Data, k, b.m.Data, b.m.Stride, k, n)
	}
	const rows = 16
	e.parallel((a.Rows+rows-1)/rows, a.Rows*k*n, func(job int) {
		var dots [rows * fewColumns]float64
		lo := job * rows
		m := min(rows, a.Rows-lo)
		simd.RowDots(dots[:], n, a.Data[lo*a.Stride:], a.Stride, m, columns.Data, k, n, k)
		for i := range m {
			row := c.Row(lo + i)
			if beta == 0 {
				simd.SetScaled(row, dots[i*n:][:n], alpha)
			} else {
				simd.AddScaled(row, dots[i*n:][:n], alpha)
			}
		}
	})
}

// combine is gemm for the transpose of a and one column: a combination of its rows, in float64.
func (e *Engine) combine(c Matrix, alpha float64, a Matrix, b operand, beta float64) {
	const cols = 1 << 10
	e.parallel((a.Cols+cols-1)/cols, a.Rows*a.Cols, func(job int) {
		lo, hi := job*cols, min((job+1)*cols, a.Cols)
		sum := make([]float64, hi-lo)
		for l := range a.Rows {
			at := l * b.m.Stride
			if b.rows {
				at = l
			}
			simd.AddScaled(sum, a.Row(l)[lo:hi], b.m.Data[at])
		}
		for j, v := range sum {
			s := alpha * v
			if beta != 0 {
				s += c.Data[(lo+j)*c.Stride]
			}
			c.Data[(lo+j)*c.Stride] = s
		}
	})
}

// A gemm is one product. Its tiles are 48 points of in by 48 points of out, in c's rows and columns or, if
// c is narrow, in its columns and rows.
type gemm[T simd.Float] struct {
	e         *Engine
	c         Matrix
	turned    bool // rows of tiles are columns of c
	alpha     float64
	set       bool // c's content does not matter
	in, out   operand
	symmetric bool
	deep      int // components at a time
	zero      []float64
}

func newGemm[T simd.Float](e *Engine, c Matrix, alpha float64, a, b operand, beta float64, symmetric bool) *gemm[T] {
	g := &gemm[T]{e: e, c: c, alpha: alpha, set: beta == 0, in: a, out: b, symmetric: symmetric, deep: gemmBytes / width / sizeof[T]()}
	if b.points() < width && b.points() < a.points() {
		g.in, g.out, g.turned = b, a, true
	}
	g.zero = make([]float64, min(g.deep, a.depth()))
	return g
}

func (g *gemm[T]) run() {
	const groupBytes = 32 << 20 // panels of either operand at a time
	w, ins, outs, depth := spaceOf[T](g.e), panels(g.in.points()), panels(g.out.points()), g.in.depth()
	group := max(jobPanels, groupBytes/(min(depth, passes*g.deep)*width*sizeof[T]()))
	for l0 := 0; l0 < depth; l0 += passes * g.deep {
		l1 := min(l0+passes*g.deep, depth)
		for p0 := 0; p0 < outs; p0 += group {
			out := g.pack(&w.out, g.out, p0, min(p0+group, outs), l0, l1)
			for q0 := 0; q0 < ins; q0 += group {
				if g.symmetric && out.hi <= q0 {
					break
				}
				g.block(g.pack(&w.in, g.in, q0, min(q0+group, ins), l0, l1), out)
			}
		}
	}
	if g.symmetric {
		g.mirror()
	}
}

// packed is panels lo ≤ p < hi of an operand, components l0 ≤ l < l1: first deep components of all of them,
// then the next.
type packed[T simd.Float] struct {
	data                 []T
	lo, hi, l0, l1, deep int
}

// stride is the distance of panels: a row more than they have, so that rows of panels whose size is a power
// of two do not evict each other from the caches.
func (p packed[T]) stride() int { return (p.deep + 1) * width }

// panel returns components l0 + l and on of panel k, as many as there are up to deep.
func (p packed[T]) panel(k, l int) []T {
	at := (l/p.deep*(p.hi-p.lo) + k - p.lo) * p.stride()
	return p.data[at:][:min(p.deep, p.l1-p.l0-l)*width]
}

func (g *gemm[T]) pack(b *prepared[T], o operand, lo, hi, l0, l1 int) packed[T] {
	p := packed[T]{lo: lo, hi: hi, l0: l0, l1: l1, deep: min(g.deep, l1-l0)}
	cuts := (l1 - l0 + p.deep - 1) / p.deep
	p.data = b.data.get(cuts * (hi - lo) * p.stride())
	work := (hi - lo) * (l1 - l0) * width * 8
	if o.rows {
		g.e.parallel(cuts*(hi-lo), work, func(job int) {
			k, l := lo+job/cuts, job%cuts*p.deep
			to := min(l+p.deep, l1-l0)
			packPoints(p.panel(k, l), o.m.ColRange(l0+l, l0+to), k*width, g.zero[:to-l])
		})
		return p
	}
	const together = 64 // rows, read in the order of memory
	g.e.parallel((l1-l0+together-1)/together, work, func(k int) {
		for l := k * together; l < min((k+1)*together, l1-l0); l++ {
			at := l/p.deep*(hi-lo)*p.stride() + l%p.deep*width
			simd.Spread(p.data[at:], p.stride(), o.m.Row(l0 + l)[lo*width:min(hi*width, o.m.Cols)])
		}
	})
	return p
}

// block adds the products of all panels of in and out to c. A job is a panel of in with some of out; it
// computes in the precision of the tiles and adds its result to c at the end.
func (g *gemm[T]) block(in, out packed[T]) {
	cols := (out.hi - out.lo + jobPanels - 1) / jobPanels
	g.e.parallel((in.hi-in.lo)*cols, (in.hi-in.lo)*(out.hi-out.lo)*(in.l1-in.l0)*width*width, func(job int) {
		w := spaceOf[T](g.e)
		space := w.tileSpace()
		q, p0 := in.lo+job/cols, out.lo+job%cols*jobPanels
		p1 := min(p0+jobPanels, out.hi)
		if g.symmetric {
			p0 = max(p0, q)
		}
		rows, tiles := min(width, g.in.points()-q*width), space.product.get(jobPanels*width*width)
		for l := 0; l < in.l1-in.l0; l += in.deep {
			a := in.panel(q, l)
			for p := p0; p < p1; p++ {
				cols := min(width, g.out.points()-p*width)
				simd.Tile(simd.Dot, rows, cols, len(a)/width, a, width, out.panel(p, l), width, tiles[(p-p0)*width*width:], width, l > 0)
			}
		}
		for p := p0; p < p1; p++ {
			g.put(tiles[(p-p0)*width*width:], q, p, rows, in.l0 == 0, space)
		}
		w.giveBack(space)
	})
}

// put adds the tile of panel q of in and panel p of out to c.
func (g *gemm[T]) put(tile []T, q, p, rows int, first bool, space *tileSpace[T]) {
	cols := min(width, g.out.points()-p*width)
	if g.turned {
		simd.Transpose(space.turned[:], width, tile, width, rows, cols)
		g.add(space.turned[:], p*width, cols, q*width, rows, first)
	} else {
		g.add(tile, q*width, rows, p*width, cols, first)
	}
}

// add adds a tile to rows from i on and columns from j on of c.
func (g *gemm[T]) add(tile []T, i, rows, j, cols int, first bool) {
	for k := range rows {
		row := g.c.Row(i + k)[j : j+cols]
		if first && g.set {
			simd.SetScaled(row, tile[k*width:][:cols], g.alpha)
		} else {
			simd.AddScaled(row, tile[k*width:][:cols], g.alpha)
		}
	}
}

// mirror copies the upper triangle of c to the lower one.
func (g *gemm[T]) mirror() {
	n := g.c.Rows
	g.e.parallel(panels(n), n*n, func(p int) {
		for i := p * width; i < min((p+1)*width, n); i++ {
			for j := range i {
				g.c.Set(i, j, g.c.At(j, i))
			}
		}
	})
}
