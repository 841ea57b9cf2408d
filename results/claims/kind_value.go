package claims

import (
	"fmt"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "value", Doc: "the metric is the number",
	Number: true, May: []string{"tolerance", "why", "unit", "at", "at_most", "at_least", "every"},
	Measure: single(measureValue),
	Holds:   "{metric} of {method} is {number}{paper}",
})

// measureValue measures the metric at the claim's place. If the paper printed one run of a metric that is never negative, the
// scale is logarithmic and our mean the geometric one: the intervals then hold for skewed metrics too. A printed mean of several
// runs is arithmetic, and so is ours.
func measureValue(c Claim, recs []*records.Record) (m Measurement, err error) {
	values := make([]float64, len(recs))
	for i, r := range recs {
		if !r.Reaches(c.At) {
			return m, fmt.Errorf("%s seed %d ends before %s %s", r.Header.Method, r.Header.Seed, c.At.X, printed.Number(c.At.Value))
		}
		if values[i], err = c.Read(r); err != nil {
			return m, err
		}
		m.Seeds = append(m.Seeds, r.Header.Seed)
	}
	e := stats.MeanInterval(values)
	if positive(values) && !c.Signed {
		if c.Runs() == 1 {
			e = stats.GeometricInterval(values)
			e.Covers = stats.Geometric
		} else if e.SD > skewed*e.Mean {
			e.Covers = stats.Skewed
		}
	}
	m.What, m.Unit = fmt.Sprintf("%s of %s %s", c.Metric, c.Method, c.At), UnitSign(c.Unit)
	m.Estimate = e.Rounded(c.step(recs[0].Header))
	return m, nil
}

// step returns the distance of two values that a share of rows can have, in the claim's unit, and 0 for other metrics.
func (c Claim) step(h records.Header) float64 {
	if n := h.Resolved[c.shareOf]; n > 0 {
		return c.factor() / n
	}
	return 0
}

// skewed is the ratio of standard deviation to mean from which the t interval of an arithmetic mean covers stats.Skewed.
const skewed = 0.3
