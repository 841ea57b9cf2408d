package losses

import "math"

// Square is l(u, y) = (u - y)²/2, kernel ridge regression [dai2014 §4].
type Square struct{}

func (Square) Name() string        { return "square" }
func (Square) Smoothness() float64 { return 1 }
func (Square) Task() string        { return Regression }
func (Square) Value(u, y []float64) float64 {
	return independent(u, y, func(u, y float64) float64 { return (u - y) * (u - y) / 2 })
}
func (Square) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = v - y[i]
	}
}

// Huber is robust regression [dai2014 §4, where δ = 1],
//
//	l(u, y) = (u - y)²/2        if |u - y| ≤ δ
//	          δ(|u - y| - δ/2)  otherwise
type Huber struct {
	Delta float64 // δ > 0, in units of the target
}

func (Huber) Name() string        { return "huber" }
func (Huber) Smoothness() float64 { return 1 }
func (Huber) Task() string        { return Regression }
func (h Huber) Value(u, y []float64) float64 {
	return independent(u, y, func(u, y float64) float64 {
		if d := math.Abs(u - y); !(d <= h.Delta) {
			return h.Delta * (d - h.Delta/2)
		}
		return (u - y) * (u - y) / 2
	})
}
func (h Huber) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = min(max(v-y[i], -h.Delta), h.Delta)
	}
}

// EpsilonInsensitive is support vector regression, l(u, y) = max(0, |u - y| - ε), with the subgradient
// 0 at the kinks |u - y| = ε [dai2014 §4].
type EpsilonInsensitive struct {
	Epsilon float64 // ε ≥ 0, in units of the target
}

func (EpsilonInsensitive) Name() string        { return "epsilon-insensitive" }
func (EpsilonInsensitive) Smoothness() float64 { return math.Inf(1) }
func (EpsilonInsensitive) Task() string        { return Regression }
func (e EpsilonInsensitive) Value(u, y []float64) float64 {
	return independent(u, y, func(u, y float64) float64 { return max(0, math.Abs(u-y)-e.Epsilon) })
}
func (e EpsilonInsensitive) Gradient(dst, u, y []float64) {
	for i, v := range u {
		d := v - y[i]
		dst[i] = 0
		if math.Abs(d) > e.Epsilon {
			dst[i] = math.Copysign(1, d)
		}
	}
}

// Absolute is least absolute deviation, l(u, y) = |u - y|: epsilon-insensitive with ε = 0 [dai2014 §4,
// remark]. It learns the conditional median.
type Absolute struct{}

func (Absolute) Name() string                 { return "absolute" }
func (Absolute) Smoothness() float64          { return math.Inf(1) }
func (Absolute) Task() string                 { return Regression }
func (Absolute) Value(u, y []float64) float64 { return EpsilonInsensitive{}.Value(u, y) }
func (Absolute) Gradient(dst, u, y []float64) { EpsilonInsensitive{}.Gradient(dst, u, y) }

// Quantile is the pinball loss l(u, y) = max(τ(y - u), (1-τ)(u - y)), whose minimiser is the
// conditional τ-quantile, with the subgradient 1 - τ at the kink u = y [dai2014 §4].
type Quantile struct {
	Tau float64 // 0 < τ < 1
}

func (Quantile) Name() string        { return "quantile" }
func (Quantile) Smoothness() float64 { return math.Inf(1) }
func (Quantile) Task() string        { return Regression }
func (q Quantile) Value(u, y []float64) float64 {
	return independent(u, y, func(u, y float64) float64 { return max(q.Tau*(y-u), (1-q.Tau)*(u-y)) })
}
func (q Quantile) Gradient(dst, u, y []float64) {
	for i, v := range u {
		if v >= y[i] {
			dst[i] = 1 - q.Tau
		} else {
			dst[i] = -q.Tau
		}
	}
}
