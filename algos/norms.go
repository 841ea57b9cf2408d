package algos

import "repro/algos/compute"

// expansionNorms returns ‖f‖² = αᵀk(Z, Z)α of every output of f = Σ_i α_i k(z_i, ·), given k.
func expansionNorms(k compute.Operator, alpha compute.Matrix) []float64 {
	u := compute.NewMatrix(alpha.Rows, alpha.Cols)
	k.MulTo(u, alpha)
	return columnProducts(alpha, u)
}

// columnProducts returns Σ_i a_ij b_ij for every column.
func columnProducts(a, b compute.Matrix) []float64 {
	s := make([]float64, a.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			s[j] += v * b.At(i, j)
		}
	}
	return s
}

// scaled multiplies norms by c.
func scaled(c float64, norms []float64) []float64 {
	for j := range norms {
		norms[j] *= c
	}
	return norms
}
