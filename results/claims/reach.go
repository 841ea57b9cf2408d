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
	accept, err := accepted(c)
	if err != nil {
		return undecided(err)
	}
	x := abscissaOf(c)
	var places []float64
	low, high, reached := math.Inf(1), 0.0, 0
	for _, r := range recs {
		at, err := stats.Reach(r, c.Metric, x, c.Target, c.Larger)
		if err != nil {
			return undecided(err)
		}
		if at.First {
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s seed %d has reached the target at its first evaluation, %s %s; evaluate earlier",
				r.Header.Method, r.Header.Seed, x, printed.Number(at.X)))
		}
		places = append(places, at.X)
		low, high = min(low, at.X), max(high, at.X)
		if at.Reached {
			reached++
		} else {
			high = math.Inf(1)
		}
	}
	if n := len(recs); reached < n {
		v.Seeds = n
		v.accept(accept)
		word := Inconclusive
		if accept.misses(low, high) {
			word = Deviates
		}
		return word, fmt.Sprintf("%s reaches %s %s on %d of %s, and on none before %s %s; accepted is %s",
			c.Method, c.Metric, c.target(), reached, printed.Count(n, "seed"), x, printed.Number(low), accept)
	}
	return v.conclude(fmt.Sprintf("%s at which %s reaches %s %s", x, c.Method, c.Metric, c.target()),
		stats.GeometricInterval(places), accept, c.Runs(), "")
}
