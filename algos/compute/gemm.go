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

// Cutting of products. The bits of float32 products depend on gemmBytes and passes, for beyond both sums continue
// in float64.
const (
	gemmBytes   = 96 << 10  // of a panel
	passes      = 8         // panels, one after another along the inner dimension, before c is touched
	jobIns      = 2         // panels of in in a job
	jobBytes    = 288 << 10 // tiles of a job: they, its panels of in, the next ones and two of out fill the second-level cache
	outBytes    = 48 << 20  // panels of out at a time
	inBytes     = 16 << 20  // panels of in at a time, packed again for every outBytes
	streamBytes = 4 << 20   // of a result that is written past the caches
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
		rowProducts(e, c, alpha, rowSet[float64]{a.m.Data, a.m.Stride, nil}, b, beta)
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

// A rowSet is the rows of a matrix, stride numbers apart, or chosen ones of them.
type rowSet[T simd.Float] struct {
	data   []T
	stride int
	chosen []int // nil for all
}

// rowProducts sets c to alpha·a·bᵀ + beta·c, b's points being few columns, in float64.
func rowProducts[T simd.Float](e *Engine, c Matrix, alpha float64, a rowSet[T], b operand, beta float64) {
	n, k, rows := b.points(), b.depth(), max(4, min(c.Rows/8, 64))
	w := spaceOf[float64](e)
	columns := w.in.data.get((k + simd.Interleave - 1) / simd.Interleave * simd.Interleave * n)
	if b.rows {
		for q := range n {
			simd.Spread(columns[q*simd.Interleave:], n*simd.Interleave, simd.Interleave, b.m.Row(q), 0, 1, k, false)
		}
	} else {
		for l := 0; l < k; l += simd.Interleave {
			simd.Transpose(columns[l*n:], simd.Interleave, b.m.Data[l*b.m.Stride:], b.m.Stride, min(simd.Interleave, k-l), n)
		}
	}
	e.parallel((c.Rows+rows-1)/rows, c.Rows*k*n, func(job int) {
		lo := job * rows
		m := min(rows, c.Rows-lo)
		data, chosen := a.data, a.chosen
		if chosen != nil {
			chosen = chosen[lo:][:m]
		} else {
			data = data[lo*a.stride:]
		}
		space := w.tileSpace()
		dots := space.tile[:m*n]
		simd.RowDots(dots, n, data, a.stride, chosen, m, columns, n, k, space.product.get(simd.Interleave*m*n))
		if dst := c.Data[lo*c.Stride:]; beta == 0 {
			simd.SetRows(dst, c.Stride, dots, n, m, n, alpha, false)
		} else {
			simd.AddRows(dst, c.Stride, dots, n, m, n, alpha)
		}
		w.giveBack(space)
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

// evenly returns the size of parts, the last one apart, when n is cut into as few as possible of at most most.
func evenly(n, most int) int {
	parts := (n + max(most, 1) - 1) / max(most, 1)
	return (n + parts - 1) / parts
}

func (g *gemm[T]) run() {
	w, ins, outs, depth := spaceOf[T](g.e), panels(g.in.points()), panels(g.out.points()), g.in.depth()
	for l0 := 0; l0 < depth; l0 += passes * g.deep {
		l1 := min(l0+passes*g.deep, depth)
		size := (l1 - l0) * width * sizeof[T]()
		some, few := evenly(outs, outBytes/size), evenly(ins, inBytes/size)
		for p := 0; p < outs; p += some {
			out := g.pack(&w.out, g.out, width, p, min(p+some, outs), l0, l1)
			for q := 0; q < ins && !(g.symmetric && out.hi <= q); q += few {
				g.block(g.pack(&w.in, g.in, simd.Strip, q, min(q+few, ins), l0, l1), out)
			}
		}
	}
}

// packed is panels lo ≤ p < hi of an operand, components l0 ≤ l < l1: first deep components of all of them,
// then the next. Points lie next to each other in groups: strips for in, whole panels for out.
type packed[T simd.Float] struct {
	data                               []T
	group, lo, hi, l0, l1, deep, parts int
}

// stride is the distance of groups: a row more than they have, so that rows of groups whose size is a power
// of two do not evict each other from the caches.
func (p *packed[T]) stride() int { return (p.deep + 1) * p.group }

// depth returns the number of components in a part.
func (p *packed[T]) depth(part int) int { return min(p.deep, p.l1-p.l0-part*p.deep) }

// panel returns a part of panel k.
func (p *packed[T]) panel(k, part int) []T {
	size := width / p.group * p.stride()
	return p.data[(part*(p.hi-p.lo)+k-p.lo)*size:][:size]
}

func (g *gemm[T]) pack(b *prepared[T], o operand, group, lo, hi, l0, l1 int) *packed[T] {
	p := &packed[T]{group: group, lo: lo, hi: hi, l0: l0, l1: l1, deep: (evenly(l1-l0, g.deep) + 7) &^ 7}
	p.parts = (l1 - l0 + p.deep - 1) / p.deep
	size := (hi - lo) * width / group * p.stride()
	p.data = b.data.get(p.parts * size)
	work := (hi - lo) * (l1 - l0) * width * 8
	if o.rows {
		g.e.parallel(p.parts*(hi-lo), work, func(job int) {
			k, part := lo+job/p.parts, job%p.parts
			n, panel := p.depth(part), p.panel(k, part)
			for i := k * width; i < min((k+1)*width, o.m.Rows); i += group {
				dst, src := panel[(i-k*width)/group*p.stride():], o.m.Data[i*o.m.Stride+l0+part*p.deep:]
				simd.Pack(dst, group, src, o.m.Stride, g.zero, min(group, o.m.Rows-i), n)
			}
		})
		return p
	}
	const together = 64 // rows, read in the order of memory
	blocks, stream := (p.deep+together-1)/together, p.parts*size*sizeof[T]() >= streamBytes
	g.e.parallel(p.parts*blocks, work, func(job int) {
		part, l := job/blocks, job%blocks*together
		if n := min(together, p.depth(part)-l); n > 0 {
			dst, src := p.data[part*size+l*group:], o.m.Data[(l0+part*p.deep+l)*o.m.Stride+lo*width:]
			simd.Spread(dst, p.stride(), group, src, o.m.Stride, n, min(hi*width, o.m.Cols)-lo*width, stream)
		}
	})
	return p
}

// block adds the products of all panels of in and out to c, in jobs. The bits do not depend on how they are cut.
func (g *gemm[T]) block(in, out *packed[T]) {
	tiles := (in.hi - in.lo) * (out.hi - out.lo)
	band := evenly(out.hi-out.lo, min(jobBytes/sizeof[T]()/(jobIns*width*width), tiles/(jobIns*jobs)))
	bands := (out.hi - out.lo + band - 1) / band
	n := (in.hi - in.lo + jobIns - 1) / jobIns * bands
	at := func(job int) gemmJob {
		q, p := in.lo+job/bands*jobIns, out.lo+job%bands*band
		return gemmJob{q, min(q+jobIns, in.hi), p, min(p+band, out.hi)}
	}
	g.e.parallel(n, tiles*(in.l1-in.l0)*width*width, func(job int) {
		w := spaceOf[T](g.e)
		space := w.tileSpace()
		g.tiles(in, out, at(job), at(min(job+1, n-1)), space)
		w.giveBack(space)
	})
}

// A gemmJob is the tiles of panels q0 ≤ q < q1 of in and p0 ≤ p < p1 of out.
type gemmJob struct{ q0, q1, p0, p1 int }

// tiles makes the tiles of a job in their precision and adds them to c. Meanwhile it has panels fetched that come
// next: one of out while the first tile with a panel of out is made, and those of in that come after a part of the
// components, or begin the next job, while the last of the others are.
func (g *gemm[T]) tiles(in, out *packed[T], j, next gemmJob, space *tileSpace[T]) {
	const size = width * width
	tiles := space.product.get((j.q1 - j.q0) * (j.p1 - j.p0) * size)
	for part := range in.parts {
		last, then, thenPart := part+1 == in.parts, j, part+1
		if last {
			then, thenPart = next, 0
		}
		for p := j.p0; p < j.p1; p++ {
			cols := min(width, g.out.points()-p*width)
			for q := j.q0; q < j.q1; q++ {
				if g.symmetric && p < q {
					continue
				}
				ahead := out.panel(then.p0, thenPart)
				if k := j.p1 - 1 - p; q > j.q0 && k < then.q1-then.q0 {
					ahead = in.panel(then.q0+k, thenPart)
				} else if p+1 < j.p1 {
					ahead = out.panel(p+1, part)
				}
				tile, rows := tiles[((q-j.q0)*(j.p1-j.p0)+p-j.p0)*size:][:size], min(width, g.in.points()-q*width)
				simd.TileStrips(rows, cols, in.depth(part), in.panel(q, part), in.stride(), out.panel(p, part), tile, part > 0, ahead)
				if last {
					g.put(tile, q*width, rows, p*width, cols, in.l0 == 0, space)
				}
			}
		}
	}
}

// put adds the tile of points q and on of in and points p and on of out to c.
func (g *gemm[T]) put(tile []T, q, rows, p, cols int, first bool, space *tileSpace[T]) {
	if !g.turned {
		g.add(tile, q, rows, p, cols, first)
	}
	if g.turned || g.symmetric && p > q {
		simd.Transpose(space.turned[:], width, tile, width, rows, cols)
		g.add(space.turned[:], p, cols, q, rows, first)
	}
}

// add adds a tile to rows from i on and columns from j on of c.
func (g *gemm[T]) add(tile []T, i, rows, j, cols int, first bool) {
	if dst := g.c.Data[i*g.c.Stride+j:]; first && g.set {
		simd.SetRows(dst, g.c.Stride, tile, width, rows, cols, g.alpha, 8*g.c.Rows*g.c.Cols >= streamBytes)
	} else {
		simd.AddRows(dst, g.c.Stride, tile, width, rows, cols, g.alpha)
	}
}
