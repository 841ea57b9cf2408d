package results

import (
	"fmt"
	"math"
)

// decideReach judges where along x the method's curve first comes down to the target, a mean of logarithms
// over seeds. A seed that does not reach it says that it takes more than its whole run.
func decideReach(c Claim, recs []*Record, v *Verdict) (Word, string) {
	accept, err := accepted(c)
	if err != nil {
		return undecided(err)
	}
	x := abscissaOf(c)
	var logs []float64
	low, high, reached := math.Inf(1), 0.0, 0
	for _, r := range recs {
		at, err := reach(r, c, x)
		if err != nil {
			return undecided(err)
		}
		if at.first {
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s seed %d is at the target at its first evaluation, %s %s: evaluate earlier",
				r.Header.Method, r.Header.Seed, x, Number(at.x)))
		}
		logs = append(logs, math.Log(at.x))
		low, high = min(low, at.x), max(high, at.x)
		if at.reached {
			reached++
		} else {
			high = math.Inf(1)
		}
	}
	if n := len(recs); reached < n {
		v.Seeds = n
		v.accept(accept)
		word := Inconclusive
		if accept.place(Estimate{Low: low, High: high, N: n}) == Deviates {
			word = Deviates
		}
		return word, fmt.Sprintf("%s reaches %s %s on %d of %s, so all that is known of where, in %s, is that it is at %s or beyond on every seed; accepted is %s",
			c.Method, c.Metric, Number(c.Target), reached, seeds(n), x, Number(low), accept)
	}
	return v.conclude(fmt.Sprintf("%s at which %s reaches %s %s", x, c.Method, c.Metric, Number(c.Target)),
		MeanInterval(logs, Level).Exp(), accept, "")
}
