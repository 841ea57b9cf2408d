package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "geometric", Doc: "the factor by which the metric shrinks in every unit of x, as of an error ~ ρ^t, is the number",
	Number: true, Needs: []string{"x"},
	May:      []string{"tolerance", "why", "window", "at_most", "at_least", "statistic", "measured_bound"},
	Check:    checkGeometric,
	Line:     func(*Claim) *stats.Form { return stats.Exponential },
	Measure:  single(measureGeometric),
	Quantity: Factor,
	Margin:   factorMarginOf,
	Called:   "factor",
	Holds:    "{metric} of {method} converges linearly, with the {quantity} {number}{paper}",
})

// checkGeometric checks that the accepted factors are those of convergence, and that the factor of a theorem has a tolerance.
func checkGeometric(c *Claim, keys Keys) {
	checkExact(c, keys, "at_most for O(ρ^x)")
	value, _, high, err := printed.Parse(c.Number())
	number := c.Origin()
	if c.Tolerance > 0 || c.AtMost {
		high = value + c.Tolerance
	}
	switch {
	case err != nil:
	case c.Bound != "" && c.Statistic != "":
		keys.Wrong("statistic", "has no effect with %s, which every run has for itself; keep one", keys.Place("measured_bound"))
	case c.Bound != "":
		if value <= 0 {
			keys.Wrong(number, "must be > 0 with %s: the metric falls so many times as fast as the bound, got %s", keys.Place("measured_bound"), c.Number())
		}
	case value <= 0 || value >= 1:
		keys.Wrong(number, "must be between 0 and 1, got %s: with another factor nothing converges", c.Number())
	case high > 1 && !c.AtLeast:
		keys.Wrong("tolerance", "accepts the factor %s, with which nothing converges; accept factors below 1 only", printed.Number(high))
	}
}

// speedMargin is the share by which the speed of convergence may change: that of log ρ. docs/regression-testing.md has the reason.
const speedMargin = 0.05

// factorMarginOf returns half of the tolerance, as a share of the factor or, of a speed, itself. Without a tolerance it is the change
// of the claim's factor with which speedMargin more iterations are needed.
func factorMarginOf(c Claim) float64 {
	value, _, _, err := printed.Parse(c.Number())
	switch {
	case c.Bound != "" || err != nil || value <= 0:
		return c.Tolerance / 2
	case c.Tolerance > 0:
		return c.Tolerance / 2 / value
	}
	return math.Expm1(speedMargin * math.Abs(math.Log(value)))
}

// measureGeometric measures the factor or, with a bound, how many times as fast the metric falls.
func measureGeometric(c Claim, recs []*records.Record) (m Measurement, err error) {
	what, unit := fmt.Sprintf("factor of %s of %s for each %s", c.averaged(), c.Method, c.X), func(r *records.Record) (float64, error) {
		v, ok := r.MeasureAt(c.Bound, records.At{})
		if !ok {
			return 0, fmt.Errorf("%s of %s seed %d was not measured", c.Bound, r.Header.Method, r.Header.Seed)
		}
		return v, nil
	}
	if c.Bound == "" {
		unit = nil
	} else {
		what = fmt.Sprintf("log %s of %s falls with each %s so many times as fast as %s says:", c.Metric, c.Method, c.X, c.Bound)
	}
	rate, err := stats.FitFactor(recs, c.Metric, c.X, c.Window, c.Statistic, unit)
	if err != nil {
		return m, err
	}
	m = fitted(c, rate, len(recs), what)
	m.Quantity = Factor
	if rate.Rounded > 0 {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s of %s: from %s %s on rounding errors decide, and nothing is fitted there",
			c.Metric, c.Method, c.X, printed.Number(rate.Rounded)))
	}
	return m, nil
}
