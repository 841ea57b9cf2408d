package parts

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"repro/algos/compute"
)

// SolveTriangular replaces v by op(t)⁻¹ v.
func SolveTriangular(t blas64.Triangular, op blas.Transpose, v compute.Matrix) {
	blas64.Trsm(blas.Left, op, 1, t, blas64.General{Rows: v.Rows, Cols: v.Cols, Stride: v.Stride, Data: v.Data})
}

// SolvePacked replaces v by L⁻¹v. l holds the rows of the lower triangle L, one after another.
func SolvePacked(l, v []float64) {
	for i, at := 0, 0; i < len(v); i++ {
		row := l[at : at+i+1]
		v[i] = (v[i] - floats.Dot(row[:i], v[:i])) / row[i]
		at += i + 1
	}
}

// SolvePackedTransposed replaces v by (Lᵀ)⁻¹v.
func SolvePackedTransposed(l, v []float64) {
	for i, at := len(v)-1, len(v)*(len(v)-1)/2; i >= 0; i-- {
		row := l[at : at+i+1]
		v[i] /= row[i]
		floats.AddScaled(v[:i], -v[i], row[:i])
		at -= i
	}
}
