package smoothing

import (
	"fmt"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

var _ = claims.Register(claims.Kind{
	Name: "last-ratio", Doc: "the metric at the end of the curve, divided by its value at half of x, is the number",
	Number: true, Needs: []string{"x"}, May: []string{"tolerance", "why", "at_most", "at_least"},
	Check: func(c *claims.Claim, keys claims.Keys) {
		if c.X == "seconds" {
			keys.Wrong("x", "half of a time is not half of the work; choose a cost that is counted")
		}
	},
	Measure:  measureLastRatio,
	Quantity: claims.Ratio,
	Called:   "last ratio",
	Holds:    "the last doubling takes {metric} of {method} times {number}{paper}",
})

// measureLastRatio measures q = e(X)/e(X/2), where X is the end of the curve and e the metric: 2^-a for an error that falls as
// x^-a. The mean over seeds is geometric.
func measureLastRatio(c claims.Claim, recs []*records.Record) ([]claims.Measurement, error) {
	m := claims.Measurement{What: fmt.Sprintf("%s of %s at the end divided by that at half of its %ss", c.Metric, c.Method, c.X)}
	var ratios []float64
	for _, r := range recs {
		end, ok := r.MeasureAt(c.X, records.At{})
		last, ok2 := r.At(c.Metric, records.At{})
		half, ok3 := r.At(c.Metric, records.At{X: c.X, Value: end / 2})
		if !ok || !ok2 || !ok3 || half <= 0 || last <= 0 {
			return nil, fmt.Errorf("%s of %s seed %d has no positive value at its end and at half of it", c.Metric, c.Method, r.Header.Seed)
		}
		ratios, m.Seeds = append(ratios, last/half), append(m.Seeds, r.Header.Seed)
	}
	m.Estimate = stats.GeometricInterval(ratios)
	return []claims.Measurement{m}, nil
}
