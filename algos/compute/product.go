package compute

import "repro/algos/compute/internal/simd"

// A product is the matrix with entry (i, j) = g(Σ_l op(out_i, in_j)), out's points its rows. It is never
// stored: it exists a tile at a time, 48 rows of in by 48 columns of out.
type product[T simd.Float] struct {
	e       *Engine
	op      simd.Op
	out, in side[T]
	finish  func(tile []T) // applies g

	compare  func(s, a, b []T) // if set, makes the sums in place of op
	weighted bool              // the last rows of panels are numbers that entries are multiplied by, no components

	// read, if set, makes tiles in place of op and g: of panel q of in and panel o of out.
	read func(space *tileSpace[T], q, o int)
}

// tile sets the tile of a workspace to the entries of panel q of in, packed in its rows, and panel o of
// out, and returns the number of rows. Rows are points of in, 48 elements long; columns are points of out.
func (p *product[T]) tile(space *tileSpace[T], q, o int, in, out []T) int {
	from, to := p.in.columns(q)
	if p.read != nil {
		p.read(space, q, o)
		return to - from
	}
	tile, depth := space.tile[:(to-from)*width], p.in.depth
	if p.weighted {
		depth--
	}
	if p.compare != nil {
		point := space.point.get(depth)
		for i := range to - from {
			for l := range point {
				point[l] = in[l*width+from+i]
			}
			p.compare(tile[i*width:][:width], point, out)
		}
	} else {
		simd.Tile(p.op, to-from, width, depth, in[from:], width, out, width, tile, width, false)
	}
	p.finish(tile)
	if p.weighted {
		for i, w := range in[depth*width+from:][:to-from] {
			simd.MulPoly(tile[i*width:][:width], out[depth*width:], 0, w, 0) // times w, times the weights of out
		}
	}
	return to - from
}

// mul sets dst (out.n × c) to the product times v (in.n × c).
//
// Output panels are taken in groups, and for each group the panels of in are prepared a few megabytes at
// a time. Both are then cut into jobs: bands of output panels by parts of the reduced side, each of which
// sums into numbers of its own, added up in order at the end. All cuts depend on the shapes alone.
func (p *product[T]) mul(dst, v Matrix) {
	if p.in.n == 0 || p.out.n == 0 || v.Cols == 0 {
		dst.Zero()
		return
	}
	w := spaceOf[T](p.e)
	group := max(1, min(outRows/width, 4*panelBytes/p.out.bytes()))
	chunk := max(run, panelBytes/p.in.bytes()/run*run)
	for lo := 0; lo < p.out.panels(); lo += group {
		c := cut{lo: lo, hi: min(lo+group, p.out.panels())}
		c.band = max(1, min(bandBytes/p.out.bytes(), bandPanels, (c.hi-lo+bandPanels-1)/bandPanels))
		c.parts = max(1, min(jobs/c.bands(), min(p.in.panels(), chunk)/run, sumsBytes/(8*width*v.Cols*(c.hi-lo))))
		out := w.out.set(p.out, lo, c.hi)
		sums := w.sums.get((c.hi - lo) * c.parts * v.Cols * width)
		clear(sums)
		for q := 0; q < p.in.panels(); q += chunk {
			p.sum(sums, c, out, q, min(q+chunk, p.in.panels()), v)
		}
		p.collect(dst, sums, c)
	}
}

// A cut is how a group of output panels lo ≤ p < hi is divided into jobs.
type cut struct {
	lo, hi int
	band   int // output panels of a job
	parts  int // of the reduced side
}

func (c cut) bands() int { return (c.hi - c.lo + c.band - 1) / c.band }

// sum adds the terms of panels q0 ≤ q < q1 of in to the sums of the output panels.
func (p *product[T]) sum(sums []float64, c cut, out [][]T, q0, q1 int, v Matrix) {
	w, cols, size := spaceOf[T](p.e), v.Cols, p.in.size()
	in := w.in.set(p.in, q0, q1)
	first, _ := p.in.columns(q0)
	row := q0*width + first - p.in.skip // of v
	rows := min(q1*width-p.in.skip, p.in.n) - row
	weights := w.weights.get(rows * cols)
	convertRows(weights, v.RowRange(row, row+rows))

	per := ((q1-q0+run-1)/run + c.parts - 1) / c.parts * run // panels of a part
	p.e.parallel(c.bands()*c.parts, (c.hi-c.lo)*(q1-q0)*size*width, func(job int) {
		band, part := job/c.parts*c.band, job%c.parts
		from, to := q0+part*per, min(q0+(part+1)*per, q1)
		space := w.tileSpace()
		for q := from; q < to; q += run {
			for o := band; o < min(band+c.band, c.hi-c.lo); o++ {
				sum := weighted[T]{cols: cols, out: space.product.get(cols * width), acc: sums[(o*c.parts+part)*cols*width:][:cols*width]}
				for k := q; k < min(q+run, to); k++ {
					n := p.tile(space, k, c.lo+o, in[k-q0], out[o])
					at := max(k*width-p.in.skip, 0) - row
					sum.add(weights[at*cols:][:n*cols], space.tile[:n*width], n)
				}
				sum.end()
			}
		}
		w.giveBack(space)
	})
}

// A weighted sum adds Σ_l weights_lq tile_lj to acc_qj over the rows of some tiles, cols weights each.
type weighted[T simd.Float] struct {
	cols  int
	out   []T // of the tiles so far
	begun bool
	acc   []float64
}

// add adds a tile of n rows.
func (s *weighted[T]) add(weights, tile []T, n int) {
	if s.cols == 1 {
		simd.Weigh(s.out, weights, tile, n)
		simd.AddScaled(s.acc, s.out, 1)
		return
	}
	simd.Tile(simd.Dot, s.cols, width, n, weights, s.cols, tile, width, s.out, width, s.begun)
	s.begun = true
}

// end adds what is left to acc.
func (s *weighted[T]) end() {
	if s.begun {
		simd.AddScaled(s.acc, s.out, 1)
	}
}

// collect sets the rows of dst that belong to the output panels to the sums of their parts.
func (p *product[T]) collect(dst Matrix, sums []float64, c cut) {
	size := dst.Cols * width
	p.e.parallel(c.hi-c.lo, (c.hi-c.lo)*size*c.parts*8, func(k int) {
		acc := sums[k*c.parts*size:][:size]
		for s := 1; s < c.parts; s++ {
			simd.AddScaled(acc, sums[(k*c.parts+s)*size:][:size], 1)
		}
		from, to := p.out.columns(c.lo + k)
		for j := from; j < to; j++ {
			row := dst.Row((c.lo+k)*width + j - p.out.skip)
			for q := range row {
				row[q] = acc[q*width+j]
			}
		}
	})
}

// each makes all tiles, of panel q of in and panel o of out, and has them put away.
func (p *product[T]) each(put func(tile []T, q, o int)) {
	if p.in.n == 0 || p.out.n == 0 {
		return
	}
	w := spaceOf[T](p.e)
	group := max(1, 2*panelBytes/p.out.bytes())
	chunk := max(1, panelBytes/p.in.bytes())
	for lo := 0; lo < p.out.panels(); lo += group {
		hi := min(lo+group, p.out.panels())
		out := w.out.set(p.out, lo, hi)
		for q0 := 0; q0 < p.in.panels(); q0 += chunk {
			q1 := min(q0+chunk, p.in.panels())
			in := w.in.set(p.in, q0, q1)
			p.e.parallel((q1-q0)*(hi-lo), (q1-q0)*(hi-lo)*p.in.size()*width, func(job int) {
				q, o := job/(hi-lo), job%(hi-lo)
				space := w.tileSpace()
				p.tile(space, q0+q, lo+o, in[q], out[o])
				put(space.tile[:], q0+q, lo+o)
				w.giveBack(space)
			})
		}
	}
}

// matrix returns the transpose of the product: rows are points of in, columns points of out.
func (p *product[T]) matrix(symmetric bool) Matrix {
	dst := NewMatrix(p.in.n, p.out.n)
	p.eachOf(symmetric)(func(tile []T, q, o int) {
		p.rowsOf(tile, q, o, func(i, j int, row []T) {
			to := dst.Row(i)[j:]
			for k, v := range row {
				to[k] = float64(v)
			}
		})
	})
	return dst
}

// eachOf returns each or eachSymmetric.
func (p *product[T]) eachOf(symmetric bool) func(put func(tile []T, q, o int)) {
	if symmetric {
		return p.eachSymmetric
	}
	return p.each
}

// rowsOf visits the rows of the tile of panels q of in and o of out that hold entries: row belongs at row i,
// from column j on, of the transposed product.
func (p *product[T]) rowsOf(tile []T, q, o int, visit func(i, j int, row []T)) {
	from, to := p.in.columns(q)
	left, right := p.out.columns(o)
	for i := range to - from {
		visit(q*width+from+i-p.in.skip, o*width+left-p.out.skip, tile[i*width+left:][:right-left])
	}
}

// convertRows packs the rows of m one after another.
func convertRows[T simd.Float](dst []T, m Matrix) {
	if m.Stride == m.Cols && m.Rows > 0 {
		simd.Convert(dst, m.Data[:m.Rows*m.Cols])
		return
	}
	for i := range m.Rows {
		simd.Convert(dst[i*m.Cols:], m.Row(i))
	}
}

// tileSpace returns memory for a job.
func (w *workspace[T]) tileSpace() *tileSpace[T] {
	if s := w.tiles.Get(); s != nil {
		return s.(*tileSpace[T])
	}
	return new(tileSpace[T])
}

func (w *workspace[T]) giveBack(s *tileSpace[T]) { w.tiles.Put(s) }
