package stats

import (
	"math"
	"sync"

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

var noncentralities sync.Map // of int to float64

// noncentrality returns the noncentrality at which a t test with n−1 degrees of freedom at Level rejects with probability
// Power.
func noncentrality(n int) float64 {
	if v, ok := noncentralities.Load(n); ok {
		return v.(float64)
	}
	low, high := 0.0, 2*quantile(n)+2
	for range 60 {
		if mid := (low + high) / 2; rejection(n, mid) < Power {
			low = mid
		} else {
			high = mid
		}
	}
	noncentralities.Store(n, high)
	return high
}

// rejection returns the probability that a noncentral t variable with n−1 degrees of freedom lies outside the two-sided
// interval of Level: the mean over u = √(χ²/ν) of P(|Z + noncentrality| > t·u).
func rejection(n int, noncentrality float64) float64 {
	t, nu := quantile(n), float64(n-1)
	chi := distuv.ChiSquared{K: nu}
	return quad.Fixed(func(p float64) float64 {
		u := t * math.Sqrt(chi.Quantile(p)/nu)
		return distuv.UnitNormal.Survival(u-noncentrality) + distuv.UnitNormal.CDF(-u-noncentrality)
	}, 0, 1, 200, nil, 0)
}
