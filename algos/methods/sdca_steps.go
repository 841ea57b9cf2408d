package methods

import (
	"math"

	"repro/algos/losses"
)

// A dualStep returns the α that maximises -l*(-α, y) - αv - qα²/2, for one output. This is the maximiser of nD in α_i if
// v is f(x_i) without its term i and q = k(x_i, x_i)/(νn) ≥ 0. Equivalently, u = v + qα minimises l(u, y) + (u - v)²/(2q),
// and -α is a subgradient of l at u.
type dualStep func(v, q, y float64) float64

// dualStepOf returns the step of a loss of independent outputs. It returns nil for other losses, and for novelty because
// its threshold is not part of f.
func dualStepOf(l losses.Loss) dualStep {
	switch l := l.(type) {
	case losses.Square:
		return func(v, q, y float64) float64 { return (y - v) / (1 + q) }
	case losses.Huber:
		return huberStep(l.Delta)
	case losses.EpsilonInsensitive:
		return tubeStep(l.Epsilon, -1, 1)
	case losses.Absolute:
		return tubeStep(0, -1, 1)
	case losses.Quantile:
		return tubeStep(0, l.Tau-1, l.Tau)
	case losses.Hinge:
		return hingeStep
	case losses.SquaredHinge:
		return func(v, q, y float64) float64 { return y * max(0, (1-y*v)/(1+q)) }
	case losses.Logistic:
		return logisticStep
	case losses.DensityRatio:
		return densityRatioStep
	}
	return nil
}

// huberStep: l*(-α) = -αy + α²/2 for |α| ≤ δ, as the square loss but with bounds.
func huberStep(delta float64) dualStep {
	return func(v, q, y float64) float64 { return min(max((y-v)/(1+q), -delta), delta) }
}

// tubeStep: l*(-α) = -αy + ε|α| for lo ≤ α ≤ hi. l has the slopes -hi and -lo outside the tube.
func tubeStep(epsilon, lo, hi float64) dualStep {
	return func(v, q, y float64) float64 {
		switch d := y - v; {
		case d > epsilon:
			return min((d-epsilon)/q, hi)
		case d < -epsilon:
			return max((d+epsilon)/q, lo)
		}
		return 0
	}
}

// hingeStep: l*(-α) = -αy for 0 ≤ αy ≤ 1 [Shalev-Shwartz & Zhang 2013, §5.1].
func hingeStep(v, q, y float64) float64 {
	g := 1 - y*v
	if g <= 0 {
		return 0
	}
	return y * min(1, g/q)
}

// logisticStep: with β = αy, l*(-α) = β ln β + (1-β) ln(1-β) for 0 ≤ β ≤ 1, whose maximiser is
// β = 1/(1 + e^s) with s = yu the margin, the root of s - yv - q/(1 + e^s), in [yv, yv + q].
func logisticStep(v, q, y float64) float64 {
	s := root(y*v, y*v+q, func(s float64) (h, slope float64) {
		beta := 1 / (1 + math.Exp(s))
		return s - y*v - q*beta, 1 + q*beta*(1-beta)
	})
	return y / (1 + math.Exp(s))
}

// densityRatioStep: α is 2 for y = 1, where l is linear, and -2e^u for y = -1 with u the root of
// u - v + 2qe^u. With c = v + ln 2q and x = u + ln 2q that is x + e^x = c, between c - e^c and c, and
// between 0 and ln c if c > 1.
func densityRatioStep(v, q, y float64) float64 {
	if y > 0 {
		return 2
	}
	shift := math.Log(2 * q)
	c := v + shift
	lo, hi := v-math.Exp(c), v
	if c > 1 {
		lo, hi = -shift, math.Log(c)-shift
	}
	u := root(lo, hi, func(u float64) (h, slope float64) {
		e := 2 * q * math.Exp(u)
		return u - v + e, 1 + e
	})
	return -2 * math.Exp(u)
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
