package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "reach", Doc: "the x at which the method reaches the target to stay is the number",
	Number: true, Needs: []string{"x", "target"},
	May:      []string{"tolerance", "why", "at_most", "at_least"},
	Sided:    func(*Claim) string { return noGoal },
	Measure:  single(measureReach),
	Quantity: PlaceReached,
	Called:   "place",
	Holds:    "{method} reaches its target at {number}{paper}",
})

// measureReach measures the x at which the method's curve reaches the target to stay, by its geometric mean over seeds. On a
// seed where that is beyond the last evaluation or somewhere before the first one, the x of this evaluation is a bound.
func measureReach(c Claim, recs []*records.Record) (m Measurement, err error) {
	x := abscissaOf(c)
	var places []stats.Crossing
	var xs []float64
	for _, r := range recs {
		at, err := stats.Reach(r, c.Metric, x, c.Target, c.Larger)
		if err != nil {
			return Measurement{}, err
		}
		places, xs = append(places, at), append(xs, at.X)
		m.Seeds, m.Ranges = append(m.Seeds, at.Seed), append(m.Ranges, at.Range())
		if at.First || !at.Reached {
			m.Bounds = append(m.Bounds, at.Seed)
		}
	}
	does := fmt.Sprintf("%s reaches %s %s", c.Method, c.Metric, c.target())
	m.What, m.Warnings = fmt.Sprintf("%s at which %s", x, does), touched(does, x, places)
	m.Estimate = stats.GeometricInterval(xs)
	if len(m.Bounds) > 0 {
		m.Undecided = fmt.Sprintf("%s%s, so %s", does, seen(places), x)
	}
	return m, nil
}

// touched warns of curves that cross a target more than once, and says which crossing is judged.
func touched(does, x string, places []stats.Crossing) (warnings []string) {
	n, earliest := 0, math.Inf(1)
	for _, at := range places {
		if at.Touched > 0 {
			n, earliest = n+1, min(earliest, at.Touched)
		}
	}
	if n > 0 {
		warnings = append(warnings, fmt.Sprintf("%s for a while on %d of %s, the first time at %s %s, and leaves it again; judged is the place from which on it mostly stays there",
			does, n, printed.Count(len(places), "seed"), x, printed.Number(earliest)))
	}
	return warnings
}

// seen says on how many seeds there is a place, and on how many it is at the beginning.
func seen(places []stats.Crossing) string {
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
		s += fmt.Sprintf(" (%d at the first evaluation already)", early)
	}
	return s
}
