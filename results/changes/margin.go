package changes

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"repro/results/claims"
	"repro/results/printed"
)

// Margins of claims without a tolerance, as shares of their number. docs/regression-testing.md has the reasons.
const (
	shareMargin = 0.05
	placeMargin = 0.1 // of a place, which is interpolated between points of a curve or a grid
)

// margin returns the margin of a claim's number: that which its kind takes from the tolerance. Without one it is a share and, of a number with a linear scale, which has no natural unit, the larger of its share of the mean
// and half the standard deviation of a seed.
func margin(c claims.Claim, n Number) float64 {
	if own := fromTolerance(c, n); own > 0 {
		return own
	}
	share := shareMargin
	if of := c.Quantity(); of == claims.PlaceReached || of == claims.PlaceLevel {
		share = placeMargin
	}
	if n.Log || len(n.Values) == 0 {
		return share
	}
	mean, sd := stat.MeanStdDev(n.Values, nil)
	if math.IsNaN(sd) {
		sd = 0
	}
	return max(share*math.Abs(mean), sd/2)
}

// fromTolerance returns the margin that the kind of a claim gives, 0 if there is none. The default is half of the tolerance, as a
// share of the claim's number if changes are shares.
func fromTolerance(c claims.Claim, n Number) float64 {
	kind := claims.KindOf(c.Kind)
	switch {
	case kind.Margin != nil:
		return kind.Margin(c)
	case !n.Log:
		return c.Tolerance / 2
	}
	if number, _, _, err := printed.Parse(c.Number()); err == nil && number != 0 {
		return c.Tolerance / 2 / math.Abs(number)
	}
	return 0
}

// ofValues reports whether the margin of a claim's number follows from its values: that of the accepted ones then counts.
func ofValues(c claims.Claim, n Number) bool { return !n.Log && fromTolerance(c, n) == 0 }

// scaled returns the margin on the scale of differences: of logarithms, if changes are ratios.
func (n Number) scaled() float64 {
	if n.Log {
		return math.Log1p(n.Margin)
	}
	return n.Margin
}

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
