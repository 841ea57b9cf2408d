package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Power is the probability with which the difference that Visible returns is seen.
const Power = 0.8

// Visible returns the smallest difference, in standard deviations of a run, between the expectations of the printed number
// and of our runs that puts the printed number, a mean of k runs, outside the prediction interval from n ≥ 2 seeds with
// probability Power. k is +Inf if the number is known exactly.
//
// With δ that difference, (printed − mean)/(s·√(1/n + 1/k)) has a noncentral t distribution with n−1 degrees of freedom and
// noncentrality δ/√(1/n + 1/k), if the runs are normal [Johnson, Kotz & Balakrishnan 1995, Continuous Univariate
// Distributions 2, ch. 31].
func Visible(n int, k float64) float64 {
	return noncentrality(n) * math.Sqrt(1/float64(n)+1/k)
}

// noncentrality returns the noncentrality at which a t test with n−1 degrees of freedom at Level rejects with probability
// Power.
var noncentrality = cached(func(n int) float64 { return newTTest(n, quantile(n)).noncentrality() })

// A tTest is a two-sided t test.
type tTest struct {
	limit     float64   // |t| beyond which it rejects
	u, weight []float64 // quadrature of √(χ²/ν)
}

// newTTest returns the test with n−1 degrees of freedom that rejects beyond ±limit.
func newTTest(n int, limit float64) tTest {
	const nodes = 200
	t := tTest{limit: limit, u: make([]float64, nodes), weight: make([]float64, nodes)}
	quad.Legendre{}.FixedLocations(t.u, t.weight, 0, 1)
	nu := float64(n - 1)
	chi := distuv.ChiSquared{K: nu}
	for i, p := range t.u {
		t.u[i] = math.Sqrt(chi.Quantile(p) / nu)
	}
	return t
}

// noncentrality returns the noncentrality at which the test rejects with probability Power.
func (t tTest) noncentrality() float64 {
	low, high := 0.0, 2*t.limit+2
	for range 60 {
		if mid := (low + high) / 2; t.rejection(mid) < Power {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// rejection returns the probability that a noncentral t variable lies outside ±limit: the mean over u = √(χ²/ν) of
// P(|Z + noncentrality| > limit·u).
func (t tTest) rejection(noncentrality float64) float64 {
	sum := 0.0
	for i, u := range t.u {
		sum += t.weight[i] * (distuv.UnitNormal.Survival(t.limit*u-noncentrality) + distuv.UnitNormal.CDF(-t.limit*u-noncentrality))
	}
	return sum
}

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
