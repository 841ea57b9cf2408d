package claims

import (
	"math"

	"repro/results/stats"
)

// estimate returns the estimate that the verdict's numbers are of, as if from n seeds. It is unbounded if the verdict has no
// interval.
func (v Verdict) estimate(n int) stats.Estimate {
	sd := math.NaN()
	switch {
	case v.Measured == nil:
		return stats.Summary(math.NaN(), sd, 0, false)
	case v.SD != nil:
		sd = *v.SD
	}
	e := stats.Summary(*v.Measured, sd, n, v.Log)
	if v.Covers != nil {
		e.Covers = stats.Coverage{Low: v.Covers[0], High: v.Covers[1]}
	}
	return e
}

// region returns the region that the verdict accepted.
func (v Verdict) region() Region {
	a := Region{Low: math.Inf(-1), High: math.Inf(1)}
	if v.Accept[0] != nil {
		a.Low = *v.Accept[0]
	}
	if v.Accept[1] != nil {
		a.High = *v.Accept[1]
	}
	a.rounding = v.PublishedLow != nil && v.Tolerance == 0 && a.Low == *v.PublishedLow && a.High == *v.PublishedHigh
	a.Open = a.rounding || KindOf(v.Kind).Strict
	return a
}

// settled is the largest number of seeds that SeedsNeeded tries.
const settled = 1000

// SeedsNeeded returns the smallest number of seeds, at least those that the verdict has, with which it would not be
// inconclusive if mean and spread stayed as they are. It is 0 if there is no such number up to 1000 or if the verdict has no
// measured spread.
func (v Verdict) SeedsNeeded() int {
	if e := v.estimate(v.Seeds); !e.Bounded() {
		return 0
	}
	accept, k := v.region(), runs(v.Published, v.PublishedIs)
	for n := v.Seeds; n <= settled; n++ {
		if accept.place(v.estimate(n), k) != Inconclusive {
			return n
		}
	}
	return 0
}
