// Package stats computes statistics of records over seeds: means with intervals, quantiles and bands, curves, rates
// and the place where a curve reaches a target. It only reads records; it trains nothing.
//
// The coverage of every interval is measured by simulation: docs/error-rates.md, made by
// `go test ./results/stats -run TestCoverage -update`.
package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the confidence of every interval in verdicts and tables.
const Level = 0.95

// An Estimate is a mean over seeds with its interval at Level. One value has no interval, and neither has a quantile of few:
// then Low, High and SD are NaN and Bounded reports false.
type Estimate struct {
	Mean, Low, High float64
	SD              float64   // standard deviation of the value of one seed
	Values          []float64 // of the seeds, in the order of the records; of a statistic over seeds, pseudo-values
	N               int
	Log             bool       // Mean is a geometric mean, and SD that of the logarithms
	Covers          Coverage   // what Low and High cover; the zero value is Nominal
	Scales          []Scale    // others, for which the interval holds too
	Wider           [2]float64 // how far Low and High lie from Mean, divided by how far those of Student's t lie; both 0 for 1
	Limits          [2]float64 // between which every mean lies, such as 0 and 1 of a share; both 0 if there are none

	confidence float64 // of the interval; 0 for Level
}

// A Coverage is the range, in per cent, in which the coverage of a kind of interval lies in all simulations of docs/error-rates.md.
// TestCoverage holds the page to it.
type Coverage struct{ Low, High float64 }

var (
	Nominal   = Coverage{93.5, 96.5} // prints as 95 %
	Broad     = Coverage{94, 100}    // Guarded and FitStatistic
	Geometric = Coverage{93, 100}    // Guarded, of a geometric mean
	Skewed    = Coverage{66, 95}     // MeanInterval of skewed values
	Joint     = Coverage{94, 100}    // JointBand
)

func (c Coverage) String() string {
	switch {
	case c == (Coverage{}) || c == Nominal:
		return "95 %"
	case c.High == 100:
		return fmt.Sprintf("at least %g %%", c.Low)
	}
	return fmt.Sprintf("%g to %g %%", c.Low, c.High)
}

// Poor reports whether an interval covers so little that a claim which lies inside it is not shown.
func (c Coverage) Poor() bool { return c != (Coverage{}) && c.Low < 90 }

// Bounded reports whether the estimate has an interval.
func (e Estimate) Bounded() bool { return !math.IsNaN(e.SD) }

// MeanInterval returns the mean of values, finite and at least one, with Student's t interval: mean ± t·s/√n with n−1
// degrees of freedom. It holds exactly for normal values; with few values of a skewed distribution it covers less.
func MeanInterval(values []float64) Estimate {
	if len(values) == 0 {
		panic("stats: interval of no values")
	}
	mean, sd := meanStdDev(values)
	e := normal(mean, sd, len(values))
	e.Values = values
	return e
}

// meanStdDev returns mean and standard deviation of values, of which no power or sum overflows unless the result does.
func meanStdDev(values []float64) (mean, sd float64) {
	const large = 0x1p500
	if !slices.ContainsFunc(values, func(v float64) bool { return math.Abs(v) > large }) {
		return stat.MeanStdDev(values, nil)
	}
	const shrink = 0x1p-600 // a power of two, which rounds nothing of what decides
	small := make([]float64, len(values))
	for i, v := range values {
		small[i] = v * shrink
	}
	mean, sd = stat.MeanStdDev(small, nil)
	return mean / shrink, sd / shrink
}

// GeometricInterval returns the geometric mean of positive values with the t interval of their logarithms. It holds
// exactly for lognormal values, and closely for values that spread little or are skewed to the right.
func GeometricInterval(values []float64) Estimate {
	e := MeanInterval(logsOf(values))
	e.Mean, e.Low, e.High, e.Log, e.Values = math.Exp(e.Mean), math.Exp(e.Low), math.Exp(e.High), true, values
	return e
}

// Summary returns the estimate of which only the mean, the standard deviation of a seed's value, the number of values and
// the scale are known.
func Summary(mean, sd float64, n int, log bool) Estimate {
	if !log {
		return normal(mean, sd, n)
	}
	e := normal(math.Log(mean), sd, n)
	e.Mean, e.Low, e.High, e.Log = mean, math.Exp(e.Low), math.Exp(e.High), true
	return e
}

// Rounded returns the estimate of values that were rounded to multiples of step, as shares of a number of rows are: the
// variance of the rounding error, step²/12, is added to that of the values [Sheppard 1898]. Values that agree to the digit
// then have a spread.
func (e Estimate) Rounded(step float64) Estimate {
	on := step
	if e.Log {
		on /= e.Mean
	}
	r := Summary(e.Mean, math.Hypot(e.SD, on/math.Sqrt(12)), e.N, e.Log)
	r.Values, r.Covers, r.Limits = e.Values, e.Covers, e.Limits
	for _, s := range e.Scales {
		r.Scales = append(r.Scales, s.rounded(step))
	}
	return r.OfSeeds(e.N)
}

// Within returns the estimate with another interval, or with its own if only rounding tells the two apart.
func (e Estimate) Within(low, high float64) Estimate {
	half, below, above := e.student(math.Inf(1)), e.Mean-low, high-e.Mean
	if e.Log {
		below, above = math.Log(e.Mean/low), math.Log(high/e.Mean)
	}
	rounding := 1e-9 * half
	if !e.Log {
		rounding += 1e-9 * math.Abs(e.Mean)
	}
	if max(math.Abs(below-half), math.Abs(above-half)) > rounding {
		e.Low, e.High = low, high
		e.Wider = [2]float64{1, 1}
		for i, width := range []float64{below, above} {
			if width != half {
				e.Wider[i] = width / half
			}
		}
	}
	return e
}

// At returns the estimate with the interval at another confidence than Level. An interval that is not Student's is as much wider than
// that as it is at Level.
func (e Estimate) At(confidence float64) Estimate {
	e.confidence = confidence
	return e.OfSeeds(e.N)
}

// level returns the confidence of the interval.
func (e Estimate) level() float64 { return cmp.Or(e.confidence, Level) }

// WithLimits returns the estimate of a mean that lies between two limits, with its interval cut there.
func (e Estimate) WithLimits(low, high float64) Estimate {
	e.Limits = [2]float64{low, high}
	if e.Bounded() {
		e.Low, e.High = e.possible(e.Low, e.High)
	}
	return e
}

// OfSeeds returns the estimate with the interval that n seeds with the same mean and spread would have.
func (e Estimate) OfSeeds(n int) Estimate {
	if e.N = n; e.Bounded() {
		e.Low, e.High = e.possible(e.next(math.Inf(1)))
	}
	return e
}

// WithError returns the estimate with the interval of a mean, of the logarithm if Log is set, whose standard error se is known:
// its ends are at the quantiles of the normal distribution.
func (e Estimate) WithError(se float64) Estimate {
	z := distuv.UnitNormal.Quantile((1 + Level) / 2)
	r := Summary(e.Mean, z*se*math.Sqrt(float64(e.N))/quantile(e.N, Level), e.N, e.Log)
	r.Values, r.Limits = e.Values, e.Limits
	return r.OfSeeds(e.N)
}

// normal returns the estimate of n normal values; it is unbounded if sd is NaN.
func normal(mean, sd float64, n int) Estimate {
	e := Estimate{Mean: mean, SD: sd, N: n, Low: math.NaN(), High: math.NaN()}
	if n < 2 {
		e.SD = math.NaN()
	}
	if e.Bounded() {
		e.Low, e.High = e.next(math.Inf(1))
	}
	return e
}

// Next returns the prediction interval, at Level or the confidence of At, of the mean of k further runs: mean ± t·s·√(1/n + 1/k) with n−1 degrees of
// freedom, or another, as Scales and Wider say. With k = +Inf it is the interval of the mean. The estimate must be bounded.
func (e Estimate) Next(k float64) (low, high float64) {
	if math.IsInf(k, 1) {
		return e.Low, e.High
	}
	return e.possible(e.next(k))
}

// possible returns an interval without what no mean can be: beyond Limits and, of values with Scales, negative or above a top.
func (e Estimate) possible(low, high float64) (float64, float64) {
	if e.Limits != [2]float64{} {
		low, high = min(max(low, e.Limits[0]), e.Limits[1]), max(min(high, e.Limits[1]), e.Limits[0])
	}
	for _, s := range e.Scales {
		if low = max(low, 0); s.Top > 0 {
			high = min(high, s.Top)
		}
	}
	return low, high
}

// next is Next before it is cut to what is possible, from which the power of a test is worked out.
func (e Estimate) next(k float64) (low, high float64) {
	below, above := e.student(k), e.student(k)
	if e.Wider != [2]float64{} {
		below, above = below*e.Wider[0], above*e.Wider[1]
	}
	low, high = e.Mean-below, e.Mean+above
	if e.Log {
		low, high = e.Mean*math.Exp(-below), e.Mean*math.Exp(above)
	}
	for _, s := range e.Scales {
		if from, to, ok := s.next(k, e.N, e.level()); ok {
			low, high = min(low, from), max(high, to)
		}
	}
	return low, high
}

// student returns half the width of the prediction interval of Student's t.
func (e Estimate) student(k float64) float64 {
	return halfWidth(e.SD, e.N, k, e.level())
}

// halfWidth returns half the width of the prediction interval of the mean of k further normal values, from n values with the standard
// deviation sd.
func halfWidth(sd float64, n int, k, level float64) float64 {
	return quantile(n, level) * sd * math.Sqrt(1/float64(n)+1/k)
}

// Widths returns by which factors the two sides of the interval of the mean of k further runs are wider than Student's, on the
// scale of SD.
func (e Estimate) Widths(k float64) (below, above float64) {
	half := e.student(k)
	low, high := e.next(k)
	if len(e.Scales) == 0 && e.Wider == [2]float64{} || low == high {
		return 1, 1
	}
	if e.Log {
		return math.Log(e.Mean/low) / half, math.Log(high/e.Mean) / half
	}
	return (e.Mean - low) / half, (high - e.Mean) / half
}

// quantile returns the quantile of Student's t distribution that bounds a two-sided interval of a level from n values.
func quantile(n int, level float64) float64 { return tQuantile(oneSided{n, (1 - level) / 2}) }

// cached returns a function that computes the value of each argument once.
func cached[K comparable](of func(K) float64) func(K) float64 {
	var known sync.Map // of K to float64
	return func(k K) float64 {
		if v, ok := known.Load(k); ok {
			return v.(float64)
		}
		v := of(k)
		known.Store(k, v)
		return v
	}
}

// Power is the probability with which the difference that Estimate.Visible returns is seen.
const Power = 0.8

// visible returns the smallest difference, in standard deviations of a run, between the expectations of the printed number
// and of our runs that puts the printed number, a mean of k runs, outside the prediction interval from n ≥ 2 seeds with
// probability Power. k is +Inf if the number is known exactly.
//
// With δ that difference, (printed − mean)/(s·√(1/n + 1/k)) has a noncentral t distribution with n−1 degrees of freedom and
// noncentrality δ/√(1/n + 1/k), if the runs are normal [Johnson, Kotz & Balakrishnan 1995, Continuous Univariate
// Distributions 2, ch. 31].
func visible(n int, k, level float64) float64 {
	return noncentrality(oneSided{n, (1 - level) / 2}) * math.Sqrt(1/float64(n)+1/k)
}

// Visible returns the difference that visible does of n and the confidence of the estimate, in the units of SD.
func (e Estimate) Visible(k float64) float64 { return visible(e.N, k, e.level()) * e.SD }

// noncentrality returns the noncentrality at which a two-sided t test with alpha on each side rejects with probability Power.
var noncentrality = cached(func(t oneSided) float64 { return newTTest(t.n, tQuantile(t)).noncentrality() })

// A tTest is a two-sided t test.
type tTest struct {
	limit     float64   // |t| beyond which it rejects
	u, weight []float64 // quadrature of √(χ²/ν)
}

// newTTest returns the test with n−1 degrees of freedom that rejects beyond ±limit.
func newTTest(n int, limit float64) tTest {
	q := newNodes(200)
	t := tTest{limit: limit, u: chi(n-1, q), weight: q.weight}
	for i, square := range t.u {
		t.u[i] = math.Sqrt(square / float64(n-1))
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

// A oneSided is a t test of n values with the error alpha on one side.
type oneSided struct {
	n     int
	alpha float64
}

// tQuantile returns the quantile of Student's t distribution that a value of it exceeds with probability alpha.
var tQuantile = cached(func(t oneSided) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(t.n - 1)}.Quantile(1 - t.alpha)
})

var detectable = cached(func(t oneSided) float64 {
	return newTTest(t.n, tQuantile(t)).noncentrality() / math.Sqrt(float64(t.n))
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
