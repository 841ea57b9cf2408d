package claims

import (
	"fmt"
	"math"
	"slices"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var (
	_ = Register(Kind{
		Name: "geometric", Doc: "the factor by which the metric shrinks in every unit of x, as of an error ~ ρ^t, is the number",
		Number: true, Needs: []string{"x"},
		May:      []string{"tolerance", "why", "window", "at_most", "at_least", "statistic"},
		Check:    checkGeometric,
		Line:     exponential,
		Measure:  single(measureGeometric),
		Quantity: Factor,
		Margin:   factorMarginOf,
		Called:   "factor",
		Holds:    "{metric} of {method} converges linearly, with the factor {number}{paper}",
	})
	_ = Register(Kind{
		Name: "geometric-bound", Doc: "how many times as fast the metric shrinks as a factor that the run measures says, log ρ/log measured_bound, is the number; 1 with at_least if that factor is a bound",
		Number: true, Needs: []string{"x", "measured_bound"},
		May:      []string{"tolerance", "why", "window", "at_most", "at_least"},
		Check:    func(c *Claim, keys Keys) { checkExact(c, keys, "at_least for a bound") },
		Line:     exponential,
		Measure:  single(measureSpeed),
		Quantity: Speed,
		Called:   "speed",
		Holds:    "{metric} of {method} converges {number} times as fast as its measured bound{paper}",
	})
)

func exponential(*Claim) *stats.Form { return stats.Exponential }

// checkGeometric checks that the accepted factors are those of convergence, and that the factor of a theorem has a tolerance.
func checkGeometric(c *Claim, keys Keys) {
	checkExact(c, keys, "at_most for O(ρ^x)")
	value, _, high, err := printed.Parse(c.Number())
	if c.Tolerance > 0 || c.AtMost {
		high = value + c.Tolerance
	}
	switch {
	case err != nil:
	case value <= 0 || value >= 1:
		keys.Wrong(c.NumberKey(), "must be between 0 and 1, got %s: with another factor nothing converges", c.Number())
	case high > 1 && !c.AtLeast:
		keys.Wrong("tolerance", "accepts the factor %s, with which nothing converges; accept factors below 1 only", printed.Number(high))
	}
}

// speedMargin is the share by which the speed of convergence may change: that of log ρ: as many more iterations for the same error.
const speedMargin = 0.05

// factorMarginOf returns half of the tolerance, as a share of the factor. Without a tolerance it is the change of the claim's
// factor with which speedMargin more iterations are needed.
func factorMarginOf(c Claim) float64 {
	value, _, _, err := printed.Parse(c.Number())
	switch {
	case err != nil || value <= 0:
		return 0
	case c.Tolerance > 0:
		return c.Tolerance / 2 / value
	}
	return math.Expm1(speedMargin * math.Abs(math.Log(value)))
}

// measureGeometric measures the factor.
func measureGeometric(c Claim, recs []*records.Record) (Measurement, error) {
	if m, fixed, err := c.fixedLine(stats.Exponential, recs, fmt.Sprintf("factor of %s of %s for each %s", c.Metric, c.Method, c.X)); fixed || err != nil {
		return m, err
	}
	rate, err := stats.FitFactor(recs, c.Metric, c.X, c.Window, c.Statistic)
	return fitted(c, rate, len(recs), fmt.Sprintf("factor of %s of %s for each %s", c.averaged(), c.Method, c.X)), err
}

// measureSpeed measures how many times as fast as its measured bound the metric falls.
func measureSpeed(c Claim, recs []*records.Record) (Measurement, error) {
	bounds := make([]float64, len(recs))
	for i, r := range recs {
		v, ok := r.MeasureAt(c.Bound, records.At{})
		if !ok {
			return Measurement{}, fmt.Errorf("%s of %s seed %d was not measured", c.Bound, r.Header.Method, r.Header.Seed)
		}
		bounds[i] = v
	}
	what := fmt.Sprintf("log factor of %s of %s for each %s, over log %s,", c.Metric, c.Method, c.X, c.Bound)
	if m, fixed, err := c.fixedLine(stats.Exponential, recs, what); (fixed || err != nil) && bounds[0] == slices.Max(bounds) {
		speed := func(factor float64) float64 { return math.Log(factor) / math.Log(bounds[0]) }
		m.Mean, m.Low, m.High = speed(m.Mean), speed(m.High), speed(m.Low)
		return m, err
	}
	rate, err := stats.FitSpeed(recs, c.Metric, c.X, c.Window, bounds)
	return fitted(c, rate, len(recs), what), err
}
