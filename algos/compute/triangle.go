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
	return Symmetric{n, make([]float64, sizeOfTriangle(n))}
}

// sizeOfTriangle returns how many numbers a Symmetric of n rows stores.
func sizeOfTriangle(n int) int { return bricks(n) * (bricks(n) + 1) / 2 * simd.BrickSize }

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

// at returns where entry (i, j) is.
func (v Rows) at(i, j int) *float64 { return &v.from(i, j/simd.Brick)[j%simd.Brick] }

// from returns row i of the bricks from number first on.
func (v Rows) from(i, first int) []float64 {
	return v.bricks(i / simd.Brick)[first*simd.BrickSize+i%simd.Brick*simd.Brick:]
}

// Set sets row i to x, N numbers.
func (v Rows) Set(i int, x []float64) { spreadRow(v.from(i, 0), x) }

// spreadRow sets the row of bricks that begins at dst, one row of each brick, to x.
func spreadRow(dst, x []float64) {
	whole := len(x) / simd.Brick
	for q := range whole {
		*(*[simd.Brick]float64)(dst[q*simd.BrickSize:]) = [simd.Brick]float64(x[q*simd.Brick:])
	}
	if rest := x[whole*simd.Brick:]; len(rest) > 0 {
		copy(dst[whole*simd.BrickSize:], rest)
	}
}

// gatherRow sets x, whole bricks long, to the row that spreadRow sets.
func gatherRow(x, src []float64) {
	for q := range len(x) / simd.Brick {
		*(*[simd.Brick]float64)(x[q*simd.Brick:]) = [simd.Brick]float64(src[q*simd.BrickSize:])
	}
}

// triangle returns the upper triangle of a, in space.
func (e *Engine) triangle(a Matrix, space []float64) Symmetric {
	n := a.Rows
	t := Symmetric{n, space[:sizeOfTriangle(n)]}
	e.parallel(bricks(n), n*n, func(p int) {
		dst, from := t.bricks(p), p*simd.Brick
		if n-from < len(dst)/simd.Brick { // zeros beyond N
			clear(dst)
		}
		for i := range min(simd.Brick, n-from) {
			spreadRow(dst[i*simd.Brick:], a.Row(from + i)[from:])
			for j := range i {
				dst[i*simd.Brick+j] = dst[j*simd.Brick+i]
			}
		}
	})
	return t
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
	e.symMul(y, a, x, 0, false)
}

// symMul is SymMulVec for the rows and columns of the bricks from first on. If backwards, it begins with the last rows, which the
// caches hold if it ended there the time before.
func (e *Engine) symMul(y []float64, a Symmetric, x []float64, first int, backwards bool) {
	n, from := bricks(a.N)-first, first*simd.Brick
	if n < sharedBricks {
		clear(y[from:])
		a.mulPart(y, x, first, 1, backwards)
		return
	}
	sums := e.double.sums.get(symmetricJobs * len(y))
	e.parallel(symmetricJobs, n*n*simd.BrickSize, func(job int) {
		clear(sums[job*len(y)+from : (job+1)*len(y)])
		a.mulPart(sums[job*len(y):(job+1)*len(y)], x, first+job, symmetricJobs, backwards)
	})
	copy(y[from:], sums[from:])
	for job := 1; job < symmetricJobs; job++ {
		simd.AddScaled(y[from:], sums[job*len(y)+from:(job+1)*len(y)], 1)
	}
}

// mulPart adds to y what each step-th row of bricks from first on adds to the product with x.
func (a Symmetric) mulPart(y, x []float64, first, step int, backwards bool) {
	n := bricks(a.N)
	last := first + (n-1-first)/step*step
	for p := first; p < n; p += step {
		row := p
		if backwards {
			row = first + last - p
		}
		simd.BrickSymMul(y[row*simd.Brick:], a.bricks(row), x[row*simd.Brick:])
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
	v.dots(out, 0, x)
}

// dots is RowsMulVec for the columns of the bricks from first on.
func (v Rows) dots(out []float64, first int, x []float64) {
	for g := range len(out) / simd.Brick {
		simd.BrickDots(out[g*simd.Brick:], v.bricks(g)[first*simd.BrickSize:], x[first*simd.Brick:])
	}
}

// RowsAddTo adds Σ_i w_i v_i to y over the rows i < len(w), a multiple of eight. y has Whole(N) numbers.
func (e *Engine) RowsAddTo(y []float64, v Rows, w []float64) {
	v.addTo(y, 0, w)
}

// addTo is RowsAddTo for the columns of the bricks from first on.
func (v Rows) addTo(y []float64, first int, w []float64) {
	for g := range len(w) / simd.Brick {
		simd.BrickAddRows(y[first*simd.Brick:], v.bricks(g)[first*simd.BrickSize:], w[g*simd.Brick:])
	}
}

// countSymmetric counts operations with every number of the triangle and its transpose, and passes over it.
func (e *Engine) countSymmetric(a Symmetric, columns, passes int) {
	n := int64(a.N)
	e.counters.Flops += 2 * n * n * int64(columns)
	e.counters.Bytes += 8*int64(passes)*n*(n+1)/2 + 16*n*int64(columns)
}
