package compute

import "repro/algos/compute/internal/simd"

// run is the number of panels of the in side over which sums stay in the precision of the tiles before they are added up
// in float64. The bits of results depend on it.
const run = 2

// Cache blocking of products. These constants determine the last bits of results; the number of threads does not.
const (
	outRows    = 4 << 10   // points of out packed at a time
	panelBytes = 4 << 20   // panels of either side packed at a time
	bandBytes  = 512 << 10 // panels of out per job, which stay in the L2 cache
	bandPanels = 8         // largest number of panels of out per job
	stripBytes = 24 << 10  // largest panel of in that stays in the L1 cache together with one of out
	sumsBytes  = 32 << 20  // partial sums
	jobs       = 64        // jobs of a parallel region, if its shape allows
)

// A product is the out.n × in.n matrix with entries g(Σ_l op(out_il, in_jl)). It is never stored: a job computes one tile
// at a time, 48 points of in (rows of the tile) by 48 points of out (columns), applies g to it, and multiplies it by rows
// of v.
type product[T simd.Float] struct {
	e        *Engine
	op       simd.Op
	out, in  side[T]
	epilogue []Step // g

	// panels, if set, computes tiles instead of op: inner products plus the extra rows of the panels, and a function of
	// them that the micro-kernel applies in registers. The epilogue follows.
	panels     *simd.Panels[T]
	own        simd.Panels[T] // what panels usually points to
	activation [1]Step        // memory of an epilogue
	factor     float64        // multiplies all entries; tiles do not include it

	compare  func(s, a, b []T) // if set, computes the sums instead of op
	weighted bool              // the last row of a panel holds the weights of a weighted kernel

	// read, if set, loads the tile of panel q of in and panel o of out, instead of op and g.
	read func(tile []T, space *tileSpace[T], q, o int)
	// stored, if set, returns the rows of panels q ≤ k < to of in at the columns of panel o of out, where they are in memory,
	// and the distance of rows; nil if they are not to be had so. It stands for read where v has one column.
	stored func(q, to, o int) (rows []T, apart, n int)
}

// newProduct returns a product with the factor 1. It may have the memory of the last one that was done.
func newProduct[T simd.Float](e *Engine) *product[T] {
	w := spaceOf[T](e)
	p := w.product
	w.product = nil
	if p == nil {
		p = new(product[T])
	}
	p.e, p.factor = e, 1
	return p
}

// done leaves the memory of a product that is not used any more to the next one.
func (p *product[T]) done() {
	w := spaceOf[T](p.e)
	*p = product[T]{}
	w.product = p
}

// setPanels lets tiles be computed by simd.NewPanels of the arguments.
func (p *product[T]) setPanels(form simd.Form, columns bool, k int, s T) {
	p.own = *simd.NewPanels(form, columns, k, s)
	p.panels = &p.own
}

// strips reports whether panels of in are cut into strips. A micro-tile reads 8 numbers of each row of a panel, in
// float32 half a cache line. If a panel is larger than the L1 cache, the other half is evicted before the next micro-tile
// needs it; in strips both halves are used at once.
func (p *product[T]) strips() bool {
	return p.panels != nil && sizeof[T]() == 4 && p.in.bytes() > stripBytes
}

// tile sets a tile to the entries between panel q of in and panel o of out, and returns its number of rows. Its rows are
// the points of panel q, its columns the 48 columns of panel o, of which those without a point may have any entries. It must have room for 48 rows. next is prefetched.
func (p *product[T]) tile(tile []T, space *tileSpace[T], q, o int, in panel[T], out, next []T) int {
	from, to := p.in.columns(q)
	n := to - from
	switch {
	case p.read != nil:
		p.read(tile[:n*width], space, q, o)
		return n
	case p.panels != nil:
		first, cols := p.out.columns(o)
		before := from % simd.Strip // columns of the first strip before the first point
		row, strip := in.strides()
		p.panels.Tile(before+n, first, cols, in.data[in.index(0, from-before):], row, strip, out, tile, next)
		if before > 0 {
			copy(tile, tile[before*width:][:n*width])
		}
	case p.compare != nil:
		p.comparePoints(tile[:n*width], space, in.data, out, from)
	default:
		depth := p.in.depth
		if p.weighted {
			depth--
		}
		simd.Tile(p.op, n, width, depth, in.data[from:], width, out, width, tile, width, false)
	}
	Apply(tile[:n*width], p.epilogue...)
	if p.weighted {
		p.multiply(tile[:n*width], in, out, from)
	}
	return n
}

// multiply multiplies the entries of a tile by the weights of their points, which begin at column from of in.
func (p *product[T]) multiply(tile []T, in panel[T], out []T, from int) {
	last := p.in.depth - 1
	for i := range len(tile) / width {
		simd.MulPoly(tile[i*width:][:width], out[last*width:], 0, in.data[in.index(last, from+i)], 0)
	}
}

// comparePoints sets the rows of a tile to the sums between the points of in, from column from on, and those of out.
func (p *product[T]) comparePoints(tile []T, space *tileSpace[T], in, out []T, from int) {
	depth := p.in.depth
	if p.weighted {
		depth--
	}
	point := space.point.get(depth)
	for i := range len(tile) / width {
		for l := range point {
			point[l] = in[l*width+from+i]
		}
		p.compare(tile[i*width:][:width], point, out)
	}
}

// mul sets dst (out.n × c) to the product times v (in.n × c).
//
// It takes the panels of out in groups. For each group it packs the panels of in a few megabytes at a time, and divides
// the work into jobs: bands of panels of out by parts of the panels of in. Each job has its own sums; the sums of the parts
// are added in order at the end. The partition depends only on shapes.
func (p *product[T]) mul(dst, v Matrix) {
	if p.in.n == 0 || p.out.n == 0 || v.Cols == 0 {
		dst.Zero()
		return
	}
	w := spaceOf[T](p.e)
	chunk := max(run, panelBytes/p.in.bytes()/run*run)
	bytes := 4 * panelBytes
	if p.in.panels() <= chunk {
		bytes = panelBytes
	}
	group := max(1, min(outRows/width, bytes/p.out.bytes()))
	var in []panel[T]
	if p.in.panels() <= chunk {
		in = w.in.set(p.in, 0, p.in.panels(), p.strips())
	}
	for lo := 0; lo < p.out.panels(); lo += group {
		c := cut{lo: lo, hi: min(lo+group, p.out.panels())}
		c.band = max(1, min(bandBytes/p.out.bytes(), bandPanels, (c.hi-lo+bandPanels-1)/bandPanels))
		c.parts = max(1, min(jobs/c.bands(), min(p.in.panels(), chunk)/run, sumsBytes/(8*width*v.Cols*(c.hi-lo))))
		out := w.out.set(p.out, lo, c.hi, false)
		sums := w.sums.get((c.hi - lo) * c.parts * v.Cols * width)
		for q := 0; q < p.in.panels(); q += chunk {
			p.sum(sums, c, out, in, q, min(q+chunk, p.in.panels()), v)
		}
		p.collect(dst, sums, c)
	}
}

// A cut is the partition of a group of panels of out, lo ≤ p < hi, into jobs.
type cut struct {
	lo, hi int
	band   int // panels of out per job
	parts  int // parts of the panels of in
}

func (c cut) bands() int { return (c.hi - c.lo + c.band - 1) / c.band }

// sum adds the terms of panels q0 ≤ q < q1 of in to the sums of the panels of out.
func (p *product[T]) sum(sums []float64, c cut, out, in []panel[T], q0, q1 int, v Matrix) {
	w, cols, size := spaceOf[T](p.e), v.Cols, p.in.size()
	if in == nil {
		in = w.in.set(p.in, q0, q1, p.strips())
	}
	first, _ := p.in.columns(q0)
	row := q0*width + first - p.in.skip // first row of v
	rows := min(q1*width-p.in.skip, p.in.n) - row
	weights := w.weights.get(rows * cols)
	convertRows(weights, v.RowRange(row, row+rows))

	per := ((q1-q0+run-1)/run + c.parts - 1) / c.parts * run // panels of a part
	s := summing[T]{p, c, out, in, weights, sums, q0, q1, per, row, cols}
	eachJob(p.e, c.bands()*c.parts, (c.hi-c.lo)*(q1-q0)*(size+width*cols)*width, s, summing[T].job)
}

// A summing is what the jobs of sum share.
type summing[T simd.Float] struct {
	p                      *product[T]
	c                      cut
	out, in                []panel[T]
	weights                []T
	sums                   []float64
	q0, q1, per, row, cols int
}

func (s summing[T]) job(job int) {
	c, w := s.c, spaceOf[T](s.p.e)
	band, part := job/c.parts*c.band, job%c.parts
	j := terms[T]{
		out: s.out, in: s.in, q0: s.q0, from: s.q0 + part*s.per, to: min(s.q0+(part+1)*s.per, s.q1),
		lo: band, hi: min(band+c.band, c.hi-c.lo), first: c.lo,
		weights: s.weights, row: s.row, cols: s.cols, sums: s.sums[part*s.cols*width:], stride: c.parts * s.cols * width,
	}
	space := w.tileSpace()
	s.p.job(&j, space)
	w.giveBack(space)
}

// terms are the terms that a job adds up: those of panels from ≤ q < to of in, for panels lo ≤ o < hi of the group of out.
type terms[T simd.Float] struct {
	out, in  []panel[T]
	q0       int // number of panel in[0]
	from, to int
	lo, hi   int
	first    int // number of panel out[0]
	weights  []T
	row      int // row of v that weights begin with
	cols     int // columns of v
	sums     []float64
	stride   int // distance of the sums of consecutive panels of out
}

// job adds the terms of a job to its sums.
func (p *product[T]) job(t *terms[T], space *tileSpace[T]) {
	size, begin := t.cols*width, t.q0 == 0
	if begin && t.from >= t.to {
		for o := t.lo; o < t.hi; o++ {
			clear(t.sums[o*t.stride:][:size])
		}
	}
	for q := t.from; q < t.to; q += run {
		weights := t.weights[(max(q*width-p.in.skip, 0)-t.row)*t.cols:]
		for o := t.lo; o < t.hi; o++ {
			var out []T
			if rows, apart, n := p.rows(q, t, o); rows != nil {
				out = space.product.get(width)
				simd.Weigh(out, weights[:n], rows, apart, n)
			} else {
				for k := q; k < min(q+run, t.to); k++ {
					n += p.tile(space.tile[n*width:], space, k, t.first+o, t.in[k-t.q0], t.out[o].data, t.next(q, k, o))
				}
				_, columns := p.out.columns(t.first + o)
				out = weigh(weights[:n*t.cols], space.tile, n, columns, t.cols, space)
			}
			if sums := t.sums[o*t.stride:][:size]; begin {
				simd.SetRows(sums, size, out, size, 1, size, 1, false)
			} else {
				simd.Accumulate(sums, out)
			}
		}
		begin = false
	}
}

// rows returns the rows of the run of panels that begins at q, and panel o of the group of out, if they are in memory.
func (p *product[T]) rows(q int, t *terms[T], o int) (rows []T, apart, n int) {
	if p.stored == nil || t.cols != 1 {
		return nil, 0, 0
	}
	return p.stored(q, min(q+run, t.to), t.first+o)
}

// next returns the panel to prefetch while panel k of in and panel o of out are used, in a run that begins at panel q of
// in: the next panel of out, or, with the last panel of out, the panel of in one run later.
func (t *terms[T]) next(q, k, o int) []T {
	switch ahead := k + run - t.q0; {
	case o+1 < t.hi && k > q:
		return t.out[o+1].data
	case o+1 < t.hi:
		return t.out[o].data
	case ahead < len(t.in):
		return t.in[ahead].data
	}
	return t.in[0].data // the next part begins there
}

// weigh returns the c×48 matrix with entries Σ_l weights_lq tile_lj: the transposed weights (n×c) times a tile of n rows, of
// which the given number of columns is used.
func weigh[T simd.Float](weights, tile []T, n, columns, c int, space *tileSpace[T]) []T {
	out := space.product.get(c * width)
	if c == 1 {
		simd.Weigh(out, weights, tile, width, n)
	} else {
		simd.Tile(simd.Dot, c, columns, n, weights, c, tile, width, out, width, false)
	}
	return out
}

// collect adds the sums of all parts, in order, and stores them in the rows of dst that belong to the panels of out.
func (p *product[T]) collect(dst Matrix, sums []float64, c cut) {
	eachJob(p.e, c.hi-c.lo, (c.hi-c.lo)*dst.Cols*width*c.parts*8, collecting[T]{p, dst, sums, c}, collecting[T].panel)
}

// A collecting is what the jobs of collect share.
type collecting[T simd.Float] struct {
	p    *product[T]
	dst  Matrix
	sums []float64
	c    cut
}

// panel collects the sums of panel c.lo + k of out.
func (s collecting[T]) panel(k int) {
	c, out, size := s.c, s.p.out, s.dst.Cols*width
	acc := s.sums[k*c.parts*size:][:size]
	for i := 1; i < c.parts; i++ {
		simd.Accumulate(acc, s.sums[(k*c.parts+i)*size:][:size])
	}
	from, to := out.columns(c.lo + k)
	for j := from; j < to; j++ {
		row := s.dst.Row((c.lo+k)*width + j - out.skip)
		for q := range row {
			row[q] = s.p.factor * acc[q*width+j]
		}
	}
}

// each computes all tiles, without the factor, and calls put with each: the tile of panel q of in and panel o of out.
func (p *product[T]) each(put func(tile []T, q, o int)) {
	if p.in.n == 0 || p.out.n == 0 {
		return
	}
	w := spaceOf[T](p.e)
	group := max(1, 2*panelBytes/p.out.bytes())
	chunk := max(1, panelBytes/p.in.bytes())
	for lo := 0; lo < p.out.panels(); lo += group {
		hi := min(lo+group, p.out.panels())
		out := w.out.set(p.out, lo, hi, false)
		for q0 := 0; q0 < p.in.panels(); q0 += chunk {
			q1 := min(q0+chunk, p.in.panels())
			in := w.in.set(p.in, q0, q1, p.strips())
			eachJob(p.e, (q1-q0)*(hi-lo), (q1-q0)*(hi-lo)*p.in.size()*width, putting[T]{p, out, in, lo, q0, put}, putting[T].tile)
		}
	}
}

// A putting is what the jobs of each share: panels of out from lo, and of in from q0.
type putting[T simd.Float] struct {
	p       *product[T]
	out, in []panel[T]
	lo, q0  int
	put     func(tile []T, q, o int)
}

func (s putting[T]) tile(job int) {
	w := spaceOf[T](s.p.e)
	q, o := job/len(s.out), job%len(s.out)
	space := w.tileSpace()
	s.p.tile(space.tile, space, s.q0+q, s.lo+o, s.in[q], s.out[o].data, s.in[q].data)
	s.put(space.tile, s.q0+q, s.lo+o)
	w.giveBack(space)
}

// writeTo writes the rows of the transpose of the product to the slices that to returns.
func (p *product[T]) writeTo(to func(i int) []float64, symmetric bool) {
	p.eachOf(symmetric)(func(tile []T, q, o int) {
		p.rowsOf(tile, q, o, func(i, j int, row []T) {
			simd.SetRows(to(i)[j:], 0, row, 0, 1, len(row), p.factor, false)
		})
	})
}

// eachOf returns eachSymmetric if symmetric, else each.
func (p *product[T]) eachOf(symmetric bool) func(put func(tile []T, q, o int)) {
	if symmetric {
		return p.eachSymmetric
	}
	return p.each
}

// rowsOf calls visit with each row of the tile of panel q of in and panel o of out, without padding: row begins at entry
// (i, j) of the transposed product.
func (p *product[T]) rowsOf(tile []T, q, o int, visit func(i, j int, row []T)) {
	from, to := p.in.columns(q)
	left, right := p.out.columns(o)
	for i := range to - from {
		visit(q*width+from+i-p.in.skip, o*width+left-p.out.skip, tile[i*width+left:][:right-left])
	}
}

// convertRows copies the rows of m to dst without gaps, rounded to T.
func convertRows[T simd.Float](dst []T, m Matrix) {
	if m.Stride == m.Cols && m.Rows > 0 {
		simd.Convert(dst, m.Data[:m.Rows*m.Cols])
		return
	}
	for i := range m.Rows {
		simd.Convert(dst[i*m.Cols:], m.Row(i))
	}
}
