package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"repro/results/printed"
	"repro/results/records"
)

// An acrossPoint is the value y of a metric for one seed of a grid's method whose setting is x.
type acrossPoint struct {
	seed uint64
	x, y float64
}

// across reads a metric at the given place of every record. The points are sorted by the setting.
func across(recs []*records.Record, metric, key string, at records.At) ([]acrossPoint, error) {
	var points []acrossPoint
	for _, r := range recs {
		x, err := r.Header.Setting(key)
		if err != nil {
			return nil, err
		}
		y, ok := r.MeasureAt(metric, at)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s of %s seed %d was not measured %s", metric, r.Header.Method, r.Header.Seed, at)
		case math.IsInf(y, 0):
			return nil, fmt.Errorf("%s of %s seed %d is %w %s", metric, r.Header.Method, r.Header.Seed, ErrNotFinite, at)
		}
		points = append(points, acrossPoint{r.Header.Seed, x, y})
	}
	slices.SortStableFunc(points, func(a, b acrossPoint) int { return cmp.Compare(a.x, b.x) })
	return points, nil
}

// FitAcross fits the rate of a metric, read at the given place of each curve, against a setting in which the methods of a
// grid differ, through at least four values of the setting. Without a statistic it fits one line for each seed and takes the mean
// slope with a t interval over seeds; with one it fits one line to that statistic over seeds, with the interval of FitStatistic.
func FitAcross(recs []*records.Record, metric, key string, at records.At, statistic string) (Rate, error) {
	points, err := across(recs, metric, key, at)
	if err != nil {
		return Rate{}, err
	}
	return fitAcross(points, metric, key, statistic)
}

// fitAcross is FitAcross of points, sorted by the setting; what they are is in words for errors.
func fitAcross(points []acrossPoint, metric, key, statistic string) (Rate, error) {
	if len(points) == 0 {
		return Rate{}, errors.New("no records")
	}
	seeds := seedsOf(points)
	rate := Rate{Window: [2]float64{points[0].x, points[len(points)-1].x}, Seeds: seeds, Points: len(points)}
	var slopes []float64
	var first []float64 // settings of the first seed
	var curves [][]float64
	for _, seed := range seeds {
		xs, ys, err := curveOf(points, seed, "line", metric, key)
		if err != nil {
			return rate, err
		}
		if curves = append(curves, ys); first == nil {
			first = xs
		}
		if statistic != "" && !slices.Equal(xs, first) {
			return rate, fmt.Errorf("seed %d has other values of %s than the first seed, so their %s is not defined; run all seeds of all of them", seed, key, StatisticName(statistic))
		}
		slopes = append(slopes, LogSlope(xs, ys))
		rate.Points = min(rate.Points, len(xs))
	}
	if rate.Estimate = MeanInterval(slopes); statistic != "" {
		rate.Estimate = jackknife(first, curves, statistic)
	}
	return rate, nil
}

// curveOf returns the points of a seed, with x rising strictly. They must be positive, and enough for a line or a plateau.
func curveOf(points []acrossPoint, seed uint64, form, metric, key string) (xs, ys []float64, err error) {
	for _, p := range points {
		if p.seed != seed || len(xs) > 0 && p.x <= xs[len(xs)-1] {
			continue
		}
		if p.x <= 0 || p.y <= 0 {
			return nil, nil, fmt.Errorf("seed %d: %s is %s at %s %s; a %s needs positive numbers", seed, metric, printed.Number(p.y), key, printed.Number(p.x), form)
		}
		xs, ys = append(xs, p.x), append(ys, p.y)
	}
	if len(xs) < RatePoints {
		err = fmt.Errorf("seed %d has %d values of %s; a %s needs %d, so give the grid more values", seed, len(xs), key, form, RatePoints)
	}
	return xs, ys, err
}

// seedsOf lists the seeds of points in the order in which they first appear.
func seedsOf(points []acrossPoint) (seeds []uint64) {
	known := map[uint64]bool{}
	for _, p := range points {
		if !known[p.seed] {
			known[p.seed] = true
			seeds = append(seeds, p.seed)
		}
	}
	return seeds
}

// AcrossCurve returns the curve of a metric, read at the end of each run, against a setting in which the methods of a grid
// differ.
func AcrossCurve(recs []*records.Record, metric, key string) Curve {
	c := Curve{Metric: metric, Abscissa: key}
	points, err := across(recs, metric, key, records.At{})
	if err != nil {
		c.Warnings = append(c.Warnings, err)
		return c
	}
	c.Seeds = len(seedsOf(points))
	c.Band = BandName(c.Seeds)
	for len(points) > 0 {
		x := points[0].x
		var vs []float64
		for len(points) > 0 && points[0].x == x {
			vs, points = append(vs, points[0].y), points[1:]
		}
		low, high := Band(vs)
		c.X, c.Median, c.N = append(c.X, x), append(c.Median, Median(vs)), append(c.N, len(vs))
		c.Low, c.High = append(c.Low, low), append(c.High, high)
	}
	return c
}
