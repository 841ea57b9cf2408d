package parts

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"repro/algos/compute"
)

// SolveTriangular replaces v by op(t)⁻¹ v.
func SolveTriangular(t blas64.Triangular, op blas.Transpose, v compute.Matrix) {
	blas64.Trsm(blas.Left, op, 1, t, blas64.General{Rows: v.Rows, Cols: v.Cols, Stride: v.Stride, Data: v.Data})
}
