package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Beyond returns the p-value of the hypothesis that the expectation of bounded normal values lies within ±margin, against an
// expectation beyond it on the side of their mean: P(T > (|mean| − margin)·√n/s) with n−1 degrees of freedom. Where the values
// do not spread, it is 0 or 1.
func Beyond(e Estimate, margin float64) float64 {
	excess := math.Abs(e.Mean) - margin
	if e.SD == 0 {
		if excess > 0 {
			return 0
		}
		return 1
	}
	return distuv.StudentsT{Sigma: 1, Nu: float64(e.N - 1)}.Survival(excess * math.Sqrt(float64(e.N)) / e.SD)
}

// Detectable returns how far beyond a margin the expectation of n ≥ 2 normal values must lie, in their standard deviations, so
// that Beyond is below alpha with probability Power.
func Detectable(n int, alpha float64) float64 { return detectable(oneSided{n, alpha}) }

// A oneSided is a one-sided t test of n values at the level alpha.
type oneSided struct {
	n     int
	alpha float64
}

var detectable = cached(func(t oneSided) float64 {
	limit := distuv.StudentsT{Sigma: 1, Nu: float64(t.n - 1)}.Quantile(1 - t.alpha)
	return newTTest(t.n, limit).noncentrality() / math.Sqrt(float64(t.n))
})

// Holm returns the p-values of a family of hypotheses adjusted for their number, in the same order. If every hypothesis with an
// adjusted value of at most α is rejected, a true one is among them with probability α at most [Holm 1979].
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted, largest := make([]float64, len(p)), 0.0
	for rank, i := range order {
		largest = max(largest, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = largest
	}
	return adjusted
}

// Share returns the interval at a level such as Level of the probability of an event that happened k times in n, exact for every n
// [Clopper & Pearson 1934].
func Share(k, n int, level float64) (low, high float64) {
	tail := (1 - level) / 2
	high = 1
	if k > 0 {
		low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		high = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return low, high
}
