package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"repro/results/records"
)

// Statistics lists what can be taken over the seeds at every x instead of one line a seed: the mean, for statements in
// expectation, and quantiles, for statements with high probability.
var Statistics = []string{"mean", "q50", "q75", "q90", "q95"}

// statisticOf returns the named one of Statistics of values, at least one. +Inf is allowed.
func statisticOf(name string, values []float64) float64 {
	if name == "mean" {
		return stat.Mean(values, nil)
	}
	percent, err := strconv.Atoi(name[1:])
	if err != nil {
		panic("stats: unknown statistic " + name)
	}
	return Quantile(values, float64(percent)/100)
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

// resamples is the number of bootstrap samples of an interval.
const resamples = 1000

// FitStatistic fits the rate of a statistic over seeds against x. The metric must be positive and finite in the window, and
// all records must be evaluated at the same x. Window and Sensitivity are those of FitRate. The interval is a bootstrap over
// seeds: the middle 95 % of the slopes of 1000 samples of whole records, drawn with replacement from a fixed generator.
func FitStatistic(recs []*records.Record, metric, x string, window [2]float64, statistic string) (Rate, error) {
	return fitRate(recs, metric, x, window, func(w [2]float64) (Rate, error) {
		return fitStatistic(recs, metric, x, w, statistic)
	})
}

// fitStatistic fits a statistic in one window.
func fitStatistic(recs []*records.Record, metric, x string, w [2]float64, statistic string) (Rate, error) {
	var xs []float64
	curves := make([][]float64, len(recs))
	for i, r := range recs {
		at, ys, err := within(r, metric, x, w)
		if err != nil {
			return Rate{Window: w}, fmt.Errorf("seed %d: %w", r.Header.Seed, err)
		}
		if i > 0 && !slices.Equal(at, xs) {
			return Rate{Window: w}, fmt.Errorf("seeds %d and %d were evaluated at different values of %s, so a %s over seeds means nothing",
				recs[0].Header.Seed, r.Header.Seed, x, StatisticName(statistic))
		}
		xs, curves[i] = at, ys
	}
	slope := func(of func(i int) int) float64 {
		ys, column := make([]float64, len(xs)), make([]float64, len(curves))
		for j := range xs {
			for i := range curves {
				column[i] = curves[of(i)][j]
			}
			ys[j] = statisticOf(statistic, column)
		}
		return LogSlope(xs, ys)
	}
	n := len(curves)
	rate := Rate{Window: w, Points: len(xs)}
	rate.Estimate = Estimate{Mean: slope(func(i int) int { return i }), Low: math.NaN(), High: math.NaN(), N: n}
	if n == 1 {
		return rate, nil
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range resamples {
		sample := make([]int, n)
		for i := range sample {
			sample[i] = draw.IntN(n)
		}
		rate.Slopes = append(rate.Slopes, slope(func(i int) int { return sample[i] }))
	}
	rate.Low, rate.High = Quantile(rate.Slopes, (1-Level)/2), Quantile(rate.Slopes, (1+Level)/2)
	return rate, nil
}
