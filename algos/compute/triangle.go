package compute

import "repro/algos/compute/internal/simd"

// A Symmetric is a symmetric matrix of which the upper triangle is stored: half the memory of a Matrix, and half the reading in a
// product with a vector. The triangle is in bricks of 8×8 numbers, each stored together row by row: those of the first eight
// rows from left to right, then those of the next eight from the diagonal on, and so on. Rows and columns beyond N are 0.
type Symmetric struct {
	N    int
	Data []float64
}

// Rows is a matrix in bricks as those of a Symmetric of N rows. It has a multiple of eight rows of N numbers.
type Rows struct {
	N    int
	Data []float64
}

// bricks returns the number of bricks that n numbers fill.
func bricks(n int) int { return (n + simd.Brick - 1) / simd.Brick }

// Whole returns n rounded up to whole bricks. It is the length of the vectors of a Symmetric of n rows and of Rows of n numbers.
func Whole(n int) int { return bricks(n) * simd.Brick }

// NewSymmetric returns a symmetric matrix of zeros.
func NewSymmetric(n int) Symmetric {
	return Symmetric{n, make([]float64, bricks(n)*(bricks(n)+1)/2*simd.BrickSize)}
}

// NewRows returns at least m rows of n zeros.
func NewRows(m, n int) Rows { return Rows{n, make([]float64, Whole(m)*Whole(n))} }

// bricks returns row p of the bricks from the diagonal on.
func (a Symmetric) bricks(p int) []float64 {
	n := bricks(a.N)
	start := p*n - p*(p-1)/2
	return a.Data[start*simd.BrickSize : (start+n-p)*simd.BrickSize]
}

// at returns where entry (i, j), i ≤ j, is.
func (a Symmetric) at(i, j int) *float64 {
	p := i / simd.Brick
	return &a.bricks(p)[(j/simd.Brick-p)*simd.BrickSize+i%simd.Brick*simd.Brick+j%simd.Brick]
}

// At returns entry (i, j).
func (a Symmetric) At(i, j int) float64 { return *a.at(min(i, j), max(i, j)) }

// Set sets the entries (i, j) and (j, i).
func (a Symmetric) Set(i, j int, v float64) {
	*a.at(min(i, j), max(i, j)) = v
	if i/simd.Brick == j/simd.Brick { // a brick on the diagonal has both
		*a.at(max(i, j), min(i, j)) = v
	}
}

// bricks returns row g of the bricks: rows 8g to 8g + 7.
func (v Rows) bricks(g int) []float64 {
	size := simd.Brick * Whole(v.N)
	return v.Data[g*size : (g+1)*size]
}

// Set sets row i to x, N numbers.
func (v Rows) Set(i int, x []float64) {
	row, whole := v.bricks(i / simd.Brick)[i%simd.Brick*simd.Brick:], len(x)/simd.Brick
	for q := range whole {
		*(*[simd.Brick]float64)(row[q*simd.BrickSize:]) = [simd.Brick]float64(x[q*simd.Brick:])
	}
	if rest := x[whole*simd.Brick:]; len(rest) > 0 {
		copy(row[whole*simd.BrickSize:], rest)
	}
}

// sharedBricks is the number of rows of bricks from which on SymMulVec divides them among jobs, and symmetricJobs the number of
// these. The bits of results depend on them.
const (
	sharedBricks  = 64
	symmetricJobs = 4
)

// SymMulVec computes y = A x, for vectors of Whole(N) numbers; those of x beyond N are 0. It reads the triangle once.
func (e *Engine) SymMulVec(y []float64, a Symmetric, x []float64) {
	e.countSymmetric(a, 1, 1)
	n := bricks(a.N)
	if n < sharedBricks {
		clear(y)
		for p := range n {
			simd.BrickSymMul(y[p*simd.Brick:], a.bricks(p), x[p*simd.Brick:])
		}
		return
	}
	sums := e.double.sums.get(symmetricJobs * len(y))
	e.parallel(symmetricJobs, a.N*a.N, func(job int) {
		sum := sums[job*len(y) : (job+1)*len(y)]
		clear(sum)
		for p := job; p < n; p += symmetricJobs {
			simd.BrickSymMul(sum[p*simd.Brick:], a.bricks(p), x[p*simd.Brick:])
		}
	})
	copy(y, sums)
	for job := 1; job < symmetricJobs; job++ {
		simd.AddScaled(y, sums[job*len(y):(job+1)*len(y)], 1)
	}
}

// SymAddOuter adds Σ_l v_l v_lᵀ over all rows to A, or subtracts it, one term after the other. It reads and writes the triangle
// once, however many rows there are.
func (e *Engine) SymAddOuter(a Symmetric, v Rows, subtract bool) {
	n, stride := bricks(a.N), simd.Brick*Whole(a.N)
	rows := 0
	if stride > 0 {
		rows = len(v.Data) / stride
	}
	e.countSymmetric(a, simd.Brick*rows, 2)
	e.parallel(n, a.N*a.N*rows*simd.Brick/2, func(p int) {
		own := v.Data[p*simd.BrickSize:]
		simd.BrickAddOuter(a.bricks(p), own, own, n-p, rows, stride, subtract)
	})
}

// RowsMulVec sets out_i to the inner product of row i of v with x, for all i < len(out), a multiple of eight. x has Whole(N)
// numbers, and those beyond N are 0.
func (e *Engine) RowsMulVec(out []float64, v Rows, x []float64) {
	for g := range len(out) / simd.Brick {
		simd.BrickDots(out[g*simd.Brick:], v.bricks(g), x)
	}
}

// RowsAddTo adds Σ_i w_i v_i to y over the rows i < len(w), a multiple of eight. y has Whole(N) numbers.
func (e *Engine) RowsAddTo(y []float64, v Rows, w []float64) {
	for g := range len(w) / simd.Brick {
		simd.BrickAddRows(y, v.bricks(g), w[g*simd.Brick:])
	}
}

// countSymmetric counts operations with every number of the triangle and its transpose, and passes over it.
func (e *Engine) countSymmetric(a Symmetric, columns, passes int) {
	n := int64(a.N)
	e.counters.Flops += 2 * n * n * int64(columns)
	e.counters.Bytes += 8*int64(passes)*n*(n+1)/2 + 16*n*int64(columns)
}
