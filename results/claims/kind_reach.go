package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "reach", Doc: "the x at which the method reaches the target is the number",
	Number: true, Needs: []string{"x", "target"},
	May:      []string{"tolerance", "why", "at_most", "at_least"},
	Sided:    func(*Claim) string { return noGoal },
	Measure:  single(measureReach),
	Quantity: PlaceReached,
	Called:   "place",
	Holds:    "{method} reaches its target at {number}{paper}",
})

// measureReach measures the x at which the method's curve first reaches the target, by its geometric mean over seeds.
// If a seed never reaches the target, the x at its end is a lower bound.
func measureReach(c Claim, recs []*records.Record) (m Measurement, err error) {
	x := abscissaOf(c)
	var places []stats.Crossing
	for _, r := range recs {
		at, err := stats.Reach(r, c.Metric, x, c.Target, c.Larger)
		if err != nil {
			return Measurement{}, err
		}
		m.warnEarly(r, at, x)
		places = append(places, at)
	}
	m.estimatePlace(c, x, fmt.Sprintf("reaches %s %s", c.Metric, c.target()), places)
	return m, nil
}

// estimatePlace estimates the place along x, one for each seed, at which the method does what the words say.
func (m *Measurement) estimatePlace(c Claim, x, does string, places []stats.Crossing) {
	var xs []float64
	low, high := math.Inf(1), 0.0
	for _, at := range places {
		xs, m.Seeds = append(xs, at.X), append(m.Seeds, at.Seed)
		low, high = min(low, at.X), max(high, at.X)
		if !at.Reached {
			high = math.Inf(1)
			m.Bounds = append(m.Bounds, at.Seed)
		}
	}
	m.What = fmt.Sprintf("%s at which %s %s", x, c.Method, does)
	m.Estimate, m.Between = stats.GeometricInterval(xs), [2]float64{low, high}
	if n, open := len(places), len(m.Bounds); open > 0 {
		m.Undecided = fmt.Sprintf("%s %s on %d of %s, and on none before %s %s",
			c.Method, does, n-open, printed.Count(n, "seed"), x, printed.Number(low))
	}
}
