// Package losses holds the loss functions l(u, y) of the experiments with their (sub)gradients in u.
package losses

import (
	"fmt"
	"math"
	"slices"
)

// A Loss is l(u, y) for a row of outputs u and a row of targets y of the same length, convex in u.
// Losses of independent outputs are summed over the row.
type Loss interface {
	// Name is the loss's name in specs.
	Name() string
	// Value returns l(u, y).
	Value(u, y []float64) float64
	// Gradient writes a subgradient of l in u at (u, y) to dst; dst may be u.
	Gradient(dst, u, y []float64)
	// Smoothness bounds the second derivative of l in u; +Inf if l is not smooth.
	Smoothness() float64
	// Labels says whether targets are class labels ±1 rather than real numbers.
	Labels() bool
}

var registry = []Loss{Hinge{}, Logistic{}, Square{}, SquaredHinge{}}

// New returns the named loss.
func New(name string) (Loss, error) {
	for _, l := range registry {
		if l.Name() == name {
			return l, nil
		}
	}
	return nil, fmt.Errorf("unknown loss %q", name)
}

// Names lists the losses in alphabetical order.
func Names() []string {
	var s []string
	for _, l := range registry {
		s = append(s, l.Name())
	}
	slices.Sort(s)
	return s
}

// Square is l(u, y) = (u - y)²/2, kernel ridge regression [dai2014 §4].
type Square struct{}

func (Square) Name() string        { return "square" }
func (Square) Smoothness() float64 { return 1 }
func (Square) Labels() bool        { return false }
func (Square) Value(u, y []float64) (s float64) {
	for i, v := range u {
		s += (v - y[i]) * (v - y[i]) / 2
	}
	return s
}
func (Square) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = v - y[i]
	}
}

// Hinge is l(u, y) = max(0, 1 - uy), the kernel SVM [dai2014 §4].
type Hinge struct{}

func (Hinge) Name() string        { return "hinge" }
func (Hinge) Smoothness() float64 { return math.Inf(1) }
func (Hinge) Labels() bool        { return true }
func (Hinge) Value(u, y []float64) (s float64) {
	for i, v := range u {
		s += max(0, 1-v*y[i])
	}
	return s
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
func (SquaredHinge) Labels() bool        { return true }
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
func (Logistic) Labels() bool        { return true }
func (Logistic) Value(u, y []float64) (s float64) {
	for i, v := range u {
		m := -v * y[i]
		s += max(m, 0) + math.Log1p(math.Exp(-math.Abs(m)))
	}
	return s
}
func (Logistic) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = -y[i] / (1 + math.Exp(v*y[i]))
	}
}
