package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Averages returns an interval that holds every average of lognormal values from their harmonic to their arithmetic mean,
// exp(μ ± σ²/2), of a bounded estimate with logarithms. Each end is beyond its mean at Level, from the intervals of μ and σ²
// [Zou, Taleban & Huo 2009, Computational Statistics & Data Analysis 53]: few values say little about σ.
func (e Estimate) Averages() (low, high float64) {
	freedom := float64(e.N - 1)
	apart := e.SD * e.SD / 2
	most := apart * freedom / distuv.ChiSquared{K: freedom}.Quantile((1-Level)/2)
	reach := apart + math.Hypot(quantile(e.N)*e.SD/math.Sqrt(float64(e.N)), most-apart)
	return e.Mean * math.Exp(-reach), e.Mean * math.Exp(reach)
}
