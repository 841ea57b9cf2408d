package compute

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A block is one block of a feature map, ready for use.
type block struct {
	omega Matrix // inputs × width
	phase []float64
}

type blockKey struct {
	stream   any
	i, in, w int
}

// A blockCache keeps drawn blocks up to a limit. The first blocks stay: a method that visits its
// blocks in order at every step gains nothing from the most recent ones.
type blockCache struct {
	limit, used int64
	blocks      map[blockKey]block
}

// Features returns Φ, the features of the given blocks at the rows of x: entry (i, j) is feature
// j mod width of block Lo + j/width at row i. Features are drawn when needed and not stored beyond
// the engine's cache.
func (e *Engine) Features(f FeatureMap, x Matrix, blocks Range) Operator {
	if blocks.Lo < 0 || blocks.Hi < blocks.Lo {
		panic(fmt.Sprintf("compute: feature blocks [%d, %d)", blocks.Lo, blocks.Hi))
	}
	return &features{e, f, x, blocks}
}

type features struct {
	e      *Engine
	f      FeatureMap
	x      Matrix
	blocks Range
}

func (o *features) Dims() (r, c int) { return o.x.Rows, (o.blocks.Hi - o.blocks.Lo) * o.f.Width() }

// draw returns blocks lo ≤ i < hi, from the cache where it has them.
func (e *Engine) draw(f FeatureMap, in, lo, hi int) []block {
	w := f.Width()
	out := make([]block, hi-lo)
	var missing []int
	for i := range out {
		b, ok := e.cache.blocks[blockKey{f.Stream(), lo + i, in, w}]
		if ok {
			out[i] = b
		} else {
			missing = append(missing, i)
		}
	}
	e.parallel(len(missing), func(k int) {
		b := block{NewMatrix(in, w), make([]float64, w)}
		f.Draw(lo+missing[k], b.omega, b.phase)
		out[missing[k]] = b
	})
	for _, i := range missing {
		size := int64(8 * w * (in + 1))
		if e.cache.used+size > e.cache.limit {
			break
		}
		if e.cache.blocks == nil {
			e.cache.blocks = map[blockKey]block{}
		}
		e.cache.blocks[blockKey{f.Stream(), lo + i, in, w}] = out[i]
		e.cache.used += size
	}
	return out
}

// fill sets z (rows of x × columns lo ≤ j < hi of the block) to the features.
func (o *features) fill(z, x Matrix, b block, lo, hi int) {
	omega, phase := b.omega.ColRange(lo, hi), b.phase[lo:hi]
	affineRows(z, x, phase, omega)
	for i := range z.Rows {
		o.f.Activate(z.Row(i))
	}
}

// panel is the number of blocks prepared at a time.
func (o *features) panel() int {
	return max(1, panelBytes/(8*o.f.Width()*(o.x.Cols+1)))
}

func (o *features) MulTo(dst, v Matrix) {
	r, c := o.Dims()
	mustShape("MulTo", dst, r, v.Cols)
	mustShape("MulTo", v, c, v.Cols)
	w := o.f.Width()
	dst.Zero()
	for lo := o.blocks.Lo; lo < o.blocks.Hi; lo += o.panel() {
		hi := min(lo+o.panel(), o.blocks.Hi)
		blocks := o.e.draw(o.f, o.x.Cols, lo, hi)
		o.e.parallel(tiles(r, tileRows), func(t int) {
			i0, i1 := t*tileRows, min((t+1)*tileRows, r)
			buf := make([]float64, (i1-i0)*min(w, tileCols))
			x, out := o.x.RowRange(i0, i1), dst.RowRange(i0, i1)
			for k, b := range blocks {
				for j0 := 0; j0 < w; j0 += tileCols {
					j1 := min(j0+tileCols, w)
					z := Matrix{Rows: i1 - i0, Cols: j1 - j0, Stride: j1 - j0, Data: buf[:(i1-i0)*(j1-j0)]}
					o.fill(z, x, b, j0, j1)
					at := (lo-o.blocks.Lo+k)*w + j0
					accumulate(out, z, v.RowRange(at, at+j1-j0))
				}
			}
		})
	}
	o.count(v.Cols)
}

func (o *features) MulTransTo(dst, v Matrix) {
	r, c := o.Dims()
	mustShape("MulTransTo", dst, c, v.Cols)
	mustShape("MulTransTo", v, r, v.Cols)
	w := o.f.Width()
	const cols = 128 // narrower than tileCols: one block alone must occupy every thread
	dst.Zero()
	for lo := o.blocks.Lo; lo < o.blocks.Hi; lo += o.panel() {
		hi := min(lo+o.panel(), o.blocks.Hi)
		blocks := o.e.draw(o.f, o.x.Cols, lo, hi)
		per := tiles(w, cols)
		o.e.parallel(len(blocks)*per, func(t int) {
			k, j0 := t/per, t%per*cols
			j1 := min(j0+cols, w)
			at := (lo-o.blocks.Lo+k)*w + j0
			out := dst.RowRange(at, at+j1-j0)
			buf := make([]float64, min(tileRows, r)*(j1-j0))
			for i0 := 0; i0 < r; i0 += tileRows {
				i1 := min(i0+tileRows, r)
				z := Matrix{Rows: i1 - i0, Cols: j1 - j0, Stride: j1 - j0, Data: buf[:(i1-i0)*(j1-j0)]}
				o.fill(z, o.x.RowRange(i0, i1), blocks[k], j0, j1)
				gemm(blas.Trans, out, z, v.RowRange(i0, i1))
			}
		})
	}
	o.count(v.Cols)
}

func (o *features) count(k int) {
	r, c := o.Dims()
	n, m, d := int64(r), int64(c), int64(o.x.Cols)
	o.e.counters.FeatureEvals += n * m
	o.e.counters.Flops += 2 * n * m * (d + int64(k))
	o.e.counters.Bytes += 8 * (n*(d+int64(k)) + m*(d+1+int64(k)))
}

// FeatureMatrix returns the features of the given blocks at the rows of x, materialised.
func (e *Engine) FeatureMatrix(f FeatureMap, x Matrix, blocks Range) Matrix {
	o := e.Features(f, x, blocks).(*features)
	r, c := o.Dims()
	out := NewMatrix(r, c)
	w := f.Width()
	drawn := e.draw(f, x.Cols, blocks.Lo, blocks.Hi)
	e.parallel(tiles(r, tileRows), func(t int) {
		i0, i1 := t*tileRows, min((t+1)*tileRows, r)
		for k, b := range drawn {
			o.fill(out.RowRange(i0, i1).ColRange(k*w, (k+1)*w), x.RowRange(i0, i1), b, 0, w)
		}
	})
	o.count(0)
	return out
}

// affineRows sets row i of z to phase + x_i·w. Beyond a few inputs it copies w, a block of columns at
// a time, next to each other: strides of a power of two would evict each other from the cache.
func affineRows(z, x Matrix, phase []float64, w Matrix) {
	const words, few = 8192, 8 // 64 KiB
	if x.Cols <= few {
		for i := range z.Rows {
			affine(z.Row(i), phase, w, x.Row(i))
		}
		return
	}
	cols := max(words/x.Cols&^31, 32)
	for j0 := 0; j0 < z.Cols; j0 += cols {
		j1 := min(j0+cols, z.Cols)
		block := w.ColRange(j0, j1).Clone()
		for i := range z.Rows {
			affine(z.Row(i)[j0:j1], phase[j0:j1], block, x.Row(i))
		}
	}
}

// accumulate sets out to out + z·v.
func accumulate(out, z, v Matrix) {
	if v.Cols != 1 {
		gemm(blas.NoTrans, out, z, v)
		return
	}
	if v.Stride != 1 {
		v = v.Clone()
	}
	for i := range z.Rows {
		out.Data[i*out.Stride] += dot(z.Row(i), v.Data)
	}
}

// gemm sets c to c + op(a)·b on the calling goroutine: it cuts the product into blocks that stay in
// cache and are too small for gonum to start goroutines of its own.
func gemm(ta blas.Transpose, c, a, b Matrix) {
	const rows, cols, inner = 64, 128, 64
	for i0 := 0; i0 < c.Rows; i0 += rows {
		i1 := min(i0+rows, c.Rows)
		for j0 := 0; j0 < c.Cols; j0 += cols {
			j1 := min(j0+cols, c.Cols)
			out := general(c.RowRange(i0, i1).ColRange(j0, j1))
			for l0 := 0; l0 < b.Rows; l0 += inner {
				l1 := min(l0+inner, b.Rows)
				left := general(part(a, ta, i0, i1, l0, l1))
				blas64.Gemm(ta, blas.NoTrans, 1, left, general(b.RowRange(l0, l1).ColRange(j0, j1)), 1, out)
			}
		}
	}
}

// part returns the block of a whose op is rows i0 ≤ i < i1 and columns l0 ≤ l < l1 of op(a).
func part(a Matrix, ta blas.Transpose, i0, i1, l0, l1 int) Matrix {
	if ta == blas.Trans {
		i0, i1, l0, l1 = l0, l1, i0, i1
	}
	return a.RowRange(i0, i1).ColRange(l0, l1)
}

func general(m Matrix) blas64.General {
	return blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

func mustShape(op string, m Matrix, r, c int) {
	if m.Rows != r || m.Cols != c {
		panic(fmt.Sprintf("compute: %s: operand is %d×%d, want %d×%d", op, m.Rows, m.Cols, r, c))
	}
}
