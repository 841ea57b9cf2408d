package changes

import (
	"fmt"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// roundingFloor returns the size up to which the values of a curve with this largest value are rounding errors, given records.Floor.
func roundingFloor(share, largest float64) float64 {
	if largest == 0 {
		return 0
	}
	return max(share*largest, math.SmallestNonzeroFloat64)
}

// A floors returns the size up to which values of a method's metric are rounding errors, given its accepted curves: 0 if there are none.
type floors []Series

func (f floors) of(method, metric string) float64 {
	i := slices.IndexFunc(f, Series{Method: method, Metric: metric}.same)
	if i < 0 {
		return 0
	}
	largest := 0.0
	for _, v := range f[i].Values {
		if v = math.Abs(v); v > largest && !math.IsInf(v, 0) {
			largest = v
		}
	}
	floor := roundingFloor(records.FloorOf(f[i].Single), largest)
	if f[i].Last > 0 {
		floor = max(floor, floorMoves*f[i].plateau())
	}
	return floor
}

// ofClaim returns the size up to which the numbers of a claim are rounding errors, in its unit. It is 0 for numbers that are no values of
// the metric, and for a claim with a bound that is as small.
func (f floors) ofClaim(c claims.Claim) float64 {
	if c.Quantity() != claims.OfMetric {
		return 0
	}
	floor := f.of(c.Method, c.Metric)
	if c.Unit == claims.Percent {
		floor *= 100
	}
	accept, _ := c.Accepts(claims.OfMetric)
	for _, bound := range []float64{accept.Low, accept.High} {
		if bound != 0 && math.Abs(bound) <= floor {
			return 0
		}
	}
	return floor
}

// rounds reports whether the numbers of a claim are made of rounding errors only, accepted and now. was and is are the curves, whose ends
// a comparison with a rival may be of.
func rounds(c claims.Claim, base, n Number, was, is []Series) bool {
	if n.Rival == "" {
		floor := floors(was).ofClaim(c)
		return floor > 0 && allWithin(base.Values, floor) && allWithin(n.Values, floor)
	}
	if c.X != "" || c.At != (records.At{}) {
		return false
	}
	for _, method := range []string{c.Method, n.Rival} {
		floor := floors(was).of(method, c.Metric)
		for _, side := range [][]Series{was, is} {
			i := slices.IndexFunc(side, Series{Method: method, Metric: c.Metric}.same)
			if i < 0 || floor == 0 {
				return false
			}
			for k := range side[i].Seeds {
				if row := side[i].of(k); !allWithin(row[len(row)-1:], floor) {
					return false
				}
			}
		}
	}
	return true
}

// allWithin reports whether no value is larger than floor, whatever its sign.
func allWithin(values []float64, floor float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return !(math.Abs(v) <= floor) })
}

// raised returns values of which those up to floor count as floor.
func raised(values []float64, floor float64) []float64 {
	all := slices.Clone(values)
	for i, v := range all {
		if math.Abs(v) <= floor {
			all[i] = floor
		}
	}
	return all
}

// align brings two numbers of a claim to one scale, with rounding errors raised to their floor: that of ratios if both are positive on all
// seeds, and else that of differences. The margin is the accepted one only if it was accepted on that scale. Align fails if one number is
// a ratio and the other a difference, which have no scale in common.
func (c *Change) align(claim claims.Claim, base, n *Number) error {
	metric := claim.Quantity() == claims.OfMetric
	if base.Log != n.Log && !metric {
		return fmt.Errorf("it was %s and is %s: a value is not positive on one side, and the two cannot be compared", form(base.Log), form(n.Log))
	}
	before := *base
	for _, m := range []*Number{base, n} {
		m.Log = m.Log || metric && !claim.Signed && c.floor > 0 && allWithin(m.Values, c.floor)
	}
	c.rescaled = rescaled(*base, *n)
	base.Values, n.Values = raised(base.Values, c.floor), raised(n.Values, c.floor)
	base.Log = base.Log && n.Log
	switch {
	case before.Log != base.Log || n.Log != base.Log:
		n.Margin = margin(claim, *base)
	case ofValues(claim, *base):
		n.Margin = before.Margin
	}
	n.Log = base.Log
	c.Log, c.Margin = n.Log, n.Margin
	return nil
}

// form names what a comparison of two methods measures.
func form(log bool) string {
	if log {
		return "a ratio"
	}
	return "a difference"
}

// rescaled says which seed has no ratio any more, or which has one now; it is empty if none of those that both sides have does.
func rescaled(base, n Number) string {
	for i, seed := range n.Seeds {
		k := slices.Index(base.Seeds, seed)
		switch {
		case k < 0:
		case base.Log && !n.Log && n.Values[i] <= 0:
			return fmt.Sprintf("it was positive on all seeds and is %s on seed %d, so differences are compared, and not ratios", printed.Number(n.Values[i]), seed)
		case n.Log && !base.Log && base.Values[k] <= 0:
			return fmt.Sprintf("it was %s on seed %d and is positive on all, so differences are compared, and not ratios", printed.Number(base.Values[k]), seed)
		}
	}
	return ""
}
