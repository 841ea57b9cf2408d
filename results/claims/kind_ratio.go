package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: "ratio", Doc: "to reach the target, every method of `against` needs the number times the x that the method needs",
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
	reached := [2]int{}
	m.Between = [2]float64{math.Inf(1), 0}
	for _, p := range pairs {
		var at [2]stats.Crossing
		for i, r := range p {
			if at[i], err = stats.Reach(r, c.Metric, x, c.Target, c.Larger); err != nil {
				return m, err
			}
			if at[i].Reached {
				reached[i]++
			}
			m.warnEarly(r, at[i], x)
		}
		ratio := at[1].X / at[0].X
		ratios = append(ratios, ratio)
		if !at[0].Reached || !at[1].Reached {
			m.Bounds = append(m.Bounds, p[0].Header.Seed)
		}
		low, high := ratio, ratio
		if !at[0].Reached {
			low = 0
		}
		if !at[1].Reached {
			high = math.Inf(1)
		}
		m.Between = [2]float64{min(m.Between[0], low), max(m.Between[1], high)}
	}
	m.Estimate = stats.GeometricInterval(ratios)
	if len(m.Bounds) > 0 {
		m.Undecided = fmt.Sprintf("%s reaches %s %s on %d of %s and %s on %d, so the ratio in %s is only known to lie between %s and %s on every seed",
			c.Method, c.Metric, c.target(), reached[0], printed.Count(len(pairs), "seed"), rival, reached[1], x,
			printed.Number(m.Between[0]), printed.Number(m.Between[1]))
	}
	return m, nil
}

// warnEarly warns of a curve that has reached the target before it is first evaluated.
func (m *Measurement) warnEarly(r *records.Record, at stats.Crossing, x string) {
	if at.First {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s seed %d has reached the target at its first evaluation, %s %s; evaluate earlier",
			r.Header.Method, r.Header.Seed, x, printed.Number(at.X)))
	}
}
