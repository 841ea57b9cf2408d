package compute

import (
	"math"

	"repro/algos/compute/internal/simd"
)

// Cholesky replaces the upper triangle of the symmetric n×n matrix A by U with A = UᵀU, and reports whether A is
// positive definite. It cuts A in two again and again [Gustavson 1997] and computes in float64 whatever the engine's
// precision. It overwrites the entries below the diagonal. If A is not positive definite, the content of a is undefined. The
// counters do not include a factorisation.
func (e *Engine) Cholesky(a Matrix) (ok bool) {
	mustShape("Cholesky", a, a.Rows, a.Rows)
	defer func(c Counters) { e.counters = c }(e.counters)
	e.InDouble(func() { ok = e.cholesky(a) })
	return ok
}

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
	e.Syrk(second, -1, corner, true, 1)
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
