package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "rate", Doc: "the slope of the logarithm of the metric against that of x, or across a grid, is the number",
	Number: true,
	May:    []string{"x", "tolerance", "why", "window", "at_most", "at_least", "statistic", "across", "best", "target", "at", "richardson"},
	Check:  checkRate,
	Sided: func(c *Claim) string {
		if c.Best == "" {
			return ""
		}
		return noneBest
	},
	Line: func(c *Claim) *stats.Form {
		if c.Across != "" {
			return nil
		}
		return stats.PowerLaw
	},
	Measure:  single(measureRate),
	Quantity: Slope,
	Margin: func(c Claim) float64 {
		if c.Tolerance > 0 {
			return c.Tolerance / 2
		}
		return slopeMargin
	},
	Called: "slope",
	Holds:  "{metric} of {method} has the slope {number}{paper}",
})

// slopeMargin is the margin of a rate without a tolerance. docs/guarding.md has the reason.
const slopeMargin = 0.05

// noneBest says why a metric of which no side is better has no best settings.
const noneBest = "it has no best value"

// checkExact notes that the number of a theorem has no tolerance: the rounding of "-1" would accept everything from -1.5 to -0.5.
func checkExact(c *Claim, keys Keys, bound string) {
	if math.IsInf(c.Runs(), 1) && !keys.Has("tolerance") && !c.AtMost && !c.AtLeast {
		keys.Wrong("tolerance", "missing: a %s that is not printed as measured has no digits to go by; give the largest accepted difference and why, or %s", c.Kind, bound)
	}
}

// checkRate checks that a rate is either along a curve or across a grid, and that the exponent of a theorem has a tolerance.
func checkRate(c *Claim, keys Keys) {
	checkExact(c, keys, "at_most for O(x^a)")
	if c.Across == "" {
		if c.X == "" {
			keys.Wrong("x", "missing; a claim of kind %q needs it, or across", c.Kind)
		}
		if keys.Has("at") {
			keys.Wrong("at", "has no effect on a claim of kind %q against x; remove it", c.Kind)
		}
		needless(keys, "across", "target")
		return
	}
	for _, key := range []string{"x", "window", "richardson"} {
		if keys.Has(key) {
			keys.Wrong(key, "contradicts %s; keep one", keys.Place("across"))
		}
	}
	switch {
	case !keys.Has("best"):
		needless(keys, "best", "target")
	case keys.Has("statistic"):
		keys.Wrong("statistic", "has no effect on the best settings; remove it")
	}
	if keys.Has("best") && c.Best == c.Across {
		keys.Wrong("best", "is the key of %s; name another key of the grid", keys.Place("across"))
	}
}

// averaged returns the claim's metric, with the statistic over seeds to which its line is fitted.
func (c Claim) averaged() string {
	if c.Statistic == "" {
		return c.Metric
	}
	return fmt.Sprintf("%s over seeds of %s", stats.StatisticName(c.Statistic), c.Metric)
}

// measureRate measures the slope.
func measureRate(c Claim, recs []*records.Record) (_ Measurement, err error) {
	x, metric, rate := abscissaOf(c), c.averaged(), stats.Rate{}
	what := "slope of log %s of %s against log %s"
	if c.Across == "" {
		if m, fixed, err := c.fixedLine(stats.PowerLaw, recs, fmt.Sprintf(what, c.Metric, c.Method, x)); fixed || err != nil {
			return m, err
		}
	}
	switch {
	case c.Best != "" && c.Target != 0:
		x, metric = c.Across, fmt.Sprintf("the largest %s with %s better than %s", c.Best, c.Metric, printed.Number(c.Target))
		rate, err = stats.FitFrontier(recs, c.Metric, c.Best, x, c.At, c.Target, c.Larger)
	case c.Best != "":
		x, metric = c.Across, c.Best+" with the best "+c.Metric
		rate, err = stats.FitBest(recs, c.Metric, c.Best, x, c.At, c.Larger)
	case c.Across != "":
		x = c.Across
		rate, err = stats.FitAcross(recs, c.Metric, x, c.At, c.Statistic)
	case c.Statistic != "":
		rate, err = stats.FitStatistic(recs, c.Metric, x, c.Window, c.Statistic)
	default:
		rate, err = stats.FitRate(recs, c.Metric, x, c.Window)
	}
	return fitted(c, rate, len(recs), fmt.Sprintf(what, metric, c.Method, x)), err
}

// fitted returns the measurement of a line that was fitted to so many records; what names its number.
func fitted(c Claim, rate stats.Rate, records int, what string) (m Measurement) {
	m.Window, m.Sensitivity, m.Halves = &rate.Window, rate.Sensitivity, rate.Halves
	m.Estimate, m.Seeds, m.Joint = rate.Estimate, rate.Seeds, c.Statistic != ""
	m.What = fmt.Sprintf("%s from %s to %s", what, printed.Number(rate.Window[0]), printed.Number(rate.Window[1]))
	if rate.Rounded > 0 {
		m.Warnings = append(m.Warnings, c.roundedText(rate.Rounded))
	}
	if m.Joint && !rate.Bounded() {
		m.Undecided = fmt.Sprintf("the %s over %s has no interval; it takes %d seeds or more",
			stats.StatisticName(c.Statistic), printed.Count(records, "seed"), stats.LeastSeeds(c.Statistic))
	}
	return m
}

// roundedText warns of the place from which on a curve, or a line across a grid, is not used.
func (c Claim) roundedText(at float64) string {
	return fmt.Sprintf("%s of %s: from %s %s on rounding errors may decide, and nothing is judged there", c.Metric, c.Method, c.axis(), printed.Number(at))
}
