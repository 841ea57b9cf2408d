package claims

import (
	"fmt"
	"math"

	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "value", Doc: "the metric is the number",
	Number: true, May: []string{"tolerance", "why", "unit", "at", "at_most", "at_least", "every"},
	Measure: single(measureValue),
	Holds:   "{metric} of {method} is {number}{paper}",
})

// measureValue measures the metric at the claim's place.
func measureValue(c Claim, recs []*records.Record) (m Measurement, err error) {
	values := make([]float64, len(recs))
	for i, r := range recs {
		if values[i], err = c.readReached(r); err != nil {
			return m, err
		}
		m.Seeds = append(m.Seeds, r.Header.Seed)
	}
	m.What, m.Unit = fmt.Sprintf("%s of %s %s", c.Metric, c.Method, c.At), UnitSign(c.Unit)
	m.Estimate = c.estimate(values, c.step(recs[0].Header))
	return m, nil
}

// estimate estimates the mean of a metric's values, multiples of step if that is not 0. If the paper printed one run of a metric
// that is never negative, the scale is logarithmic and our mean the geometric one. A printed mean of several runs is arithmetic,
// and so is ours. The intervals of metrics that are never negative hold for skewed values too.
func (c Claim) estimate(values []float64, step float64) stats.Estimate {
	e, top := stats.MeanInterval(values), 0.0
	if c.Signed {
		return e.Rounded(step)
	}
	if c.Runs() == 1 && positive(values) {
		e = stats.GeometricInterval(values)
	}
	if c.shareOf != "" {
		top = c.factor()
	}
	return c.limited(e.Guarded(top, step))
}

// limited cuts the interval of the metric where no mean of it can be.
func (c Claim) limited(e stats.Estimate) stats.Estimate {
	switch {
	case c.Signed:
		return e
	case c.shareOf != "":
		return e.WithLimits(0, c.factor())
	}
	return e.WithLimits(0, math.Inf(1))
}

// step returns the distance of two values that a share of rows can have, in the claim's unit, and 0 for other metrics.
func (c Claim) step(h records.Header) float64 {
	if n := h.Resolved[c.shareOf]; n > 0 {
		return c.factor() / n
	}
	return 0
}
