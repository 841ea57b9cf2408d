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
