package claims

import (
	"fmt"

	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "ratio", Doc: "to reach the target to stay, every method of `against` needs the number times the x that the method needs",
	Number: true, Needs: []string{"x", "against", "target"},
	May:      []string{"tolerance", "why", "at_least"},
	Sided:    func(*Claim) string { return noGoal },
	Measure:  againstRivals(compareRatio),
	Quantity: Ratio,
	Holds:    "{method} needs {number} times less than {rivals}{paper}",
})

// noGoal says why a metric of which no side is better has no target.
const noGoal = "it has no target to reach"

// compareRatio divides the x at which the rival reaches the target by that of the method.
func compareRatio(c Claim, rival string, pairs [][2]*records.Record) (m Measurement, err error) {
	x := abscissaOf(c)
	m.What = fmt.Sprintf("%s at which %s reaches %s %s, divided by that of %s,", x, rival, c.Metric, c.target(), c.Method)
	var ratios []float64
	var places [2][]stats.Crossing
	for _, p := range pairs {
		var at [2]stats.Crossing
		for i, r := range p {
			if at[i], err = stats.Reach(r, c.Metric, x, c.Target, c.Larger); err != nil {
				return m, err
			}
			places[i] = append(places[i], at[i])
		}
		ratios = append(ratios, at[1].X/at[0].X)
		own, its := at[0].Range(), at[1].Range()
		m.Ranges = append(m.Ranges, [2]float64{its[0] / own[1], its[1] / own[0]})
		if own[0] != own[1] || its[0] != its[1] {
			m.Bounds = append(m.Bounds, p[0].Header.Seed)
		}
	}
	for i, who := range []string{c.Method, rival} {
		m.Warnings = append(m.Warnings, touched(fmt.Sprintf("%s reaches %s %s", who, c.Metric, c.target()), x, places[i])...)
	}
	m.Estimate = stats.GeometricInterval(ratios)
	if len(m.Bounds) > 0 {
		m.Undecided = fmt.Sprintf("%s reaches %s %s%s and %s%s, so the ratio in %s", c.Method, c.Metric, c.target(), seen(places[0]), rival, seen(places[1]), x)
	}
	return m, nil
}
