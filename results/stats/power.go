package stats

import (
	"math"

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
