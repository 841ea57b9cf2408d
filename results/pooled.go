package results

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
)

// Statistics are what may be taken over seeds at every x, in place of one line a seed: their mean, which
// a statement in expectation is about, and quantiles, which one with high probability is about.
var Statistics = []string{"mean", "q50", "q75", "q90", "q95"}

// statisticOf returns the named one of Statistics of values, at least one. +Inf is a value like any other.
func statisticOf(name string, values []float64) float64 {
	if name == "mean" {
		return stat.Mean(values, nil)
	}
	percent, err := strconv.Atoi(name[1:])
	if err != nil {
		panic("results: unknown statistic " + name)
	}
	return Quantile(values, float64(percent)/100)
}

// StatisticName says one of Statistics in words.
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

// FitStatistic fits the rate of a statistic over seeds of a metric, positive and finite in the window,
// against x, which all records must share. Window and Sensitivity are those of FitRate. The interval
// is that of the bootstrap over seeds: the middle 95 % of the slopes of 1000 samples of whole records,
// drawn with replacement, always the same ones.
func FitStatistic(recs []*Record, metric, x string, window [2]float64, statistic string) (Rate, error) {
	return fitRate(recs, metric, x, window, func(w [2]float64) (Rate, error) {
		return fitStatistic(recs, metric, x, w, statistic)
	})
}

// fitStatistic fits a statistic in one window.
func fitStatistic(recs []*Record, metric, x string, w [2]float64, statistic string) (Rate, error) {
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

// setting returns the number that a record's settings have under a grid's key: a setting of the method,
// or of the cell's data.
func (h Header) setting(key string) (float64, error) {
	m := map[string]string{}
	flatten(m, "", h.Settings)
	for _, k := range []string{"method." + key, key} {
		if v, err := strconv.ParseFloat(m[k], 64); err == nil {
			return v, nil
		}
	}
	return 0, fmt.Errorf("%s has no number as its setting %s", h.Cell, key)
}

// An acrossPoint is a metric of one method of a grid and seed.
type acrossPoint struct {
	seed uint64
	x, y float64
}

// across reads a metric at the given place of every record against a setting, sorted by it.
func across(recs []*Record, metric, key string, at At) ([]acrossPoint, error) {
	var points []acrossPoint
	for _, r := range recs {
		x, err := r.Header.setting(key)
		if err != nil {
			return nil, err
		}
		y, ok := r.measureAt(metric, at)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s of %s seed %d was not measured %s", metric, r.Header.Method, r.Header.Seed, at)
		case math.IsInf(y, 0):
			return nil, fmt.Errorf("%s of %s seed %d is %w %s", metric, r.Header.Method, r.Header.Seed, errLost, at)
		}
		points = append(points, acrossPoint{r.Header.Seed, x, y})
	}
	slices.SortStableFunc(points, func(a, b acrossPoint) int { return cmp.Compare(a.x, b.x) })
	return points, nil
}

// FitAcross fits the rate of a metric, read at the given place of each curve, against a setting in which
// the methods of a grid differ: one line a seed through at least four values of the setting, then a t
// interval over the seeds' slopes.
func FitAcross(recs []*Record, metric, key string, at At) (Rate, error) {
	points, err := across(recs, metric, key, at)
	if err != nil {
		return Rate{}, err
	}
	if len(points) == 0 {
		return Rate{}, errors.New("no records")
	}
	rate := Rate{Window: [2]float64{points[0].x, points[len(points)-1].x}, Points: len(points)}
	var seen []uint64
	for _, p := range points {
		if slices.Contains(seen, p.seed) {
			continue
		}
		seen = append(seen, p.seed)
		var xs, ys []float64
		for _, q := range points {
			if q.seed != p.seed || len(xs) > 0 && q.x <= xs[len(xs)-1] {
				continue
			}
			if q.x <= 0 || q.y <= 0 {
				return rate, fmt.Errorf("seed %d: %s is %s at %s %s, which has no logarithm", q.seed, metric, Number(q.y), key, Number(q.x))
			}
			xs, ys = append(xs, q.x), append(ys, q.y)
		}
		if len(xs) < ratePoints {
			return rate, fmt.Errorf("seed %d: %d values of %s, a line needs %d; give the grid more", p.seed, len(xs), key, ratePoints)
		}
		rate.Slopes = append(rate.Slopes, LogSlope(xs, ys))
		rate.Points = min(rate.Points, len(xs))
	}
	rate.Estimate = MeanInterval(rate.Slopes, Level)
	return rate, nil
}

// AcrossCurve returns the curve of a metric at the end of the runs of a grid's methods against a setting
// in which they differ.
func AcrossCurve(recs []*Record, metric, key string) Curve {
	c := Curve{Metric: metric, Abscissa: key}
	points, err := across(recs, metric, key, At{})
	if err != nil {
		c.Warnings = append(c.Warnings, err)
		return c
	}
	var seen []uint64
	for i := 0; i < len(points); {
		j := i
		var vs []float64
		for ; j < len(points) && points[j].x == points[i].x; j++ {
			vs = append(vs, points[j].y)
			if !slices.Contains(seen, points[j].seed) {
				seen = append(seen, points[j].seed)
			}
		}
		low, high := Band(vs)
		c.X, c.Median, c.N = append(c.X, points[i].x), append(c.Median, Median(vs)), append(c.N, len(vs))
		c.Low, c.High = append(c.Low, low), append(c.High, high)
		i = j
	}
	c.Seeds, c.Band = len(seen), BandName(len(seen))
	return c
}
