package changes

import (
	"math"

	"repro/results/claims"
)

// A direction says which changes of a number are for the worse.
type direction struct {
	worse  int // +1 if larger numbers are worse, -1 if smaller are; 0 if neither is
	target float64
	exact  bool // the claim says that the number is target: the worse is what lies farther away, or beyond it
}

// directionOf returns the direction of a claim's number: that of its bound or its order. It has none if the bound and the
// metric contradict each other, as an upper bound on an accuracy does.
func directionOf(exp claims.Experiment, c claims.Claim) direction {
	accept, err := c.Accepts(c.Quantity())
	d := direction{}
	switch {
	case math.IsInf(accept.Low, -1) || c.AtMost:
		d.worse = 1
	case math.IsInf(accept.High, 1) || c.AtLeast:
		d.worse = -1
	default:
		return direction{target: accept.Exact, exact: err == nil}
	}
	better, of := exp.Metric(c.Metric).Better, c.Quantity()
	ofMetric := of == claims.OfMetric || of == claims.Slope && c.Best == ""
	if ofMetric && (better == "smaller" && d.worse < 0 || better == "larger" && d.worse > 0) {
		d.worse = 0
	}
	return d
}

// worsened reports whether a number that moved from base to now, both means on the scale of claims, by more than its margin is
// worse. A number that the claim gives exactly is worse if it lies farther from the claim's number than before, or on its
// other side by more than the margin.
func (d direction) worsened(base, now float64, beyond func(from, to float64) bool) bool {
	switch {
	case d.exact:
		crossed := (base < d.target) != (now < d.target)
		return math.Abs(now-d.target) >= math.Abs(base-d.target) || crossed && beyond(d.target, now)
	case d.worse == 0:
		return true
	}
	return (now > base) == (d.worse > 0)
}
