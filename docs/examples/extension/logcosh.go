package smoothing

import (
	"math"

	"repro/algos/losses"
)

// LogCosh is l(u, y) = s²·log cosh((u - y)/s), which is quadratic near 0 and linear far from it. A spec asks for it with
// loss = { name = "log-cosh", params = { scale = 2.0 } }.
type LogCosh struct{ Scale float64 }

func init() {
	losses.Register("log-cosh", losses.Family{
		Doc:  "s²·log cosh((u - y)/s): squares near 0, absolute values far from it",
		Keys: []losses.Key{{Name: "scale", Need: "> 0", OK: func(v float64) bool { return v > 0 }}},
		Make: func(c losses.Config) losses.Loss { return LogCosh{c.Params["scale"]} },
	})
}

// Name implements losses.Loss.
func (LogCosh) Name() string { return "log-cosh" }

// Smoothness implements losses.Loss: the second derivative is 1/cosh².
func (LogCosh) Smoothness() float64 { return 1 }

// Task implements losses.Loss.
func (LogCosh) Task() string { return losses.Regression }

// Value implements losses.Loss. It takes log cosh z = |z| + log(1 + e^(-2|z|)) - log 2, which does not overflow.
func (l LogCosh) Value(u, y []float64) (sum float64) {
	for i, v := range u {
		z := math.Abs(v-y[i]) / l.Scale
		sum += l.Scale * l.Scale * (z + math.Log1p(math.Exp(-2*z)) - math.Ln2)
	}
	return sum
}

// Gradient implements losses.Loss.
func (l LogCosh) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = l.Scale * math.Tanh((v-y[i])/l.Scale)
	}
}
