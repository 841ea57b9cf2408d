package simd

import "unsafe"

// An Op is the sum or product over l that an entry of a tile is.
type Op int

const (
	Dot               Op = iota // Σ a_li·b_lj
	SquaredDifference           // Σ (b_lj - a_li)²
	AbsDifference               // Σ |b_lj - a_li|
	Product                     // Π (1 + (b_lj - a_li)²)
)

// Pad is the multiple to which the columns of b and c are padded in Tile: it reads and writes Pad columns at a time.
const Pad = 16

// Tile sets the m×n matrix c to the sums or products over l < k of op; if add, it continues those in c. a is k×m, b is
// k×n; lda, ldb and ldc are leading dimensions. Columns of b and c up to n rounded up to a multiple of Pad must exist;
// those of c beyond n get arbitrary values.
//
// Terms are added in the order of l, so that the partition of k, m and n does not change the bits. Vector code fuses each
// multiplication with its addition.
func Tile[T Float](op Op, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int, add bool) {
	// Prefetch the memory after b, which is the next panel: a tile as high as it is wide prefetches another b.
	next := b[:cap(b)]
	if k*ldb < len(next) {
		next = next[k*ldb:]
	}
	tile(op, m, n, k, a, lda, Strip, b, ldb, c, ldc, add, next)
}

// tile is Tile for a in strips of 8 columns, strip elements apart, and prefetches next.
func tile[T Float](op Op, m, n, k int, a []T, lda, strip int, b []T, ldb int, c []T, ldc int, add bool, next []T) {
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		if !add {
			start(op, m, n, c, ldc)
		}
		return
	}
	wide := (n + Pad - 1) / Pad * Pad
	_, _, _ = a[(m-1)/Strip*strip+(k-1)*lda+(m-1)%Strip], b[(k-1)*ldb+wide-1], c[(m-1)*ldc+wide-1]
	of := kernelsOf[T]()
	switch {
	case of.tiles != nil:
		run(of.tiles, op, m, n, k, a, lda, strip, b, ldb, c, ldc, add, next)
	case of.cover != nil:
		of.cover(op, m, wide, k, first(a), lda, strip, first(b), ldb, first(c), ldc, add)
	default:
		rows := Strip
		if strip == Strip { // they lie side by side
			rows = m
		}
		for i := 0; i < m; i += rows {
			tileGeneric(op, min(rows, m-i), n, k, a[i/Strip*strip:], lda, b, ldb, c[i*ldc:], ldc, add)
		}
	}
}

// start sets the tile to the empty sum, 0, or product, 1.
func start[T Float](op Op, m, n int, c []T, ldc int) {
	var empty T
	if op == Product {
		empty = 1
	}
	for i := range m {
		for row, j := c[i*ldc:][:n], 0; j < n; j++ {
			row[j] = empty
		}
	}
}

// The micro-kernel of operation op with h rows and v vectors has index op·tileOp + h·tileRow + v in a tileTable.
const (
	tileRow = 4
	tileOp  = 9 * tileRow
)

type tileTable [4 * tileOp]uintptr

// tileSet is the micro-kernels of an instruction set, with the rows (MR) of the largest and the lanes of a vector.
type tileSet struct {
	table       *tileTable
	rows, lanes int
}

// run covers the tile with micro-tiles.
func run[T Float](s *tileSet, op Op, m, n, k int, a []T, lda, strip int, b []T, ldb int, c []T, ldc int, add bool, next []T) {
	table, more, vectors := s.table[int(op)*tileOp:], 0, 3
	if op != Dot {
		vectors = 2
	}
	if add {
		more = 1
	}
	for j := 0; j < n; {
		v := min(vectors, (n-j+s.lanes-1)/s.lanes)
		for i := 0; i < m; {
			h, times := min(s.rows, m-i), 1
			if strip == Strip { // the strips lie side by side
				if h = s.height(op, m-i); h == s.rows {
					times = (m - i) / h
				}
			}
			callTile(table[h*tileRow+v], times, k, unsafe.Pointer(&a[i/Strip*strip+i%Strip]), lda, unsafe.Pointer(&b[j]), ldb, unsafe.Pointer(&c[i*ldc+j]), ldc,
				more, unsafe.Pointer(&next[min(i*k, len(next)-1)]))
			i += times * h
		}
		j += v * s.lanes
	}
}

// height returns the number of rows of the next micro-tile if m rows are left. Dot divides the last rows evenly between two
// micro-tiles; the other operations have heights that are powers of two.
func (s *tileSet) height(op Op, m int) int {
	if op == Dot {
		if m <= s.rows || m%s.rows == 0 || m >= 2*s.rows {
			return min(m, s.rows)
		}
		return (m + 1) / 2
	}
	h := s.rows
	for h > m {
		h /= 2
	}
	return h
}

// Strip is the number of columns of a strip, which is a micro-panel: its points are the rows of a micro-tile, which reads
// it sequentially.
const Strip = 8

// Strips copies rows of 48 columns to strips of 8 that are stride elements apart: it sets dst[p·stride + 8l + i] to
// element 8p + i of row l of src.
func Strips[T Float](dst []T, stride int, src []T) {
	n := len(src) / Width
	if n == 0 {
		return
	}
	_ = dst[(Width/Strip-1)*stride+n*Strip-1]
	if f := kernelsOf[T]().strips; f != 0 {
		callPack(f, address(dst), stride, address(src), 0, n, nil, 0, 0)
		return
	}
	for l := range n {
		for p := range Width / Strip {
			copy(dst[p*stride+l*Strip:], src[l*Width+p*Strip:][:Strip])
		}
	}
}

// TileStrips is Tile with Dot for packed panels: it sets the m×n tile c to Σ_l a_li b_lj over l < k, or adds this to c if
// add. b and c have leading dimension 48. a is in strips of 8 columns, stride elements apart, each with leading dimension
// 8. TileStrips prefetches 48k elements of next into the L2 cache.
func TileStrips[T Float](m, n, k int, a []T, stride int, b, c []T, add bool, next []T) {
	tile(Dot, m, n, k, a, Strip, stride, b, Width, c, Width, add, next)
}

// tileGeneric is Tile in portable code. The conversions of products prevent the compiler from fusing them with additions,
// so that every platform gives the same bits.
func tileGeneric[T Float](op Op, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int, add bool) {
	if !add {
		start(op, m, n, c, ldc)
	}
	i := 0
	if op == Dot {
		for ; i+2 <= m; i += 2 {
			dotGeneric2(n, k, a[i:], lda, b, ldb, c[i*ldc:], ldc)
		}
	}
	for ; i < m; i++ {
		row := c[i*ldc:][:n]
		for l := range k {
			v, bl := a[l*lda+i], b[l*ldb:][:len(row)]
			switch op {
			case Dot:
				for j, w := range bl {
					row[j] += T(v * w)
				}
			case SquaredDifference:
				for j, w := range bl {
					row[j] += T((w - v) * (w - v))
				}
			case AbsDifference:
				for j, w := range bl {
					row[j] += max(w-v, v-w)
				}
			case Product:
				for j, w := range bl {
					row[j] += T(T((w-v)*(w-v)) * row[j])
				}
			}
		}
	}
}

// dotGeneric2 is tileGeneric for Dot with m = 2 and add: micro-tiles of 2×4.
func dotGeneric2[T Float](n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	j := 0
	for ; j+4 <= n; j += 4 {
		p, q := c[j:][:4], c[ldc+j:][:4]
		p0, p1, p2, p3 := p[0], p[1], p[2], p[3]
		q0, q1, q2, q3 := q[0], q[1], q[2], q[3]
		for l, at, bt := 0, 0, j; l < k; l, at, bt = l+1, at+lda, bt+ldb {
			r, s := (*[2]T)(a[at:]), (*[4]T)(b[bt:]) // bounds are checked once
			v, w := r[0], r[1]
			x := s[0]
			p0 += T(v * x)
			q0 += T(w * x)
			x = s[1]
			p1 += T(v * x)
			q1 += T(w * x)
			x = s[2]
			p2 += T(v * x)
			q2 += T(w * x)
			x = s[3]
			p3 += T(v * x)
			q3 += T(w * x)
		}
		p[0], p[1], p[2], p[3] = p0, p1, p2, p3
		q[0], q[1], q[2], q[3] = q0, q1, q2, q3
	}
	for ; j < n; j++ {
		for i := range 2 {
			s := c[i*ldc+j]
			for l := range k {
				s += T(a[l*lda+i] * b[l*ldb+j])
			}
			c[i*ldc+j] = s
		}
	}
}
