package losses

import (
	"math"
	"slices"

	"repro/algos/compute/exact"
)

// Hinge is l(u, y) = max(0, 1 - uy), the kernel SVM [dai2014 §4].
type Hinge struct{}

func (Hinge) Name() string        { return "hinge" }
func (Hinge) Smoothness() float64 { return math.Inf(1) }
func (Hinge) Task() string        { return Binary }
func (Hinge) Value(u, y []float64) float64 {
	return independent(u, y, func(u, y float64) float64 { return max(0, 1-u*y) })
}
func (Hinge) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = 0
		if v*y[i] < 1 {
			dst[i] = -y[i]
		}
	}
}

// SquaredHinge is l(u, y) = max(0, 1 - uy)²/2, the l2-SVM [dai2014 §4, remark].
type SquaredHinge struct{}

func (SquaredHinge) Name() string        { return "squared-hinge" }
func (SquaredHinge) Smoothness() float64 { return 1 }
func (SquaredHinge) Task() string        { return Binary }
func (SquaredHinge) Value(u, y []float64) (s float64) {
	for i, v := range u {
		h := max(0, 1-v*y[i])
		s += h * h / 2
	}
	return s
}
func (SquaredHinge) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = -y[i] * max(0, 1-v*y[i])
	}
}

// Logistic is l(u, y) = log(1 + exp(-yu)), kernel logistic regression [dai2014 §4].
type Logistic struct{}

func (Logistic) Name() string        { return "logistic" }
func (Logistic) Smoothness() float64 { return 0.25 }
func (Logistic) Task() string        { return Binary }
func (Logistic) Value(u, y []float64) (s float64) {
	for i, v := range u {
		m := -v * y[i]
		s += max(m, 0) + math.Log1p(exact.Exp(-math.Abs(m)))
	}
	return s
}
func (Logistic) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = -y[i] / (1 + exact.Exp(v*y[i]))
	}
}

// Softmax is multi-class logistic regression [dai2014 §4],
//
//	l(u, y) = log Σ_c exp(u_c) - Σ_c y_c u_c,  l'_c = exp(u_c)/Σ_d exp(u_d) - y_c
//
// with y_c = δ_c(y), one output a class. Its Hessian diag(p) - ppᵀ is at most 1/2.
type Softmax struct{}

func (Softmax) Name() string        { return "softmax" }
func (Softmax) Smoothness() float64 { return 0.5 }
func (Softmax) Task() string        { return Multiclass }
func (Softmax) Value(u, y []float64) float64 {
	if len(u) == 0 {
		return 0
	}
	largest := slices.Max(u)
	sum, right := 0.0, 0.0
	for c, v := range u {
		sum += exact.Exp(v - largest)
		right += y[c] * (v - largest)
	}
	return exact.Log(sum) - right
}
func (Softmax) Gradient(dst, u, y []float64) {
	if len(u) == 0 {
		return
	}
	largest, sum := slices.Max(u), 0.0
	for c, v := range u {
		dst[c] = exact.Exp(v - largest)
		sum += dst[c]
	}
	for c := range u {
		dst[c] = dst[c]/sum - y[c]
	}
}
