package simd

// An Op is what a tile accumulates over l.
type Op int

const (
	Dot               Op = iota // Σ a_li·b_lj
	SquaredDifference           // Σ (b_lj - a_li)²
	AbsDifference               // Σ |b_lj - a_li|
	Product                     // Π 1 + (b_lj - a_li)²
)

// Pad is what the rows of the second operand and of the result of Tile are padded to: both are read
// and written in whole groups of this many columns.
const Pad = 16

// Tile sets the m×n tile c_ij to the sum or product over l < k, or with add continues what is in c. Rows
// are lda, ldb and ldc elements apart: a is k×m, b is k×n, c is m×n. Columns of b and c up to n rounded
// up to a multiple of Pad must exist; those of c beyond n are overwritten with anything.
//
// Each entry is accumulated in the order of l, so that cutting k into parts or m and n otherwise changes no
// bit. Vector code rounds each product and its addition once.
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
	switch c := any(c).(type) {
	case []float32:
		if t := tableSingle(); t != nil {
			run(t, op, m, n, k, any(a).([]float32), lda, any(b).([]float32), ldb, c, ldc, add)
			return
		}
	case []float64:
		if t := tableDouble(); t != nil {
			run(t, op, m, n, k, any(a).([]float64), lda, any(b).([]float64), ldb, c, ldc, add)
			return
		}
	}
	tileGeneric(op, m, n, k, a, lda, b, ldb, c, ldc, add)
}

// start sets the tile to the value of an empty sum or product.
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

// A microTile is Tile for n times m rows and v vectors, m and v fixed. It fetches nmk elements from next on.
type microTile[T Float] func(n, k int, a *T, lda int, b *T, ldb int, c *T, ldc, add int, next *T)

// Indices into a tileTable: operation, rows, vectors.
const (
	tileRow = 4
	tileOp  = 9 * tileRow
)

type tileTable[T Float] [4 * tileOp]microTile[T]

// tileSet is the micro-tiles of an instruction set with the height and width of the largest.
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
	// What follows b is fetched while b is used: a tile as high as it is wide fetches another b.
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

// height is the height of the next micro-tile over m rows: the last two of products are cut evenly,
// differences come in powers of two.
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
