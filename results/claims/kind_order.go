package claims

import (
	"cmp"
	"fmt"
	"math"

	"repro/results/records"
)

var _ = Register(Kind{
	Name: "order", Doc: "the metric of the method is better than that of every method of `against`, on the geometric and on the arithmetic mean of their ratio over seeds; with `tolerance`, so much better that the ratio is below it",
	Needs: []string{"against"},
	May:   []string{"at", "unit", "tolerance", "why"},
	Check: func(c *Claim, keys Keys) {
		if keys.Has("tolerance") && !(0 < c.Tolerance && c.Tolerance < 1) {
			keys.Wrong("tolerance", "is the largest accepted ratio to the rival; must be between 0 and 1, got %v", c.Tolerance)
		}
	},
	Sided:    func(*Claim) string { return "it orders no methods" },
	Measure:  againstRivals(compareOrder),
	Quantity: Ratio,
	Differs:  func(accept [2]*float64) bool { return accept[1] != nil && *accept[1] == 0 },
	Accept: func(c Claim, of Quantity) (Region, error) {
		switch {
		case of != Difference:
			return Region{Low: math.Inf(-1), High: cmp.Or(c.Tolerance, 1), Open: true}, nil
		case c.Tolerance != 0:
			return Region{}, fmt.Errorf("%s is not positive on every seed, so there is no ratio; leave out tolerance", c.Metric)
		}
		return Region{Low: math.Inf(-1), High: 0, Open: true}, nil
	},
	Margin:   func(Claim) float64 { return 0 },
	Strict:   true,
	Holds:    "{method} is better than {rivals} ({metric}, {quantity} {number})",
	Deviates: "{method} is not better than {rivals} ({metric}, {quantity} {number})",
})

// compareOrder compares by whether the method's metric is smaller, or the rival's if larger values are better. The ratio
// of the two must be below one or, if a value is not positive, the difference below zero. A tie is not better.
func compareOrder(c Claim, rival string, pairs [][2]*records.Record) (Measurement, error) {
	a, b, err := readPairs(c, pairs)
	if err != nil {
		return Measurement{}, err
	}
	if c.Larger {
		a, b, c.Method, rival = b, a, rival, c.Method
	}
	if positive(a) && positive(b) {
		return ratioOf(c, rival, a, b), nil
	}
	return differenceOf(c, rival, a, b), nil
}
