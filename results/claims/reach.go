package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// decideReach judges the x at which the method's curve first reaches the target, by its geometric mean over seeds.
// If a seed never reaches the target, the x at its end is a lower bound.
func decideReach(c Claim, recs []*records.Record, v *Verdict) (Word, string) {
	x := abscissaOf(c)
	var places []stats.Crossing
	for _, r := range recs {
		at, err := stats.Reach(r, c.Metric, x, c.Target, c.Larger)
		if err != nil {
			return undecided(err)
		}
		if at.First {
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s seed %d has reached the target at its first evaluation, %s %s; evaluate earlier",
				r.Header.Method, r.Header.Seed, x, printed.Number(at.X)))
		}
		places = append(places, at)
	}
	return decidePlace(c, x, fmt.Sprintf("reaches %s %s", c.Metric, c.target()), places, v)
}

// decidePlateau judges from where on, along the key of a grid, more helps no more, by its geometric mean over seeds.
func decidePlateau(c Claim, recs []*records.Record, v *Verdict) (Word, string) {
	places, err := stats.Plateau(recs, c.Metric, c.Across, c.At, c.Within, c.Larger)
	if err != nil {
		return undecided(err)
	}
	for _, at := range places {
		if at.First {
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s is level on a seed from %s %s on, the smallest of its grid; give the grid smaller values", c.Method, c.Across, printed.Number(at.X)))
		}
	}
	return decidePlace(c, c.Across, fmt.Sprintf("has its %s within %s %% of the best beyond", c.Metric, printed.Number(100*c.Within)), places, v)
}

// decidePlace judges the place along x, one for each seed, at which the method does what the words say.
func decidePlace(c Claim, x, does string, places []stats.Crossing, v *Verdict) (Word, string) {
	accept, err := accepted(c)
	if err != nil {
		return undecided(err)
	}
	var xs []float64
	low, high, reached := math.Inf(1), 0.0, 0
	for _, at := range places {
		xs = append(xs, at.X)
		low, high = min(low, at.X), max(high, at.X)
		if at.Reached {
			reached++
		} else {
			high = math.Inf(1)
		}
	}
	if n := len(places); reached < n {
		v.Seeds = n
		v.accept(accept)
		word := Inconclusive
		if accept.misses(low, high) {
			word = Deviates
		}
		return word, fmt.Sprintf("%s %s on %d of %s, and on none before %s %s; accepted is %s",
			c.Method, does, reached, printed.Count(n, "seed"), x, printed.Number(low), accept)
	}
	return v.conclude(fmt.Sprintf("%s at which %s %s", x, c.Method, does), stats.GeometricInterval(xs), accept, c.Runs(), "")
}
