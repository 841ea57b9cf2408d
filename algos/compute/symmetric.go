package compute

import "repro/algos/compute/internal/simd"

// groups is the number of groups into which the panels of a symmetric product are divided. A job is a pair of groups. The
// bits of results depend on it.
const groups = 16

// A pairing is the set of pairs a ≤ b of groups of panels.
type pairing struct {
	panels, per, groups int
}

// pairs returns the pairing of n panels.
func pairs(n int) pairing {
	per := max(2, (n+groups-1)/groups)
	return pairing{n, per, (n + per - 1) / per}
}

func (p pairing) jobs() int { return p.groups * (p.groups + 1) / 2 }

// group returns the range lo ≤ p < hi of panels of group a.
func (p pairing) group(a int) (lo, hi int) { return a * p.per, min((a+1)*p.per, p.panels) }

// index returns the number of the job of the groups a ≤ b. pair is its inverse.
func (p pairing) index(a, b int) int { return b*(b+1)/2 + a }

func (p pairing) pair(job int) (a, b int) {
	for ; job > b; b++ {
		job -= b + 1
	}
	return job, b
}

// packedOnce is the largest size in bytes of the sides of a symmetric product that are packed at once. Each group is in
// groups + 1 jobs, which otherwise pack it themselves.
const packedOnce = 128 << 20

// packAll packs both sides, or returns nil if they are too large.
func (p *product[T]) packAll(c pairing) (out, in []panel[T]) {
	if c.panels*(p.out.bytes()+p.in.bytes()) > packedOnce {
		return nil, nil
	}
	w := spaceOf[T](p.e)
	return w.out.set(p.out, 0, c.panels, false), w.in.set(p.in, 0, c.panels, p.strips())
}

// pairTiles computes the tiles on and above the diagonal between the panels o of out in group a and q of in in group b, in
// space.tile, and calls visit after each. It packs both groups into the job's memory if allOut and allIn, all panels, are nil.
func (p *product[T]) pairTiles(c pairing, a, b int, allOut, allIn []panel[T], space *tileSpace[T], visit func(o, q int)) {
	a0, a1 := c.group(a)
	b0, b1 := c.group(b)
	var out, in []panel[T]
	if allOut != nil {
		out, in = allOut[a0:a1], allIn[b0:b1]
	} else {
		out, in = space.out.set(p.out, a0, a1, false), space.in.set(p.in, b0, b1, p.strips())
	}
	for o := a0; o < a1; o++ {
		for q := max(b0, o); q < b1; q++ {
			p.tile(space.tile, space, q, o, in[q-b0], out[o-a0].data, in[min(q+1, b1-1)-b0].data)
			if o == q {
				mirror(space.tile)
			}
			visit(o, q)
		}
	}
}

// mirror copies the upper triangle of a tile on the diagonal to the lower one. They could differ in the last bits because
// ‖x‖² and ‖z‖² are added in different orders.
func mirror[T simd.Float](tile []T) {
	for i := range width {
		for j := range i {
			tile[i*width+j] = tile[j*width+i]
		}
	}
}

// mulSymmetric is mul for a symmetric product: it computes the tiles on and above the diagonal, and uses those off the
// diagonal twice.
func (p *product[T]) mulSymmetric(dst, v Matrix) {
	if p.in.n == 0 || v.Cols == 0 {
		dst.Zero()
		return
	}
	w, c, n := spaceOf[T](p.e), pairs(p.out.panels()), v.Cols
	weights := w.weights.get(v.Rows * n)
	convertRows(weights, v)
	half := c.per * n * width // number of sums of one group in one job
	sums := w.sums.get(c.jobs() * 2 * half)
	clear(sums)
	out, in := p.packAll(c)
	p.e.parallel(c.jobs(), p.out.panels()*p.out.panels()*p.out.size()*width/2, func(job int) {
		a, b := c.pair(job)
		space := w.tileSpace()
		mine := sums[job*2*half:][:2*half]
		p.pairTiles(c, a, b, out, in, space, func(o, q int) {
			rows, cols := min(width, p.in.n-q*width), min(width, p.out.n-o*width)
			simd.Accumulate(mine[(o-a*c.per)*n*width:][:n*width], weigh(weights[q*width*n:][:rows*n], space.tile, rows, cols, n, space))
			if o < q {
				simd.Transpose(space.turned, width, space.tile, width, rows, width)
				simd.Accumulate(mine[half+(q-b*c.per)*n*width:][:n*width], weigh(weights[o*width*n:][:cols*n], space.turned, cols, rows, n, space))
			}
		})
		w.giveBack(space)
	})
	p.e.parallel(p.out.panels(), p.out.panels()*width*n*c.groups*8, func(o int) {
		g := o / c.per
		at := (o - g*c.per) * n * width
		acc := make([]float64, n*width)
		for h := range c.groups {
			if g <= h {
				simd.Accumulate(acc, sums[c.index(g, h)*2*half+at:][:n*width])
			}
			if h <= g {
				simd.Accumulate(acc, sums[c.index(h, g)*2*half+half+at:][:n*width])
			}
		}
		for j := range min(width, p.out.n-o*width) {
			row := dst.Row(o*width + j)
			for k := range row {
				row[k] = p.factor * acc[k*width+j]
			}
		}
	})
}

// eachSymmetric is each for a symmetric product: it computes the tiles on and above the diagonal, and calls put a second
// time with the transpose of those off the diagonal.
func (p *product[T]) eachSymmetric(put func(tile []T, q, o int)) {
	w, c := spaceOf[T](p.e), pairs(p.out.panels())
	out, in := p.packAll(c)
	p.e.parallel(c.jobs(), p.out.panels()*p.out.panels()*p.out.size()*width/2, func(job int) {
		a, b := c.pair(job)
		space := w.tileSpace()
		p.pairTiles(c, a, b, out, in, space, func(o, q int) {
			put(space.tile, q, o)
			if o < q {
				simd.Transpose(space.turned, width, space.tile, width, min(width, p.in.n-q*width), width)
				put(space.turned, o, q)
			}
		})
		w.giveBack(space)
	})
}
