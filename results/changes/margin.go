package changes

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"repro/results/claims"
	"repro/results/printed"
)

// Margins of claims without a tolerance. docs/regression-testing.md has the reasons.
const (
	slopeMargin = 0.05 // of a rate
	shareMargin = 0.05 // of a value, an order or a ratio, as a share
	placeMargin = 0.1  // of a reach or a plateau, as a share: places are interpolated between points of a curve or a grid
)

// margin returns the margin of a claim's number: the claim's own or half of its tolerance. Without either it is the
// kind's, and of a number with a linear scale, which has no natural unit, the larger of its share of the mean and half the
// standard deviation of a seed.
func margin(c claims.Claim, n Number) float64 {
	switch {
	case c.Margin > 0:
		return c.Margin
	case c.Kind == claims.KindRate && c.Tolerance > 0:
		return c.Tolerance / 2
	case c.Kind == claims.KindRate:
		return slopeMargin
	case c.Kind == claims.KindPlateau, c.Kind == claims.KindMatch && c.Relative:
		if c.Tolerance > 1 {
			return math.Sqrt(c.Tolerance) - 1
		}
	case c.Kind == claims.KindMatch, c.Tolerance > 0 && !n.Log:
		return c.Tolerance / 2
	case c.Tolerance > 0:
		if number, _, _, err := printed.Parse(c.Number()); err == nil && number != 0 {
			return c.Tolerance / 2 / math.Abs(number)
		}
	}
	share := shareMargin
	if c.Kind == claims.KindReach || c.Kind == claims.KindPlateau {
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

// ofValues reports whether the margin of a claim's number follows from its values: that of the accepted ones then counts.
func ofValues(c claims.Claim, n Number) bool {
	return c.Margin == 0 && c.Tolerance == 0 && c.Kind != claims.KindRate && !n.Log
}

// scaled returns the margin on the scale of differences: of logarithms, if changes are ratios.
func (n Number) scaled() float64 {
	if n.Log {
		return math.Log1p(n.Margin)
	}
	return n.Margin
}
