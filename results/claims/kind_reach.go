package claims

import (
	"fmt"

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

// measureReach measures the x at which the method's curve first reaches the target, by its geometric mean over seeds. If a seed
// never reaches the target, or has reached it at its first evaluation, the x at that end of the curve is a bound.
func measureReach(c Claim, recs []*records.Record) (m Measurement, err error) {
	x := abscissaOf(c)
	var places []stats.Crossing
	for _, r := range recs {
		at, err := stats.Reach(r, c.Metric, x, c.Target, c.Larger)
		if err != nil {
			return Measurement{}, err
		}
		places = append(places, at)
	}
	m.estimatePlace(c, x, fmt.Sprintf("reaches %s %s", c.Metric, c.target()), atFirst, places)
	return m, nil
}

// atFirst says of some seeds that their curves had reached the target before.
const atFirst = "at the first evaluation already"

// estimatePlace estimates the place along x, one for each seed, at which the method does what the words say; first are the words
// for places at the beginning of x.
func (m *Measurement) estimatePlace(c Claim, x, does, first string, places []stats.Crossing) {
	var xs []float64
	for _, at := range places {
		xs, m.Seeds, m.Ranges = append(xs, at.X), append(m.Seeds, at.Seed), append(m.Ranges, at.Range())
		if at.First || !at.Reached {
			m.Bounds = append(m.Bounds, at.Seed)
		}
	}
	m.What = fmt.Sprintf("%s at which %s %s", x, c.Method, does)
	m.Estimate = stats.GeometricInterval(xs)
	if len(m.Bounds) > 0 {
		m.Undecided = fmt.Sprintf("%s %s%s, so %s", c.Method, does, seen(places, first), x)
	}
}

// seen says on how many seeds there is a place, and on how many it is at the beginning.
func seen(places []stats.Crossing, first string) string {
	reached, early := 0, 0
	for _, at := range places {
		if at.Reached {
			reached++
		}
		if at.First {
			early++
		}
	}
	s := fmt.Sprintf(" on %d of %s", reached, printed.Count(len(places), "seed"))
	if early > 0 {
		s += fmt.Sprintf(" (%d %s)", early, first)
	}
	return s
}
