package methods

import (
	"math"

	"repro/algos/compute"
	"repro/algos/losses"
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
			conjugates += conjugate(d.loss, a, y.At(i, o))
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

// conjugate returns l*(-α, y) of a loss with a dual step, +Inf outside its domain.
func conjugate(l losses.Loss, alpha, y float64) float64 {
	within := func(a, lo, hi float64) bool { return a >= lo && a <= hi }
	b := alpha * y
	switch l := l.(type) {
	case losses.Square:
		return alpha*alpha/2 - b
	case losses.Huber:
		if within(alpha, -l.Delta, l.Delta) {
			return alpha*alpha/2 - b
		}
	case losses.EpsilonInsensitive:
		if within(alpha, -1, 1) {
			return l.Epsilon*math.Abs(alpha) - b
		}
	case losses.Absolute:
		if within(alpha, -1, 1) {
			return -b
		}
	case losses.Quantile:
		if within(alpha, l.Tau-1, l.Tau) {
			return -b
		}
	case losses.Hinge:
		if within(b, 0, 1) {
			return -b
		}
	case losses.SquaredHinge:
		if within(b, 0, math.Inf(1)) {
			return b*b/2 - b
		}
	case losses.Logistic:
		if within(b, 0, 1) {
			return entropy(b) + entropy(1-b)
		}
	case losses.DensityRatio:
		switch {
		case y > 0 && within(alpha, 2, 2):
			return 0
		case y < 0 && within(alpha, math.Inf(-1), 0):
			return entropy(-alpha) + alpha*math.Log(2) + alpha
		}
	}
	return math.Inf(1)
}

// entropy is x ln x, 0 at 0.
func entropy(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log(x)
}
