// Package losses holds the loss functions l(u, y) of the experiments with their (sub)gradients in u.
package losses

// A Loss is l(u, y) for a row of outputs u and a row of targets y of the same length, convex in u.
// Losses of independent outputs are summed over the row. All losses here are comparable values. A loss whose dual problem is known
// implements Dual too.
type Loss interface {
	// Name is the loss's name in specs.
	Name() string
	// Value returns l(u, y).
	Value(u, y []float64) float64
	// Gradient writes a subgradient of l in u at (u, y) to dst; dst may be u.
	Gradient(dst, u, y []float64)
	// Smoothness bounds the second derivative of l in u, the largest eigenvalue of the Hessian where
	// outputs are coupled; +Inf if l is not smooth.
	Smoothness() float64
	// Task says what targets the loss takes.
	Task() string
}

// What the targets of a loss are: the words of [data] task in specs.
const (
	Regression = "regression" // real numbers
	Binary     = "binary"     // 1 or -1
	Multiclass = "multiclass" // a row per example with 1 for its class and 0 elsewhere
	None       = "none"       // not used by the loss
)

// independent sums a loss of one output over a row.
func independent(u, y []float64, l func(u, y float64) float64) (s float64) {
	for i, v := range u {
		s += l(v, y[i])
	}
	return s
}
