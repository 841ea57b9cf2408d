package compute

import (
	"fmt"
	"math"

	"repro/algos/compute/internal/simd"
)

// Mul returns op(a)·b, where op(a) is aᵀ if transpose, else a. It panics if the inner dimensions differ.
func (e *Engine) Mul(a, b Matrix, transpose bool) Matrix {
	r := a.Rows
	if transpose {
		r = a.Cols
	}
	c := e.Unset(r, b.Cols)
	e.Gemm(c, 1, a, transpose, b, false, 0)
	return c
}

// Gemm sets the m×n matrix c to alpha·op(a)·op(b) + beta·c, where op(a) is m×k and op(b) k×n; ta and tb say whether op
// transposes a and b. If beta is 0, the old content of c is not read. c must not share memory with a or b. aᵀ·a and
// a·aᵀ with beta = 0 take half the work. If op(b) has at most 12 columns and a is not transposed, or op(b) has one
// column, the product is limited by memory bandwidth and computed in float64 whatever the engine's precision. Gemm panics
// if the shapes do not fit.
func (e *Engine) Gemm(c Matrix, alpha float64, a Matrix, ta bool, b Matrix, tb bool, beta float64) {
	m, k := shape(a, ta)
	kb, n := shape(b, tb)
	if k != kb {
		panic(fmt.Sprintf("compute: Gemm: inner dimensions %d and %d differ", k, kb))
	}
	mustShape("Gemm", c, m, n)
	e.onDevice(c, alpha, a, ta, b, tb, beta, beta == 0 && ta != tb && same(a, b), k)
}

// onDevice is Gemm for the inner dimension k, and Syrk if symmetric.
func (e *Engine) onDevice(c Matrix, alpha float64, a Matrix, ta bool, b Matrix, tb bool, beta float64, symmetric bool, k int) {
	if _, ok := e.device.(*host); ok { // not by the interface: small products notice it
		e.gemm(e.precision, c, alpha, operandOf(a, !ta), operandOf(b, tb), beta, symmetric)
	} else {
		e.device.Gemm(e.precision, c, alpha, a, ta, b, tb, beta, symmetric)
	}
	m, n := c.Rows, c.Cols
	e.count(Counters{Flops: 2 * int64(m) * int64(k) * int64(n), Bytes: 8 * int64(m*k+n*k+m*n)})
}

// Gemm implements Device.
func (h *host) Gemm(p Precision, c Matrix, alpha float64, a Matrix, ta bool, b Matrix, tb bool, beta float64, symmetric bool) {
	(*Engine)(h).gemm(p, c, alpha, operandOf(a, !ta), operandOf(b, tb), beta, symmetric)
}

// multiply is Gemm in float64, on the host and not counted.
func (e *Engine) multiply(c Matrix, alpha float64, a Matrix, ta bool, b Matrix, tb bool, beta float64) {
	e.gemm(Float64, c, alpha, operandOf(a, !ta), operandOf(b, tb), beta, beta == 0 && ta != tb && same(a, b))
}

// Syrk sets the m×m matrix c to alpha·op(a)·op(a)ᵀ + beta·c, where op(a) is aᵀ if transpose, else a, and m×k. Unless beta
// is 0, c must be symmetric. It computes half of the result and copies it to the other half, so that c is symmetric to
// the bit. It panics if c is not m×m.
func (e *Engine) Syrk(c Matrix, alpha float64, a Matrix, transpose bool, beta float64) {
	m, k := shape(a, transpose)
	mustShape("Syrk", c, m, m)
	e.onDevice(c, alpha, a, transpose, a, !transpose, beta, true, k)
}

// shape returns the numbers of rows and columns of op(a).
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

// An operand is a matrix seen as a set of points: the entries of a matrix product are inner products of the points of two
// operands.
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

// Cache blocking of Gemm. The bits of float32 products depend on gemmBytes and passes: sums over more than passes·KC
// components continue in float64.
const (
	gemmBytes   = 96 << 10  // packed panel of KC components
	passes      = 8         // blocks of KC components summed in a tile before it is added to c
	jobIns      = 2         // panels of in per job
	jobBytes    = 288 << 10 // tiles of a job; with its panels of in, the prefetched ones and two of out they fill the L2 cache
	outBytes    = 48 << 20  // packed panels of out
	inBytes     = 16 << 20  // packed panels of in, packed again for every outBytes; no more than those of out from leastBytes on
	leastBytes  = 2 << 20
	streamBytes = 4 << 20 // smallest result written with non-temporal stores
)

func (e *Engine) gemm(p Precision, c Matrix, alpha float64, a, b operand, beta float64, symmetric bool) {
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
	case a.rows && b.points() <= FewColumns:
		rowProducts(e, c, alpha, rowSet[float64]{a.m.Data, a.m.Stride, nil}, b, beta)
		return
	case !a.rows && b.points() == 1:
		e.combine(c, alpha, a.m, b, beta)
		return
	case a.depth() == 1 && alpha == 1 && e.rankOne(p, c, a, b, beta, symmetric):
		return
	}
	if p == Float32 {
		runGemm[float32](e, c, alpha, a, b, beta, symmetric)
	} else {
		runGemm[float64](e, c, alpha, a, b, beta, symmetric)
	}
}

// rankOne computes outer products that take less time than starting threads and packing, and reports whether it did.
func (e *Engine) rankOne(p Precision, c Matrix, a, b operand, beta float64, symmetric bool) bool {
	switch {
	case c.Rows*c.Cols > mostOuter:
		return false
	case !a.rows && !b.rows && beta == 0:
		outer(p, c, a.m.Row(0), b.m.Row(0))
	case a.rows && symmetric && beta == 1 && p == Float64:
		e.addOuter(c, a.m)
	default:
		return false
	}
	return true
}

// mostOuter is the most entries of an outer product that takes less time than starting threads and packing.
const mostOuter = 1 << 16

// outer sets c to aᵀb, with the bits of a product of matrices, which adds to 0: in a precision, and with a negative zero
// only where vector code rounds a negative number to it.
func outer(in Precision, c Matrix, a, b []float64) {
	fused := simd.ISA() != "generic"
	for i, u := range a {
		row := c.Row(i)
		for j, v := range b {
			p, zero := u*v, u == 0 || v == 0
			if in == Float32 {
				p, zero = float64(float32(u)*float32(v)), float32(u) == 0 || float32(v) == 0
			}
			if p == 0 && (zero || !fused) {
				p = 0
			}
			row[j] = p
		}
	}
}

// addOuter adds aaᵀ to c, for a of one column, with the bits of a product of matrices, but for the sign of a zero that is added to a
// negative zero.
func (e *Engine) addOuter(c, a Matrix) {
	space := e.double.tileSpace()
	defer e.double.giveBack(space)
	v := space.product.get(a.Rows)
	for i := range v {
		v[i] = a.Data[i*a.Stride]
	}
	fused := simd.ISA() != "generic"
	for i, u := range v {
		row := c.Data[i*c.Stride:][:len(v)]
		if !fused { // AddScaled rounds twice, as a product does
			simd.AddScaled(row, v, u)
			continue
		}
		for j, w := range v {
			row[j] += float64(u * w)
		}
	}
}

// FewColumns is the largest number of columns of b for which a·b is computed from inner products with the unpacked rows
// of a: reading a costs more than the arithmetic, and packing it would cost more still.
const FewColumns = 12

// A rowSet is some rows of a matrix, with leading dimension stride.
type rowSet[T simd.Float] struct {
	data   []T
	stride int
	chosen []int // indices of the rows; nil means all rows
}

// rowProducts sets c to alpha·a·bᵀ + beta·c in float64, where the points of b are at most FewColumns columns.
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

// combine is gemm for aᵀ times one column, in float64: a linear combination of the rows of a, which are added in order. Parts of
// long rows are added a few at a time, because memory is slow to begin with each; whole rows are read in its order anyway.
func (e *Engine) combine(c Matrix, alpha float64, a Matrix, b operand, beta float64) {
	const cols, together = 1 << 10, 8
	x, stride := b.m.Data, b.m.Stride
	if b.rows {
		stride = 1
	}
	add := func(j int, sum float64) {
		if s := alpha * sum; beta == 0 {
			c.Data[j*c.Stride] = s
		} else {
			c.Data[j*c.Stride] += s
		}
	}
	if a.Cols == 1 {
		add(0, firstColumn(a, x, stride))
		return
	}
	e.parallel((a.Cols+cols-1)/cols, a.Rows*a.Cols, func(job int) {
		lo, hi := job*cols, min((job+1)*cols, a.Cols)
		space := e.double.tileSpace()
		defer e.double.giveBack(space)
		sum := space.product.get(hi - lo)
		clear(sum)
		whole := len(sum) / simd.Pad * simd.Pad
		if len(sum) == a.Cols {
			whole = 0
		}
		for l := 0; l < a.Rows; l += together {
			n := min(together, a.Rows-l)
			if whole > 0 {
				simd.Tile(simd.Dot, 1, whole, n, x[l*stride:], stride, a.Data[l*a.Stride+lo:], a.Stride, sum, whole, true)
			}
			for i := l; i < l+n && whole < len(sum); i++ {
				simd.AddScaled(sum[whole:], a.Row(i)[lo+whole:hi], x[i*stride])
			}
		}
		for j, v := range sum {
			add(lo+j, v)
		}
	})
}

// firstColumn returns the inner product of a's first column and x, added in order with the bits of AddScaled.
func firstColumn(a Matrix, x []float64, stride int) (sum float64) {
	fused := simd.ISA() != "generic"
	for i := range a.Rows {
		if v, w := a.Data[i*a.Stride], x[i*stride]; fused {
			sum = math.FMA(w, v, sum)
		} else {
			sum += float64(w * v)
		}
	}
	return sum
}

// A gemm is one matrix product. A tile of it is 48 points of in by 48 points of out. in holds the rows of c and out its
// columns, or the other way round if c is narrow.
type gemm[T simd.Float] struct {
	e         *Engine
	c         Matrix
	turned    bool // in holds the columns of c
	alpha     float64
	set       bool // beta is 0: overwrite c
	in, out   operand
	symmetric bool
	kc        int       // KC, components of a packed panel
	zero      []float64 // the mean that Pack subtracts

	packedIn, packedOut packed[T]
}

// runGemm computes a product with the memory of the last one.
func runGemm[T simd.Float](e *Engine, c Matrix, alpha float64, a, b operand, beta float64, symmetric bool) {
	w := spaceOf[T](e)
	g := w.gemm
	if g == nil {
		g = new(gemm[T])
	}
	w.gemm = nil
	*g = gemm[T]{e: e, c: c, alpha: alpha, set: beta == 0, in: a, out: b, symmetric: symmetric, kc: gemmBytes / width / sizeof[T]()}
	if b.points() < width && b.points() < a.points() {
		g.in, g.out, g.turned = b, a, true
	}
	g.zero = e.noShift(min(g.kc, a.depth()))
	g.run()
	*g = gemm[T]{}
	w.gemm = g
}

// evenly divides n into as few parts of at most most as possible, and returns the size of each but the last, which may be
// smaller.
func evenly(n, most int) int {
	parts := (n + max(most, 1) - 1) / max(most, 1)
	return (n + parts - 1) / parts
}

func (g *gemm[T]) run() {
	w, ins, outs, depth := spaceOf[T](g.e), panels(g.in.points()), panels(g.out.points()), g.in.depth()
	for l0 := 0; l0 < depth; l0 += passes * g.kc {
		l1 := min(l0+passes*g.kc, depth)
		size := (l1 - l0) * width * sizeof[T]()
		some := evenly(outs, outBytes/size)
		few := evenly(ins, min(inBytes, max(some*size, leastBytes))/size)
		for p := 0; p < outs; p += some {
			out := &g.packedOut
			g.pack(out, &w.out, g.out, width, p, min(p+some, outs), l0, l1)
			for q := 0; q < ins && !(g.symmetric && out.hi <= q); q += few {
				g.pack(&g.packedIn, &w.in, g.in, simd.Strip, q, min(q+few, ins), l0, l1)
				g.block(&g.packedIn, out)
			}
		}
	}
}

// packed holds the packed panels lo ≤ p < hi of an operand, for components l0 ≤ l < l1: first the first kc components of
// all panels, then the next kc, and so on, in parts. Within a panel, groups of points are contiguous: micro-panels (strips)
// of 8 points for in, the whole panel for out.
type packed[T simd.Float] struct {
	data                             []T
	group, lo, hi, l0, l1, kc, parts int
}

// stride is the distance of groups in elements. It is one row more than a group has, so that groups whose size is a power
// of two do not map to the same cache sets.
func (p *packed[T]) stride() int { return (p.kc + 1) * p.group }

// depth returns the number of components in a part.
func (p *packed[T]) depth(part int) int { return min(p.kc, p.l1-p.l0-part*p.kc) }

// panel returns a part of panel k.
func (p *packed[T]) panel(k, part int) []T {
	size := width / p.group * p.stride()
	return p.data[(part*(p.hi-p.lo)+k-p.lo)*size:][:size]
}

// pack sets p to panels lo ≤ p < hi of o, components l0 ≤ l < l1, packed into the memory of b.
func (g *gemm[T]) pack(p *packed[T], b *prepared[T], o operand, group, lo, hi, l0, l1 int) {
	*p = packed[T]{group: group, lo: lo, hi: hi, l0: l0, l1: l1, kc: (evenly(l1-l0, g.kc) + 7) &^ 7}
	p.parts = (l1 - l0 + p.kc - 1) / p.kc
	size := (hi - lo) * width / group * p.stride()
	p.data = b.data.get(p.parts * size)
	work := (hi - lo) * (l1 - l0) * width * 8
	if o.rows {
		eachJob(g.e, p.parts*(hi-lo), work, gemmPacking[T]{p, o.m, g.zero}, gemmPacking[T].rows)
		return
	}
	const together = 64 // rows, read in the order of memory
	blocks, stream := (p.kc+together-1)/together, p.parts*size*sizeof[T]() >= streamBytes
	g.e.parallel(p.parts*blocks, work, func(job int) {
		part, l := job/blocks, job%blocks*together
		if n := min(together, p.depth(part)-l); n > 0 {
			dst, src := p.data[part*size+l*group:], o.m.Data[(l0+part*p.kc+l)*o.m.Stride+lo*width:]
			simd.Spread(dst, p.stride(), group, src, o.m.Stride, n, min(hi*width, o.m.Cols)-lo*width, stream)
		}
	})
}

// A gemmPacking packs rows of a matrix.
type gemmPacking[T simd.Float] struct {
	p    *packed[T]
	m    Matrix
	zero []float64
}

func (s gemmPacking[T]) rows(job int) {
	p, m := s.p, s.m
	k, part := p.lo+job/p.parts, job%p.parts
	n, panel := p.depth(part), p.panel(k, part)
	for i := k * width; i < min((k+1)*width, m.Rows); i += p.group {
		dst, src := panel[(i-k*width)/p.group*p.stride():], m.Data[i*m.Stride+p.l0+part*p.kc:]
		simd.Pack(dst, p.group, src, m.Stride, s.zero, min(p.group, m.Rows-i), n)
	}
}

// block adds the products of all panels of in and out to c, in parallel jobs. The partition does not change the bits.
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

// A gemmJob is the tiles between panels q0 ≤ q < q1 of in and p0 ≤ p < p1 of out.
type gemmJob struct{ q0, q1, p0, p1 int }

// tiles computes the tiles of a job in precision T and adds them to c. During the first tile of each panel of out it
// prefetches the next panel of out. During the last panels of out of a part it prefetches the panels of in of the next
// part of the components or, after the last part, of the next job.
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

// put adds the tile whose first points are q of in and p of out to c, and its mirror image if the product is symmetric.
func (g *gemm[T]) put(tile []T, q, rows, p, cols int, first bool, space *tileSpace[T]) {
	if !g.turned {
		g.add(tile, q, rows, p, cols, first)
	}
	if g.turned || g.symmetric && p > q {
		simd.Transpose(space.turned[:], width, tile, width, rows, cols)
		g.add(space.turned[:], p, cols, q, rows, first)
	}
}

// add adds alpha times a tile to c, with the tile's first entry at (i, j), or sets c to it if first and beta is 0.
func (g *gemm[T]) add(tile []T, i, rows, j, cols int, first bool) {
	if dst := g.c.Data[i*g.c.Stride+j:]; first && g.set {
		simd.SetRows(dst, g.c.Stride, tile, width, rows, cols, g.alpha, 8*g.c.Rows*g.c.Cols >= streamBytes)
	} else {
		simd.AddRows(dst, g.c.Stride, tile, width, rows, cols, g.alpha)
	}
}
