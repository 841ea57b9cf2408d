package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
)

var _ = Register(Kind{
	Name: "match", Doc: "the metric of the method is within the tolerance of that of every method of `against`",
	Needs: []string{"against", "tolerance"},
	May:   []string{"why", "unit", "relative", "at"},
	Check: func(c *Claim, keys Keys) {
		switch {
		case c.Relative && c.Tolerance < 1:
			keys.Wrong("tolerance", "must be >= 1 for a relative tolerance, got %v", c.Tolerance)
		case keys.Has("tolerance") && c.Tolerance == 0:
			keys.Wrong("tolerance", "must be > 0, got 0")
		}
	},
	Measure:  againstRivals(compareMatch),
	Quantity: Ratio,
	Differs:  func(accept [2]*float64) bool { return accept[0] == nil || *accept[0] <= 0 },
	Accept:   acceptMatch,
	Margin: func(c Claim) float64 {
		if c.Relative {
			return factorMargin(c)
		}
		return c.Tolerance / 2
	},
	Holds:    "{method} agrees with {rivals} ({metric}, {quantity} {number})",
	Deviates: "{method} does not agree with {rivals} ({metric}, {quantity} {number})",
})

func acceptMatch(c Claim, of Quantity) (Region, error) {
	if of == Difference {
		return Region{Low: -c.Tolerance, High: c.Tolerance, Exact: 0}, nil
	}
	if c.Tolerance < 1 {
		return Region{}, fmt.Errorf("a relative tolerance is a factor of at least 1, got %s", printed.Number(c.Tolerance))
	}
	return Region{Low: 1 / c.Tolerance, High: c.Tolerance, Exact: 1}, nil
}

// factorMargin returns the margin of a number whose tolerance is a factor: the number may move half of it, on the scale of
// logarithms.
func factorMargin(c Claim) float64 {
	if c.Tolerance > 1 {
		return math.Sqrt(c.Tolerance) - 1
	}
	return 0
}

// compareMatch compares by whether the method's metric is close to the rival's.
func compareMatch(c Claim, rival string, pairs [][2]*records.Record) (Measurement, error) {
	a, b, err := readPairs(c, pairs)
	switch {
	case err != nil:
		return Measurement{}, err
	case !c.Relative:
		return differenceOf(c, rival, a, b), nil
	case !(positive(a) && positive(b)):
		return Measurement{}, fmt.Errorf("%s is not positive on every seed, so there is no ratio; use a difference (relative = false)", c.Metric)
	}
	return ratioOf(c, rival, a, b), nil
}
