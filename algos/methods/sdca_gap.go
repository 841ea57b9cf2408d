package methods

import (
	"math"

	"repro/algos/compute"
)

// relativeGap returns (P(f) - D(α))/|P(f)|, the largest over all outputs, after seen visits. f and y are f(x_i) and y_i at
// all training rows. In a first pass that starts by SGD, f is not the f of D(α); D(α) still is a lower bound of the
// minimum of P.
func (d dual) relativeGap(seen int64, f, alpha, y compute.Matrix) float64 {
	largest, n := 0.0, float64(d.n)
	scale, full := d.scale(seen), 1/(d.nu*n)
	for o := range f.Cols {
		loss, conjugates, product := 0.0, 0.0, 0.0
		for i := range f.Rows {
			u, a := f.Row(i)[o:o+1], alpha.At(i, o)
			loss += d.loss.Value(u, y.Row(i)[o:o+1])
			conjugates += d.loss.Conjugate(a, y.At(i, o))
			product += a * u[0] // Σ α_i f(x_i) = ‖f‖²·νm
		}
		primal := loss/n + d.nu/2*scale*product
		dual := -conjugates/n - d.nu/2*full*full/scale*product
		if gap := primal - dual; gap > 0 {
			largest = max(largest, gap/math.Abs(primal))
		}
	}
	return largest
}
