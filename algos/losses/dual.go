package losses

import (
	"math"

	"repro/algos/compute/exact"
)

// A Dual is a loss of independent outputs, or of one, whose dual problem can be solved one variable at a time: what stochastic
// dual coordinate ascent needs [Shalev-Shwartz & Zhang 2013, §1].
type Dual interface {
	Loss
	// Conjugate returns l*(-α, y) = max_u -αu - l(u, y), +Inf outside its domain.
	Conjugate(alpha, y float64) float64
	// DualStep returns the α that maximises -l*(-α, y) - αv - qα²/2, q ≥ 0. Equivalently, u = v + qα minimises
	// l(u, y) + (u - v)²/(2q), and -α is a subgradient of l at u.
	DualStep(v, q, y float64) float64
}

func (Square) Conjugate(alpha, y float64) float64 { return alpha*alpha/2 - alpha*y }
func (Square) DualStep(v, q, y float64) float64   { return (y - v) / (1 + q) }

// Conjugate implements Dual: as that of the square loss, for |α| ≤ δ.
func (h Huber) Conjugate(alpha, y float64) float64 {
	return within(alpha, -h.Delta, h.Delta, Square{}.Conjugate(alpha, y))
}

func (h Huber) DualStep(v, q, y float64) float64 {
	return min(max(Square{}.DualStep(v, q, y), -h.Delta), h.Delta)
}

func (e EpsilonInsensitive) Conjugate(alpha, y float64) float64 {
	return within(alpha, -1, 1, e.Epsilon*math.Abs(alpha)-alpha*y)
}

func (e EpsilonInsensitive) DualStep(v, q, y float64) float64 {
	return tubeStep(y-v, q, e.Epsilon, -1, 1)
}

func (Absolute) Conjugate(alpha, y float64) float64 { return EpsilonInsensitive{}.Conjugate(alpha, y) }

func (Absolute) DualStep(v, q, y float64) float64 { return EpsilonInsensitive{}.DualStep(v, q, y) }

func (t Quantile) Conjugate(alpha, y float64) float64 { return within(alpha, t.Tau-1, t.Tau, -alpha*y) }

func (t Quantile) DualStep(v, q, y float64) float64 { return tubeStep(y-v, q, 0, t.Tau-1, t.Tau) }

// tubeStep is the dual step of a loss with l*(-α) = -αy + ε|α| for lo ≤ α ≤ hi, d = y - v: l has the slopes -hi and -lo outside
// the tube.
func tubeStep(d, q, epsilon, lo, hi float64) float64 {
	switch {
	case d > epsilon:
		return min((d-epsilon)/q, hi)
	case d < -epsilon:
		return max((d+epsilon)/q, lo)
	}
	return 0
}

func (Hinge) Conjugate(alpha, y float64) float64 { return within(alpha*y, 0, 1, -alpha*y) }

// DualStep implements Dual [Shalev-Shwartz & Zhang 2013, §5.1].
func (Hinge) DualStep(v, q, y float64) float64 {
	g := 1 - y*v
	if g <= 0 {
		return 0
	}
	return y * min(1, g/q)
}

func (SquaredHinge) Conjugate(alpha, y float64) float64 {
	b := alpha * y
	return within(b, 0, math.Inf(1), b*b/2-b)
}

func (SquaredHinge) DualStep(v, q, y float64) float64 { return y * max(0, (1-y*v)/(1+q)) }

// Conjugate implements Dual: with β = αy, β ln β + (1-β) ln(1-β).
func (Logistic) Conjugate(alpha, y float64) float64 {
	b := alpha * y
	return within(b, 0, 1, entropy(b)+entropy(1-b))
}

// DualStep implements Dual. The maximiser is β = 1/(1 + e^s) with s = yu the margin, the root of s - yv - q/(1 + e^s), in
// [yv, yv + q].
func (Logistic) DualStep(v, q, y float64) float64 {
	s := root(y*v, y*v+q, func(s float64) (h, slope float64) {
		beta := 1 / (1 + exact.Exp(s))
		return s - y*v - q*beta, 1 + q*beta*(1-beta)
	})
	return y / (1 + exact.Exp(s))
}

func (DensityRatio) Conjugate(alpha, y float64) float64 {
	if y > 0 {
		return within(alpha, 2, 2, 0)
	}
	return within(alpha, math.Inf(-1), 0, entropy(-alpha)+alpha*exact.Log(2)+alpha)
}

// DualStep implements Dual: α is 2 for y = 1, where l is linear, and -2e^u for y = -1 with u the root of u - v + 2qe^u. With
// c = v + ln 2q and x = u + ln 2q that is x + e^x = c, between c - e^c and c, and between 0 and ln c if c > 1.
func (DensityRatio) DualStep(v, q, y float64) float64 {
	if y > 0 {
		return 2
	}
	shift := exact.Log(2 * q)
	c := v + shift
	lo, hi := v-exact.Exp(c), v
	if c > 1 {
		lo, hi = -shift, exact.Log(c)-shift
	}
	u := root(lo, hi, func(u float64) (h, slope float64) {
		e := 2 * q * exact.Exp(u)
		return u - v + e, 1 + e
	})
	return -2 * exact.Exp(u)
}

// within returns value if lo ≤ a ≤ hi, +Inf otherwise.
func within(a, lo, hi, value float64) float64 {
	if a >= lo && a <= hi {
		return value
	}
	return math.Inf(1)
}

// entropy is x ln x, 0 at 0.
func entropy(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * exact.Log(x)
}

// root returns the root in [lo, hi] of an increasing function, which f returns with its derivative. It uses Newton's
// method, and bisects instead if a step leaves the bracket or does not halve the last move. It stops at moves of at most
// 2⁻⁵⁰(1 + |s|).
func root(lo, hi float64, f func(s float64) (h, slope float64)) float64 {
	s, last := lo+(hi-lo)/2, hi-lo
	for last > 0x1p-50*(1+math.Abs(s)) {
		h, slope := f(s)
		if h > 0 {
			hi = s
		} else {
			lo = s
		}
		next := s - h/slope
		if !(next >= lo && next <= hi) || math.Abs(next-s) > last/2 {
			next = lo + (hi-lo)/2
		}
		s, last = next, math.Abs(next-s)
	}
	return s
}
