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
	seed    uint64
	x, y    float64
	largest float64 // that the run had of the metric
	floor   float64 // records.Floor of the run
}

// across reads a metric at the given place of every record. The points are sorted by the setting, which is 0 without a key.
func across(recs []*records.Record, metric, key string, at records.At) ([]acrossPoint, error) {
	var points []acrossPoint
	for _, r := range recs {
		x, err := 0.0, error(nil)
		if key != "" {
			x, err = r.Header.Setting(key)
		}
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
		largest := math.Abs(y)
		for _, p := range r.Points {
			if v, ok := p.Measure(metric); ok && !math.IsInf(v, 0) {
				largest = max(largest, math.Abs(v))
			}
		}
		points = append(points, acrossPoint{r.Header.Seed, x, y, largest, r.Floor()})
	}
	slices.SortStableFunc(points, func(a, b acrossPoint) int { return cmp.Compare(a.x, b.x) })
	return points, nil
}

// FitAcross fits the rate of a metric, read at the given place of each curve, against a setting in which the methods of a
// grid differ, through at least four values of the setting. Without a statistic it fits one line for each seed and takes the mean
// slope with a t interval over seeds; with one it fits one line to that statistic over seeds, with the interval of FitStatistic.
// The line ends before the first value of the setting at which a run has come down to rounding: below records.Floor of its own largest
// value, or of the largest that the line has on its seed up to there.
func FitAcross(recs []*records.Record, metric, key string, at records.At, statistic string) (Rate, error) {
	points, err := across(recs, metric, key, at)
	if err != nil {
		return Rate{}, err
	}
	kept := unrounded(points)
	rate, err := fitAcross(kept, metric, key, statistic)
	if len(kept) < len(points) {
		rate.Rounded = points[len(kept)].x
	}
	return rate, err
}

// A SeedCurve is the curve of one seed, up to where rounding begins: values at rising x.
type SeedCurve struct {
	Seed    uint64
	X, Y    []float64
	Rounded float64 // the x from which on values are left out for rounding; 0 if none are
}

// Along returns the curve of a metric against an abscissa of every record.
func Along(recs []*records.Record, metric, x string) (curves []SeedCurve) {
	for _, r := range recs {
		c := SeedCurve{Seed: r.Header.Seed}
		points := r.Points[:Rounded(r, metric)]
		if len(points) < len(r.Points) {
			c.Rounded, _ = r.Points[len(points)].Abscissa(x)
		}
		for _, p := range points {
			at, ok := p.Abscissa(x)
			if y, measured := p.Measure(metric); ok && measured {
				c.add(at, y)
			}
		}
		curves = append(curves, c)
	}
	return curves
}

// AlongGrid returns the curve of a metric, read at the given place of each run, against a setting in which the methods of a grid
// differ, of every seed.
func AlongGrid(recs []*records.Record, metric, key string, at records.At) (curves []SeedCurve, err error) {
	points, err := across(recs, metric, key, at)
	if err != nil {
		return nil, err
	}
	kept, rounded := unrounded(points), 0.0
	if len(kept) < len(points) {
		rounded = points[len(kept)].x
	}
	for _, seed := range seedsOf(points) {
		c := SeedCurve{Seed: seed, Rounded: rounded}
		for _, p := range kept {
			if p.seed == seed {
				c.add(p.x, p.y)
			}
		}
		curves = append(curves, c)
	}
	return curves, nil
}

// add adds a point that lies beyond those before it.
func (c *SeedCurve) add(x, y float64) {
	if n := len(c.X); n == 0 || x > c.X[n-1] {
		c.X, c.Y = append(c.X, x), append(c.Y, y)
	}
}

// unrounded returns the points, sorted by the setting, before the first value of it at which one has come down to rounding.
func unrounded(points []acrossPoint) []acrossPoint {
	largest := map[uint64]float64{}
	for _, p := range points {
		v := math.Abs(p.y)
		if v > 0 && v <= p.floor*max(p.largest, largest[p.seed]) {
			return points[:slices.IndexFunc(points, func(q acrossPoint) bool { return q.x == p.x })]
		}
		largest[p.seed] = max(largest[p.seed], v)
	}
	return points
}

// halfPoints is the smallest number of values of a grid for a line through half of it. They are of runs of their own, unlike the
// points of a curve.
const halfPoints = 3

// fitAcross is FitAcross of points, sorted by the setting; what they are is in words for errors. Halves are those of the logarithm of
// the setting, if both have halfPoints of its values; one in the middle is in both.
func fitAcross(points []acrossPoint, metric, key, statistic string) (Rate, error) {
	if len(points) == 0 {
		return Rate{}, errors.New("no records")
	}
	rate, err := lineAcross(points, metric, key, statistic, RatePoints)
	if err != nil || !rate.Bounded() {
		return rate, err
	}
	middle := math.Sqrt(rate.Window[0] * rate.Window[1])
	rate.Halves = bothHalves(func(w [2]float64) (Rate, error) {
		half := slices.DeleteFunc(slices.Clone(points), func(p acrossPoint) bool { return !inside(p.x, w) })
		return lineAcross(half, metric, key, statistic, halfPoints)
	}, [2]float64{rate.Window[0], middle}, [2]float64{middle, rate.Window[1]})
	return rate, nil
}

// lineAcross fits one line through at least so many values of the setting.
func lineAcross(points []acrossPoint, metric, key, statistic string, least int) (Rate, error) {
	if len(points) == 0 {
		return Rate{}, errors.New("no points")
	}
	seeds := seedsOf(points)
	rate := Rate{Window: [2]float64{points[0].x, points[len(points)-1].x}, Seeds: seeds, Points: len(points)}
	var slopes []float64
	var first []float64 // settings of the first seed
	var curves [][]float64
	for _, seed := range seeds {
		xs, ys, err := curveOf(points, seed, "line", metric, key, least)
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
		rate.Estimate = PowerLaw.jackknife(first, curves, statistic)
	}
	return rate, nil
}

// curveOf returns the points of a seed, with x rising strictly. They must be positive, and at least so many as a line or a plateau
// needs.
func curveOf(points []acrossPoint, seed uint64, form, metric, key string, least int) (xs, ys []float64, err error) {
	for _, p := range points {
		if p.seed != seed || len(xs) > 0 && p.x <= xs[len(xs)-1] {
			continue
		}
		if p.x <= 0 || p.y <= 0 {
			return nil, nil, fmt.Errorf("seed %d: %s is %s at %s %s; a %s needs positive numbers", seed, metric, printed.Number(p.y), key, printed.Number(p.x), form)
		}
		xs, ys = append(xs, p.x), append(ys, p.y)
	}
	if len(xs) < least {
		err = fmt.Errorf("seed %d has %d values of %s; a %s needs %d, so give the grid more values", seed, len(xs), key, form, least)
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
// differ. Without a key it is one point of all records, which has no x.
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
	if key == "" && len(c.X) > 0 {
		c.X[0] = math.NaN()
	}
	return c
}

// A Map is a metric at the end of the runs of a grid that varies two settings. Z[i][j] is the median over seeds at Y[i] and
// X[j], which rise: +Inf where it is not finite or the run diverged, NaN where there is no run.
type Map struct {
	X, Y  []float64
	Z     [][]float64
	Best  []float64 // for each X, the Y with the best value; NaN if no value is finite
	Seeds int
}

// A mapPoint is a value of a metric for one seed and two settings.
type mapPoint struct {
	seed    uint64
	x, y, z float64
}

// mapPoints reads a metric at a place of every record. A value that is not finite, or missing because the run diverged, is
// worst, which is +Inf.
func mapPoints(recs []*records.Record, metric, x, y string, at records.At, worst float64) ([]mapPoint, error) {
	var points []mapPoint
	for _, r := range recs {
		p := mapPoint{seed: r.Header.Seed, z: worst}
		var err, err2 error
		p.x, err = r.Header.Setting(x)
		p.y, err2 = r.Header.Setting(y)
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		z, ok := r.MeasureAt(metric, at)
		diverged := r.Status() == records.Diverged
		switch {
		case !ok && !diverged:
			return nil, fmt.Errorf("%s of %s seed %d was not measured %s", metric, r.Header.Method, r.Header.Seed, at)
		case ok && !diverged && !math.IsInf(z, 0) && !math.IsNaN(z):
			p.z = z
		}
		points = append(points, p)
	}
	return points, nil
}

// MapOf returns the map of a metric over two settings, read at the end of each run.
func MapOf(recs []*records.Record, metric, x, y string, larger bool) (Map, error) {
	worst := worstOf(larger)
	points, err := mapPoints(recs, metric, x, y, records.At{}, worst)
	if err != nil {
		return Map{}, err
	}
	var m Map
	of := map[[2]float64][]float64{}
	seeds := map[uint64]bool{}
	for _, p := range points {
		m.X, m.Y = append(m.X, p.x), append(m.Y, p.y)
		of[[2]float64{p.x, p.y}] = append(of[[2]float64{p.x, p.y}], p.z)
		seeds[p.seed] = true
	}
	slices.Sort(m.X)
	slices.Sort(m.Y)
	m.X, m.Y, m.Seeds = slices.Compact(m.X), slices.Compact(m.Y), len(seeds)
	for _, y := range m.Y {
		row := make([]float64, len(m.X))
		for j, x := range m.X {
			if row[j] = math.NaN(); len(of[[2]float64{x, y}]) > 0 {
				if row[j] = Median(of[[2]float64{x, y}]); math.IsNaN(row[j]) { // between infinite values
					row[j] = worst
				}
			}
		}
		m.Z = append(m.Z, row)
	}
	for j := range m.X {
		best, value := math.NaN(), worst
		for i, y := range m.Y {
			if z := m.Z[i][j]; better(z, value, larger) {
				best, value = y, z
			}
		}
		m.Best = append(m.Best, best)
	}
	return m, nil
}

// worstOf returns the worst value of a metric, -Inf if larger values are better.
func worstOf(larger bool) float64 {
	if larger {
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// better reports whether a is better than b; NaN is not.
func better(a, b float64, larger bool) bool { return !larger && a < b || larger && a > b }

// FitBest is FitAcross of the setting best in place of a metric: for each seed and each value of key, the value of best with
// the best metric, or the vertex of the parabola through it and its two neighbours, in logarithms of both. At an end of the
// grid, or beside a run that diverged, it is the value of the grid. Runs that diverged are worse than all others.
func FitBest(recs []*records.Record, metric, best, key string, at records.At, larger bool) (Rate, error) {
	return fitSetting(recs, metric, best, key, at, larger, func(points []mapPoint, worst float64) (float64, error) {
		place := 0
		for i, p := range points {
			if better(p.z, points[place].z, larger) {
				place = i
			}
		}
		if points[place].z == worst {
			return 0, fmt.Errorf("no value of %s gives a finite %s", best, metric)
		}
		return vertex(points, place), nil
	})
}

// FitFrontier is FitAcross of the frontier of a setting: for each seed and each value of key, the geometric mean of the largest
// value up to which the metric of every run is better than target, and the next value of the grid.
func FitFrontier(recs []*records.Record, metric, setting, key string, at records.At, target float64, larger bool) (Rate, error) {
	return fitSetting(recs, metric, setting, key, at, larger, func(points []mapPoint, _ float64) (float64, error) {
		for i, p := range points {
			switch {
			case better(p.z, target, larger):
			case i == 0:
				return 0, fmt.Errorf("%s misses %s with the smallest %s already; give the grid smaller values", metric, printed.Number(target), setting)
			default:
				return math.Sqrt(points[i-1].y * p.y), nil
			}
		}
		return 0, fmt.Errorf("%s reaches %s with every %s; give the grid larger values", metric, printed.Number(target), setting)
	})
}

// fitSetting is FitAcross of what choose returns for each seed and each value of key: a value of the setting, from the points
// sorted by it. Runs that diverged have the worst metric.
func fitSetting(recs []*records.Record, metric, setting, key string, at records.At, larger bool,
	choose func(points []mapPoint, worst float64) (float64, error)) (Rate, error) {
	worst := worstOf(larger)
	points, err := mapPoints(recs, metric, key, setting, at, worst)
	if err != nil {
		return Rate{}, err
	}
	slices.SortStableFunc(points, func(a, b mapPoint) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.seed, b.seed), cmp.Compare(a.y, b.y))
	})
	var all []acrossPoint
	for len(points) > 0 {
		first, n := points[0], 1
		for n < len(points) && points[n].x == first.x && points[n].seed == first.seed {
			n++
		}
		y, err := choose(points[:n], worst)
		if err != nil {
			return Rate{}, fmt.Errorf("seed %d: at %s %s %w", first.seed, key, printed.Number(first.x), err)
		}
		all = append(all, acrossPoint{seed: first.seed, x: first.x, y: y})
		points = points[n:]
	}
	return fitAcross(all, setting, key, "")
}

// vertex returns the y at the vertex of the parabola through point at, the best one, and its neighbours, in logarithms. It is
// that of the point if one of them is missing or has no logarithm.
func vertex(points []mapPoint, at int) float64 {
	here := points[at].y
	if at == 0 || at == len(points)-1 {
		return here
	}
	var u, v [3]float64
	for i, p := range points[at-1 : at+2] {
		if u[i], v[i] = math.Log(p.y), math.Log(p.z); !(p.y > 0 && p.z > 0) || math.IsInf(p.z, 0) {
			return here
		}
	}
	left, right := (v[1]-v[0])/(u[1]-u[0]), (v[2]-v[1])/(u[2]-u[1])
	curvature := (right - left) / (u[2] - u[0])
	if curvature == 0 {
		return here
	}
	return math.Exp((u[0]+u[1])/2 - left/(2*curvature))
}
