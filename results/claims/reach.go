package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// measureReach measures the x at which the method's curve first reaches the target, by its geometric mean over seeds.
// If a seed never reaches the target, the x at its end is a lower bound.
func measureReach(c Claim, recs []*records.Record) (Measurement, error) {
	x := abscissaOf(c)
	var places []stats.Crossing
	var warnings []string
	for _, r := range recs {
		at, err := stats.Reach(r, c.Metric, x, c.Target, c.Larger)
		if err != nil {
			return Measurement{}, err
		}
		if at.First {
			warnings = append(warnings, fmt.Sprintf("%s seed %d has reached the target at its first evaluation, %s %s; evaluate earlier",
				r.Header.Method, r.Header.Seed, x, printed.Number(at.X)))
		}
		places = append(places, at)
	}
	m, err := measurePlace(c, x, fmt.Sprintf("reaches %s %s", c.Metric, c.target()), places)
	m.warnings = warnings
	return m, err
}

// measurePlateau measures from where on, along the key of a grid, more helps no more, by its geometric mean over seeds.
func measurePlateau(c Claim, recs []*records.Record) (Measurement, error) {
	places, err := stats.Plateau(recs, c.Metric, c.Across, c.At, c.Within, c.Larger)
	if err != nil {
		return Measurement{}, err
	}
	m, err := measurePlace(c, c.Across, fmt.Sprintf("has its %s within %s %% of the best beyond", c.Metric, printed.Number(100*c.Within)), places)
	for _, at := range places {
		if at.First {
			m.warnings = append(m.warnings, fmt.Sprintf("%s is level on a seed from %s %s on, the smallest of its grid; give the grid smaller values", c.Method, c.Across, printed.Number(at.X)))
		}
	}
	return m, err
}

// measurePlace measures the place along x, one for each seed, at which the method does what the words say.
func measurePlace(c Claim, x, does string, places []stats.Crossing) (m Measurement, err error) {
	if m.accept, err = accepted(c); err != nil {
		return m, err
	}
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
	m.Estimate = stats.GeometricInterval(xs)
	if n, open := len(places), len(m.Bounds); open > 0 {
		m.word = Inconclusive
		if m.accept.misses(low, high) {
			m.word = Deviates
		}
		m.reason = fmt.Sprintf("%s %s on %d of %s, and on none before %s %s; accepted is %s",
			c.Method, does, n-open, printed.Count(n, "seed"), x, printed.Number(low), m.accept)
	}
	return m, nil
}
