package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/results/records"
)

// Statistics lists the statistics over seeds that a rate can be fitted to and a figure can draw: the mean, for statements
// in expectation, and quantiles, for statements with high probability.
var Statistics = []string{"mean", "q50", "q75", "q90", "q95"}

// statisticOf returns the statistic of the given name, one of Statistics, of values, at least one. +Inf is allowed.
func statisticOf(name string, values []float64) float64 {
	if name == "mean" {
		return stat.Mean(values, nil)
	}
	return Quantile(values, level(name))
}

// StatisticName returns one of Statistics in words.
func StatisticName(name string) string {
	switch name {
	case "mean":
		return name
	case "q50":
		return "median"
	}
	return name[1:] + " % quantile"
}

// LeastSeeds returns the smallest number of seeds for which FitStatistic gives an interval: three for the mean; for a
// quantile as many as leave two seeds beyond it on average, since the jackknife needs seeds on both sides of it
// [docs/verdicts.md]. Fewer seeds say nothing of a statement that holds with that probability.
func LeastSeeds(statistic string) int {
	if statistic == "mean" {
		return 3
	}
	q := level(statistic)
	return int(math.Ceil(2/min(q, 1-q) - 1e-9))
}

// level returns the level of a quantile among Statistics.
func level(statistic string) float64 {
	percent, err := strconv.Atoi(statistic[1:])
	if err != nil {
		panic("stats: unknown statistic " + statistic)
	}
	return float64(percent) / 100
}

// FitStatistic fits the rate of a statistic over seeds against x. The metric must be positive and finite in the window, and
// all records must be evaluated at the same x. Window and Sensitivity are those of FitRate.
//
// The interval is the smallest that holds two others. One is the jackknife's: slope ± t·s/√n with n−1 degrees of freedom, where s
// is the standard deviation of the pseudo-values n·slope − (n−1)·slope₋ᵢ, and slope₋ᵢ is that without seed i [Tukey 1958; Efron &
// Tibshirani 1993, An Introduction to the Bootstrap, ch. 11]. The other is lognormalSlope, because few seeds seldom have those on
// which the mean of skewed values depends. Quantiles are those of Harrell and Davis, which are smooth in every value, because
// the jackknife is not consistent for an order statistic. With fewer than LeastSeeds records there is no interval.
func FitStatistic(recs []*records.Record, metric, x string, window [2]float64, statistic string) (Rate, error) {
	return PowerLaw.fitStatistic(recs, metric, x, window, statistic)
}

func (f *Form) fitStatistic(recs []*records.Record, metric, x string, window [2]float64, statistic string) (Rate, error) {
	return f.fit(recs, metric, x, window, func(w [2]float64) (Rate, error) {
		return f.statisticIn(recs, metric, x, w, statistic)
	})
}

// statisticIn fits a statistic in one window.
func (f *Form) statisticIn(recs []*records.Record, metric, x string, w [2]float64, statistic string) (Rate, error) {
	var xs []float64
	var seeds []uint64
	curves := make([][]float64, len(recs))
	for i, r := range recs {
		at, ys, err := within(r, metric, x, w)
		if err != nil {
			return Rate{Window: w}, fmt.Errorf("seed %d: %w", r.Header.Seed, err)
		}
		if i > 0 && !slices.Equal(at, xs) {
			return Rate{Window: w}, fmt.Errorf("seeds %d and %d were evaluated at different values of %s, so their %s is not defined; use a budget in steps or epochs",
				recs[0].Header.Seed, r.Header.Seed, x, StatisticName(statistic))
		}
		xs, curves[i], seeds = at, ys, append(seeds, r.Header.Seed)
	}
	return Rate{Window: w, Seeds: seeds, Points: len(xs), Estimate: f.jackknife(xs, curves, statistic)}, nil
}

// jackknife estimates the slope of a statistic over curves with common abscissae, in time linear in the curves but for sorting.
func (f *Form) jackknife(xs []float64, curves [][]float64, statistic string) Estimate {
	n := len(curves)
	all := make([]float64, len(xs)) // the statistic at every x
	without := make([][]float64, n) // the same without one curve
	w, rest := weights(statistic, n), weights(statistic, n-1)
	for i := range without {
		without[i] = make([]float64, len(xs))
	}
	for j := range xs {
		order := make([]int, n) // curves by their value at x
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(curves[a][j], curves[b][j]) })
		above := make([]float64, n+1) // Σ of the order statistics from k on, as weighted without a smaller one
		for k := n - 1; k > 0; k-- {
			above[k] = above[k+1] + rest[k-1]*curves[order[k]][j]
		}
		below := 0.0
		for k, i := range order {
			v := curves[i][j]
			all[j] += w[k] * v
			if without[i][j] = below + above[k+1]; k < n-1 {
				below += rest[k] * v
			}
		}
	}
	slope := f.slope(xs, all)
	if n < LeastSeeds(statistic) {
		return normal(slope, math.NaN(), n)
	}
	pseudo := make([]float64, n)
	for i := range pseudo {
		pseudo[i] = float64(n)*slope - float64(n-1)*f.slope(xs, without[i])
	}
	e := normal(slope, stat.StdDev(pseudo, nil), n)
	low, high := f.lognormalSlope(xs, curves, statistic)
	e = e.Within(min(e.Low, low), max(e.High, high))
	e.Values, e.Covers = pseudo, Broad
	return e
}

// weights returns the weights of the n order statistics in a statistic.
func weights(statistic string, n int) []float64 {
	if statistic != "mean" {
		return harrellDavis(n, level(statistic))
	}
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	return w
}

// harrellDavis returns the weights of the n order statistics in the estimate of the q-quantile: the probabilities of
// [(i−1)/n, i/n] under a beta distribution with parameters q(n+1) and (1−q)(n+1) [Harrell & Davis 1982].
func harrellDavis(n int, q float64) []float64 {
	beta := distuv.Beta{Alpha: q * float64(n+1), Beta: (1 - q) * float64(n+1)}
	weights, below := make([]float64, n), 0.0
	for i := range weights {
		p := beta.CDF(float64(i+1) / float64(n))
		weights[i], below = p-below, p
	}
	return weights
}

// Quantile returns the q-quantile of values, at least one, by linear interpolation between order
// statistics (type 7 of Hyndman and Fan 1996, the default of R and NumPy). +Inf is allowed:
// seeds that diverged count as worse than all others.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		panic("stats: quantile of no values")
	}
	s := slices.Sorted(slices.Values(values))
	h := q * float64(len(s)-1)
	i := int(h)
	f := h - float64(i)
	if f == 0 {
		return s[i]
	}
	if math.IsInf(s[i+1], 1) {
		return math.Inf(1)
	}
	return s[i] + f*(s[i+1]-s[i])
}

// Median returns the median of values, at least one.
func Median(values []float64) float64 { return Quantile(values, 0.5) }

// MedianRange returns an interval at a level for the median over seeds of a number of which only a range is known on every seed:
// that of order statistics, from the r-th smallest lower end to the r-th largest upper end, where r is the largest number with
// 2 P(Bin(n, ½) < r) ≤ 1 − level [David & Nagaraja 2003, Order Statistics, sec. 7.1]. ok is false if there are so few
// seeds that they have no such interval, at Level fewer than six.
func MedianRange(ranges [][2]float64, level float64) (low, high float64, ok bool) {
	n := len(ranges)
	r, below, p := 0, 0.0, math.Pow(0.5, float64(n)) // P(Bin < r), P(Bin = r)
	for 2*(below+p) <= 1-level {
		below += p
		p *= float64(n-r) / float64(r+1)
		r++
	}
	if n == 0 || r == 0 {
		return 0, 0, false
	}
	lows, highs := make([]float64, n), make([]float64, n)
	for i, v := range ranges {
		lows[i], highs[i] = v[0], v[1]
	}
	slices.Sort(lows)
	slices.Sort(highs)
	return lows[r-1], highs[n-r], true
}

// QuartileSeeds is the smallest number of values for which Band gives quartiles; for fewer it gives the range.
const QuartileSeeds = 4

// Band returns the bounds that a band or a table shows around the median: the quartiles of four
// values or more, else the range.
func Band(values []float64) (low, high float64) { return band(values, len(values)) }

// band returns the bounds around the median of values that belong to a curve of n seeds.
func band(values []float64, n int) (low, high float64) {
	if n < QuartileSeeds {
		return Quantile(values, 0), Quantile(values, 1)
	}
	return Quantile(values, 0.25), Quantile(values, 0.75)
}

// BandName returns in words what Band gives for n seeds.
func BandName(n int) string {
	switch {
	case n == 0:
		return "no seeds"
	case n == 1:
		return "one seed"
	case n < QuartileSeeds:
		return fmt.Sprintf("range of %d seeds", n)
	}
	return fmt.Sprintf("quartiles of %d seeds", n)
}
