package simd

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
	_, _, _ = a[(k-1)*lda+m-1], b[(k-1)*ldb+wide-1], c[(m-1)*ldc+wide-1]
	if t := kernelsOf[T]().tiles; t != nil {
		run(t, op, m, n, k, a, lda, b, ldb, c, ldc, add)
		return
	}
	tileGeneric(op, m, n, k, a, lda, b, ldb, c, ldc, add)
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

// A microTile is a micro-kernel: Tile for a fixed number of rows MR and of vectors, run on n micro-tiles below each other.
// It prefetches n·MR·k elements from next on.
type microTile[T Float] func(n, k int, a *T, lda int, b *T, ldb int, c *T, ldc, add int, next *T)

// The micro-kernel of operation op with h rows and v vectors has index op·tileOp + h·tileRow + v in a tileTable.
const (
	tileRow = 4
	tileOp  = 9 * tileRow
)

type tileTable[T Float] [4 * tileOp]microTile[T]

// tileSet is the micro-kernels of an instruction set, with the rows (MR) of the largest and the lanes of a vector.
type tileSet[T Float] struct {
	table       *tileTable[T]
	rows, lanes int
}

// run covers the tile with micro-tiles.
func run[T Float](s *tileSet[T], op Op, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int, add bool) {
	table, more, vectors := s.table[int(op)*tileOp:], 0, 3
	if op != Dot {
		vectors = 2
	}
	if add {
		more = 1
	}
	// Prefetch the memory after b, which is the next panel: a tile as high as it is wide prefetches another b.
	next := b[:cap(b)]
	if k*ldb < len(next) {
		next = next[k*ldb:]
	}
	for j := 0; j < n; {
		v := min(vectors, (n-j+s.lanes-1)/s.lanes)
		for i := 0; i < m; {
			h := s.height(op, m-i)
			times := 1
			if h == s.rows {
				times = (m - i) / h
			}
			table[h*tileRow+v](times, k, &a[i], lda, &b[j], ldb, &c[i*ldc+j], ldc, more, &next[min(i*k, len(next)-1)])
			i += times * h
		}
		j += v * s.lanes
	}
}

// height returns the number of rows of the next micro-tile if m rows are left. Dot divides the last rows evenly between two
// micro-tiles; the other operations have heights that are powers of two.
func (s *tileSet[T]) height(op Op, m int) int {
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

// PeakFlops performs about n floating-point operations on registers, as fast as the processor can, and returns their
// number.
func PeakFlops[T Float](n int) int {
	of := kernelsOf[T]()
	if of.peak == nil {
		return peakGeneric[T](n)
	}
	rounds := max(1, n/of.peakFlops)
	for left := rounds; left > 0; left -= 100_000 { // assembly cannot be preempted
		of.peak(min(left, 100_000))
	}
	return rounds * of.peakFlops
}
