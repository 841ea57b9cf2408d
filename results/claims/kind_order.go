package claims

import (
	"math"

	"repro/results/records"
)

var _ = Register(Kind{
	Name: "order", Doc: "the metric of the method is better than that of every method of `against`, on the geometric and on the arithmetic mean of their ratio over seeds",
	Needs:    []string{"against"},
	May:      []string{"at", "unit"},
	Sided:    func(*Claim) string { return "it orders no methods" },
	Measure:  againstRivals(compareOrder),
	Quantity: Ratio,
	Differs:  func(accept [2]*float64) bool { return accept[1] != nil && *accept[1] == 0 },
	Accept: func(_ Claim, of Quantity) (Region, error) {
		if of == Difference {
			return Region{Low: math.Inf(-1), High: 0, Open: true}, nil
		}
		return Region{Low: math.Inf(-1), High: 1, Open: true}, nil
	},
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
