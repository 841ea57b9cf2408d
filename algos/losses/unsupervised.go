package losses

import (
	"math"

	"repro/algos/compute/exact"
)

// Novelty is l(f, τ) = max(0, τ - f) [dai2014 §4], as a function of u = f(x) - τ: l(u) = max(0, -u),
// with the subgradient 0 at the kink. Targets are not looked at. Its problem is
//
//	min_{f, τ} E[max(0, τ - f(x))] + ν/2·‖f‖² - ντ
//
// so a method that solves it learns the threshold τ beside f, and predicts f(x) - τ: a negative
// prediction calls x novel. As ∂l/∂τ = -l'(u), the gradient in τ is -E[l'(u)] - ν, and at the optimum
// P(f < τ) = ν.
type Novelty struct{}

func (Novelty) Name() string        { return "novelty" }
func (Novelty) Smoothness() float64 { return math.Inf(1) }
func (Novelty) Task() string        { return None }
func (Novelty) Value(u, _ []float64) (s float64) {
	for _, v := range u {
		s += max(0, -v)
	}
	return s
}
func (Novelty) Gradient(dst, u, _ []float64) {
	for i, v := range u {
		dst[i] = 0
		if v < 0 {
			dst[i] = -1
		}
	}
}

// DensityRatio estimates the logarithm of a density ratio through the Kullback-Leibler divergence
// [dai2014 §4 eq. (8); Nguyen, Wainwright, Jordan 2008]. The label says which of two samples a point
// is from, 1 for p and -1 for q:
//
//	l(u, 1) = -2u,  l(u, -1) = 2 exp(u)
//
// Labels of equal shares give the paper's E_q[exp(f)] - E_p[f]; the factor 2 is that of its
// z ~ Bernoulli(1/2). With shares π of p and 1-π of q the minimiser is log(πp/((1-π)q)).
//
// Departure. The paper says that the objective estimates log(q/p); stationarity, q·exp(f) = p, makes
// that log(p/q).
type DensityRatio struct{}

func (DensityRatio) Name() string        { return "density-ratio" }
func (DensityRatio) Smoothness() float64 { return math.Inf(1) }
func (DensityRatio) Task() string        { return Binary }
func (DensityRatio) Value(u, y []float64) (s float64) {
	for i, v := range u {
		if y[i] > 0 {
			s -= 2 * v
		} else {
			s += 2 * exact.Exp(v)
		}
	}
	return s
}
func (DensityRatio) Gradient(dst, u, y []float64) {
	for i, v := range u {
		if y[i] > 0 {
			dst[i] = -2
		} else {
			dst[i] = 2 * exact.Exp(v)
		}
	}
}
