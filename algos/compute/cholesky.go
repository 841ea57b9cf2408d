package compute

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Blocking of Cholesky: rows of a diagonal block, columns per triangular solve, and the size below which the whole
// matrix is one block.
const (
	choleskyBlock   = 192
	choleskyColumns = 128
	choleskyWhole   = 1024
)

// Cholesky replaces the upper triangle of the symmetric n×n matrix A by U with A = UᵀU, and reports whether A is
// positive definite. It is the blocked algorithm [Golub & Van Loan 2013, Sec. 4.2.6] and computes in float64 whatever
// the engine's precision. It overwrites the entries below the diagonal. If A is not positive definite, the content of a
// is undefined. The counters do not include a factorisation.
func (e *Engine) Cholesky(a Matrix) bool {
	n := a.Rows
	mustShape("Cholesky", a, n, n)
	defer func(c Counters) { e.counters = c }(e.counters)
	ok := true
	e.InDouble(func() {
		step := choleskyBlock
		if n < choleskyWhole {
			step = n
		}
		for j := 0; j < n && ok; j += step {
			end := min(j+step, n)
			diagonal := a.RowRange(j, end).ColRange(j, end)
			u, positive := lapack64.Potrf(blas64.Symmetric{N: end - j, Stride: a.Stride, Data: diagonal.Data, Uplo: blas.Upper})
			if ok = positive; !ok || end == n {
				continue
			}
			row := a.RowRange(j, end).ColRange(end, n)
			jobs := (row.Cols + choleskyColumns - 1) / choleskyColumns
			e.parallel(jobs, row.Rows*row.Rows*row.Cols/2, func(job int) {
				part := row.ColRange(job*choleskyColumns, min((job+1)*choleskyColumns, row.Cols))
				blas64.Trsm(blas.Left, blas.Trans, 1, u, blas64.General{Rows: part.Rows, Cols: part.Cols, Stride: part.Stride, Data: part.Data})
			})
			e.Syrk(a.RowRange(end, n).ColRange(end, n), -1, row, true, 1)
		}
	})
	return ok
}
