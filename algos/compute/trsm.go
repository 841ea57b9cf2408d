package compute

import (
	"math"

	"repro/algos/compute/internal/simd"
)

// Of Trsm and Cholesky: the largest triangle that is solved, or factorised, row by row; the columns that a job of Trsm takes,
// whose rows fit the L1 cache; and the rows that substitute takes together. The bits of results depend on the first.
const (
	triangleLeaf    = 48
	triangleColumns = 144
	triangleRows    = 8
)

// halve returns where a triangle of n rows is cut in two: at a multiple of triangleLeaf.
func halve(n int) int { return (n/2 + triangleLeaf - 1) / triangleLeaf * triangleLeaf }

// Trsm replaces b, n×m, by U⁻¹b, or by U⁻ᵀb if transpose, for the upper triangular n×n matrix U. It does not read the entries
// below the diagonal. It cuts U in two again and again, so that almost all of the work is done by Gemm, and computes in
// float64 whatever the engine's precision. The counters do not include it. A zero on the diagonal gives entries that are not
// finite. Trsm panics if the shapes do not fit.
func (e *Engine) Trsm(u Matrix, transpose bool, b Matrix) {
	mustShape("Trsm", u, u.Rows, u.Rows)
	mustShape("Trsm", b, u.Rows, b.Cols)
	e.device.Trsm(u, transpose, b)
}

// Trsm implements Device.
func (h *host) Trsm(u Matrix, transpose bool, b Matrix) { (*Engine)(h).trsm(u, transpose, b) }

func (e *Engine) trsm(u Matrix, transpose bool, b Matrix) {
	n := u.Rows
	if n <= triangleLeaf {
		jobs := (b.Cols + triangleColumns - 1) / triangleColumns
		e.parallel(jobs, n*n*b.Cols, func(job int) {
			columns := b.ColRange(job*triangleColumns, min((job+1)*triangleColumns, b.Cols))
			if whole := columns.Cols / simd.Pad * simd.Pad; transpose && whole > 0 {
				e.substituteTiles(u, columns.ColRange(0, whole))
				columns = columns.ColRange(whole, columns.Cols)
			}
			substitute(u, transpose, columns)
		})
		return
	}
	mid := halve(n)
	first, corner, second := u.RowRange(0, mid).ColRange(0, mid), u.RowRange(0, mid).ColRange(mid, n), u.RowRange(mid, n).ColRange(mid, n)
	upper, lower := b.RowRange(0, mid), b.RowRange(mid, n)
	if transpose {
		e.trsm(first, true, upper)
		e.multiply(lower, -1, corner, true, upper, false, 1)
		e.trsm(second, true, lower)
	} else {
		e.trsm(second, false, lower)
		e.multiply(upper, -1, corner, false, lower, false, 1)
		e.trsm(first, false, upper)
	}
}

// substitute is trsm row by row.
func substitute(u Matrix, transpose bool, b Matrix) {
	n := u.Rows
	for step := range n {
		i := step
		if !transpose {
			i = n - 1 - step
		}
		x, d := b.Row(i), u.At(i, i)
		for j := range x {
			x[j] /= d
		}
		if transpose {
			for k := i + 1; k < n; k++ {
				simd.AddScaled(b.Row(k), x, -u.At(i, k))
			}
		} else {
			for k := range i {
				simd.AddScaled(b.Row(k), x, -u.At(k, i))
			}
		}
	}
}

// substituteTiles is substitute for U⁻ᵀ, with the same bits: eight rows at a time, from which one product takes what those before
// add, in their order.
func (e *Engine) substituteTiles(u, b Matrix) {
	n := u.Rows
	space := e.double.tileSpace()
	defer e.double.giveBack(space)
	minus := space.product.get(n * n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			minus[i*n+j] = -u.At(i, j)
		}
	}
	for lo := 0; lo < n; lo += triangleRows {
		hi := min(lo+triangleRows, n)
		rows := b.RowRange(lo, hi)
		simd.Tile(simd.Dot, hi-lo, b.Cols, lo, minus[lo:], n, b.Data, b.Stride, rows.Data, b.Stride, true)
		substitute(u.RowRange(lo, hi).ColRange(lo, hi), true, rows)
	}
}

// Pocon estimates 1/(‖A‖₁‖A⁻¹‖₁) for A = UᵀU, given U and the norm ‖A‖₁, as LAPACK's dpocon does: ‖A⁻¹‖₁ is the largest value
// found by at most five steps of a climb [Higham 1988, Alg. 4.1], which is rarely less than a third of the truth. It returns
// 0 if a solution overflows. It does not read the entries below the diagonal of U.
func (e *Engine) Pocon(u Matrix, norm float64) float64 {
	n := u.Rows
	if n == 0 {
		return 1
	}
	x, signs := NewMatrix(n, 1), make([]float64, n)
	solve := func() (sum float64) {
		e.Trsm(u, true, x)
		e.Trsm(u, false, x)
		for _, v := range x.Data {
			sum += math.Abs(v)
		}
		return sum
	}
	for i := range x.Data {
		x.Data[i] = 1 / float64(n)
	}
	estimate := solve()
	largest := -1
	for range 5 {
		same := largest >= 0
		for i, v := range x.Data {
			s := math.Copysign(1, v)
			same = same && s == signs[i]
			signs[i] = s
		}
		if same {
			break
		}
		copy(x.Data, signs)
		solve()
		before := largest
		largest = 0
		for i, v := range x.Data {
			if math.Abs(v) > math.Abs(x.Data[largest]) {
				largest = i
			}
		}
		if before >= 0 && math.Abs(x.Data[before]) == math.Abs(x.Data[largest]) {
			break
		}
		clear(x.Data)
		x.Data[largest] = 1
		now := solve()
		if now <= estimate {
			break
		}
		estimate = now
	}
	for i := range x.Data {
		x.Data[i] = (1 + float64(i)/float64(max(n-1, 1))) * float64(1-i%2*2)
	}
	estimate = max(estimate, 2*solve()/(3*float64(n)))
	if r := 1 / (norm * estimate); !math.IsNaN(r) {
		return r
	}
	return 0
}

// Cholesky replaces the upper triangle of the symmetric n×n matrix A by U with A = UᵀU, and reports whether A is
// positive definite. It cuts A in two again and again [Gustavson 1997] and computes in float64 whatever the engine's
// precision. It overwrites the entries below the diagonal. If A is not positive definite, the content of a is undefined. The
// counters do not include a factorisation.
func (e *Engine) Cholesky(a Matrix) (ok bool) {
	mustShape("Cholesky", a, a.Rows, a.Rows)
	return e.device.Cholesky(a)
}

// Cholesky implements Device.
func (h *host) Cholesky(a Matrix) (ok bool) { return (*Engine)(h).cholesky(a) }

func (e *Engine) cholesky(a Matrix) bool {
	n := a.Rows
	if n <= triangleLeaf {
		return choleskyRows(a)
	}
	mid := halve(n)
	first, corner, second := a.RowRange(0, mid).ColRange(0, mid), a.RowRange(0, mid).ColRange(mid, n), a.RowRange(mid, n).ColRange(mid, n)
	if !e.cholesky(first) {
		return false
	}
	e.trsm(first, true, corner)
	e.gemm(Float64, second, -1, operandOf(corner, false), operandOf(corner, false), 1, true)
	return e.cholesky(second)
}

// choleskyRows is cholesky row by row.
func choleskyRows(a Matrix) bool {
	for i := range a.Rows {
		row := a.Row(i)[i:]
		if !(row[0] > 0) || math.IsInf(row[0], 1) {
			return false
		}
		root := math.Sqrt(row[0])
		for j := range row {
			row[j] /= root
		}
		row[0] = root
		for k := 1; k < len(row); k++ {
			simd.AddScaled(a.Row(i + k)[i+k:], row[k:], -row[k])
		}
	}
	return true
}
