package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// lognormalSlope returns an interval for the slope of a statistic over seeds of curves with common abscissae, at least three, whose
// values at each x are lognormal over seeds. The seeds may differ in a constant and in their exponents.
//
// With the mean μ(x) and the variance v(x) of the logarithms, the statistic is exp(μ + v/2) for the mean and exp(μ + z√v) for a
// quantile, z that of the normal distribution.
func (f *Form) lognormalSlope(xs []float64, curves [][]float64, statistic string) (low, high float64) {
	lines := make([]logLine, len(curves))
	lx, w := f.weights(xs)
	for i, y := range curves {
		logs := logsOf(y)
		_, slope := stat.LinearRegression(lx, logs, w, false)
		lines[i] = logLine{logs, stat.Mean(logs, w), slope}
	}
	if statistic == "mean" {
		return slopeOfMean(lx, w, lines)
	}
	return slopeOfQuantile(lx, w, lines, distuv.UnitNormal.Quantile(level(statistic)))
}

// A logLine is a curve in logarithms with its line: the mean height and the slope.
type logLine struct {
	logs          []float64
	height, slope float64
}

// slopeOfMean is lognormalSlope of the mean, as a generalized interval. The slope of μ + v/2 is β + γ, where β is the mean slope of
// the seeds, and γ = c/(n−1) is the slope of v/2: of straight lines, the covariance of slopes and heights. With the sums of squares
// and products of slopes and heights b, h and p, and with U and W that are χ² with n−1 and n−2 degrees of freedom, the slope is
// normal around
//
//	mean slope + c/U with the variance b/(nU) + (bh − p²)/(U²W),
//
// by the decomposition of Bartlett of the Wishart distribution [Anderson 2003, An Introduction to Multivariate Statistical
// Analysis, sec. 7.2].
func slopeOfMean(lx, w []float64, lines []logLine) (low, high float64) {
	n := len(lines)
	slopes, heights := make([]float64, n), make([]float64, n)
	for i, l := range lines {
		slopes[i], heights[i] = l.slope, l.height
	}
	v := make([]float64, len(lx))
	for j := range v {
		_, sd := momentsAt(lines, j)
		v[j] = sd * sd / 2
	}
	free := float64(n - 1)
	_, c := stat.LinearRegression(lx, v, w, false)
	b, h, p := free*stat.Variance(slopes, nil), free*stat.Variance(heights, nil), free*stat.Covariance(slopes, heights, nil)
	mean, sd := stat.MeanStdDev(slopes, nil)
	if b == 0 {
		return mean, mean
	}
	var m mixture
	outer, inner := firstNodes(), secondNodes()
	second := chi(n-2, inner)
	for i, u := range chi(n-1, outer) {
		for k, uu := range second {
			variance := b/(float64(n)*u) + max(0, b*h-p*p)/(u*u*uu)
			m.add(outer.weight[i]*inner.weight[k], free*c/u, math.Sqrt(variance))
		}
	}
	low, high = m.interval(sd, Level)
	return mean + low, mean + high
}

// momentsAt returns mean and standard deviation over seeds of the logarithms at a place of the curve.
func momentsAt(lines []logLine, j int) (mean, sd float64) {
	column := make([]float64, len(lines))
	for i, l := range lines {
		column[i] = l.logs[j]
	}
	return stat.MeanStdDev(column, nil)
}

// slopeOfQuantile is lognormalSlope of the quantile at z, as the interval of the jackknife.
func slopeOfQuantile(lx, w []float64, lines []logLine, z float64) (low, high float64) {
	n := float64(len(lines))
	all, without := make([]float64, len(lx)), make([][]float64, len(lines))
	for i := range without {
		without[i] = make([]float64, len(lx))
	}
	for j := range lx {
		mean, sd := momentsAt(lines, j)
		all[j] = mean + z*sd
		for i, l := range lines {
			d := l.logs[j] - mean // leaving it out moves the mean by d/(n−1) and the sum of squares by d²n/(n−1)
			rest := max(0, sd*sd*(n-1)-d*d*n/(n-1)) / (n - 2)
			without[i][j] = mean - d/(n-1) + z*math.Sqrt(rest)
		}
	}
	_, slope := stat.LinearRegression(lx, all, w, false)
	pseudo := make([]float64, len(lines))
	for i := range pseudo {
		_, rest := stat.LinearRegression(lx, without[i], w, false)
		pseudo[i] = n*slope - (n-1)*rest
	}
	e := MeanInterval(pseudo)
	return e.Low, e.High
}

// Averages returns an interval that holds every average of lognormal values from their harmonic to their arithmetic mean,
// exp(μ ± σ²/2), of a bounded estimate with logarithms. Each end is beyond its mean at the confidence of the estimate, from the intervals of μ and σ²
// [Zou, Taleban & Huo 2009, Computational Statistics & Data Analysis 53]: few values say little about σ.
func (e Estimate) Averages() (low, high float64) {
	freedom := float64(e.N - 1)
	apart := e.SD * e.SD / 2
	most := apart * freedom / distuv.ChiSquared{K: freedom}.Quantile((1-e.level())/2)
	reach := apart + math.Hypot(quantile(e.N, e.level())*e.SD/math.Sqrt(float64(e.N)), most-apart)
	return e.Mean * math.Exp(-reach), e.Mean * math.Exp(reach)
}
