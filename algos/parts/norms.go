package parts

import "repro/algos/compute"

// ExpansionNorms returns ‖f‖² = αᵀKα of every output of f = Σ_i α_i k(z_i, ·), given K = k(Z, Z).
func ExpansionNorms(k compute.Operator, alpha compute.Matrix) []float64 {
	u := compute.NewMatrix(alpha.Rows, alpha.Cols)
	k.MulTo(u, alpha)
	return ColumnProducts(alpha, u)
}

// ColumnProducts returns Σ_i a_ij b_ij for every column.
func ColumnProducts(a, b compute.Matrix) []float64 {
	s := make([]float64, a.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			s[j] += v * b.At(i, j)
		}
	}
	return s
}

// ScaledSquares returns c Σ_i m_ij² for every column.
func ScaledSquares(c float64, m compute.Matrix) []float64 {
	s := ColumnProducts(m, m)
	for j := range s {
		s[j] *= c
	}
	return s
}
