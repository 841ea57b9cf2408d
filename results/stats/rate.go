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

// A Rate is the slope of log metric against log x or, of FitFactor, a factor: the mean of one slope for each seed with a t
// interval over seeds, or the slope of a statistic over seeds with a jackknife interval. It is never one fit through the points
// of all seeds, because the errors along a curve are not independent.
type Rate struct {
	Estimate
	Seeds       []uint64      // of the Values
	Window      [2]float64    // range of x in which the lines were fitted
	Points      int           // in the window, of the seed with the fewest
	Sensitivity []Sensitivity // the rate in other windows; empty for one seed
	Halves      []Sensitivity // the rate in the first and the second half of the window, for lack of fit; empty if one has no line or no interval
	Lack        float64       // the share of the variance of log metric that the lines leave, by the mean over seeds; NaN where log metric is constant
	Rounded     float64       // the first x at which a seed is left out for rounding; 0 if none is
}

// A Sensitivity is a rate fitted in another window.
type Sensitivity struct {
	Window [2]float64 `json:"window"`
	Slope  float64    `json:"slope"`
	Low    float64    `json:"low"`
	High   float64    `json:"high"`
}

// RatePoints is the smallest number of points for a line.
const RatePoints = 4

// ErrNotFinite is wrapped by errors about a value that is needed but not finite.
var ErrNotFinite = errors.New("not finite")

// FitRate fits the rate of a metric, positive and finite in the window, against x.
//
// If an end of the window is zero, it is taken from the range of x that all records share: the upper end is the end of
// that range; the lower end leaves out the first quarter of its logarithmic length, where constants still matter more
// than the rate. Sensitivity holds the fits with the lower end doubled and halved, the upper end halved and doubled, and
// both moved inwards, cut to the shared range and only if every seed has four points in the window.
//
// A curve ends where Rounded says that rounding begins, and so does the range.
func FitRate(recs []*records.Record, metric, x string, window [2]float64) (Rate, error) {
	return PowerLaw.fit(recs, metric, x, window, func(w [2]float64) (Rate, error) { return PowerLaw.fitWindow(recs, metric, x, w) })
}

// fit finds the window and fits in it and in the windows of Sensitivity.
func (f *Form) fit(recs []*records.Record, metric, x string, window [2]float64, fit func(w [2]float64) (Rate, error)) (Rate, error) {
	if len(recs) == 0 {
		return Rate{}, errors.New("no records")
	}
	span, rounded, err := sharedRange(recs, metric, x)
	if err != nil {
		return Rate{}, err
	}
	lo, hi := f.ends(window, span, falls(recs[0], x))
	rate, err := fit(clip([2]float64{lo, hi}, span))
	if rate.Rounded = rounded; err != nil || !rate.Bounded() {
		return rate, err
	}
	if middle := f.middle(rate.Window); middle > 0 {
		rate.Halves = bothHalves(fit, [2]float64{rate.Window[0], middle}, [2]float64{middle, rate.Window[1]})
	}
	tried := map[[2]float64]bool{rate.Window: true}
	later, earlier := f.shifts([2]float64{lo, hi})
	for _, w := range [][2]float64{{later(lo), hi}, {earlier(lo), hi}, {lo, earlier(hi)}, {lo, later(hi)}, {later(lo), earlier(hi)}} {
		w = clip(w, span)
		if tried[w] || w[0] >= w[1] {
			continue
		}
		tried[w] = true
		if r, err := fit(w); err == nil {
			rate.Sensitivity = append(rate.Sensitivity, r.in(w))
		}
	}
	return rate, nil
}

// bothHalves fits in two windows, and returns nothing if one of them has no rate with an interval.
func bothHalves(fit func(w [2]float64) (Rate, error), windows ...[2]float64) (halves []Sensitivity) {
	for _, w := range windows {
		r, err := fit(w)
		if err != nil || !r.Bounded() {
			return nil
		}
		halves = append(halves, r.in(w))
	}
	return halves
}

func (r Rate) in(window [2]float64) Sensitivity {
	return Sensitivity{Window: window, Slope: r.Mean, Low: r.Low, High: r.High}
}

// ends returns the ends of a window, those that are zero from the range of x, which may fall along the curve.
func (f *Form) ends(window, span [2]float64, falling bool) (lo, hi float64) {
	quarter := (f.at(span[1]) - f.at(span[0])) / 4
	if falling {
		span[1] = f.back(f.at(span[1]) - quarter)
	} else {
		span[0] = f.back(f.at(span[0]) + quarter)
	}
	return cmp.Or(window[0], span[0]), cmp.Or(window[1], span[1])
}

// falls reports whether x falls along a curve, as a mesh width does.
func falls(r *records.Record, x string) bool {
	if len(r.Points) == 0 {
		return false
	}
	first, _ := r.Points[0].Abscissa(x)
	last, _ := r.Points[len(r.Points)-1].Abscissa(x)
	return first > last
}

// PointsIn returns how many of the points of a curve at xs, in order, a line would be fitted through, and in which window.
func (f *Form) PointsIn(window [2]float64, xs []float64) (n int, in [2]float64) {
	in[0], in[1] = f.ends(window, [2]float64{xs[0], xs[len(xs)-1]}, false)
	for _, x := range xs {
		if inside(x, in) {
			n++
		}
	}
	return n, in
}

func inside(x float64, w [2]float64) bool {
	return x >= w[0]*(1-records.Slack) && x <= w[1]*(1+records.Slack)
}

func clip(w, span [2]float64) [2]float64 {
	return [2]float64{max(w[0], span[0]), min(w[1], span[1])}
}

// sharedRange returns the range of positive x that all records cover, and the first x at which one is left out for rounding.
func sharedRange(recs []*records.Record, metric, x string) (span [2]float64, rounded float64, err error) {
	span, rounded = [2]float64{0, math.Inf(1)}, math.Inf(1)
	for _, r := range recs {
		first, last := math.Inf(1), 0.0
		points := r.Points
		if k := Rounded(r, metric); k < len(points) {
			at, _ := points[k].Abscissa(x)
			rounded, points = min(rounded, at), points[:k]
		}
		for _, p := range points {
			at, _ := p.Abscissa(x)
			if _, ok := p.Measure(metric); ok && at > 0 {
				first, last = min(first, at), max(last, at)
			}
		}
		span[0], span[1] = max(span[0], first), min(span[1], last)
	}
	if math.IsInf(rounded, 1) {
		rounded = 0
	}
	if span[0] >= span[1] {
		return span, rounded, fmt.Errorf("the curves of %s share no range of %s", metric, x)
	}
	return span, rounded, nil
}

// Rounded returns the index of the point from which on rounding errors may decide the values of a metric: where it first is below
// records.Floor of its largest value so far. It is the number of points if there is none. A zero that a curve jumps to from above is
// none of rounding: a share of rows that are all right, or 1 - x/1000.
func Rounded(r *records.Record, metric string) int {
	values := make([]float64, len(r.Points))
	for i, p := range r.Points {
		v, ok := p.Measure(metric)
		if values[i] = math.Abs(v); !ok || math.IsInf(v, 0) {
			values[i] = math.NaN()
		}
	}
	return rounded(values, r.Floor())
}

// rounded is Rounded of magnitudes, NaN where there is none.
func rounded(values []float64, floor float64) int {
	largest := 0.0
	for i, v := range values {
		if v > 0 && v <= floor*largest {
			return i
		}
		if v > largest {
			largest = v
		}
	}
	return len(values)
}

func (f *Form) fitWindow(recs []*records.Record, metric, x string, w [2]float64) (Rate, error) {
	rate := Rate{Window: w, Points: math.MaxInt}
	var slopes []float64
	for _, r := range recs {
		xs, ys, err := within(r, metric, x, w)
		if err != nil {
			return rate, fmt.Errorf("seed %d: %w", r.Header.Seed, err)
		}
		slope, lack := f.line(xs, ys)
		slopes = append(slopes, slope)
		rate.Lack += lack / float64(len(recs))
		rate.Seeds = append(rate.Seeds, r.Header.Seed)
		rate.Points = min(rate.Points, len(xs))
	}
	rate.Estimate = MeanInterval(slopes)
	return rate, nil
}

// within returns a record's points in the window, with x strictly increasing.
func within(r *records.Record, metric, x string, w [2]float64) (xs, ys []float64, err error) {
	points := slices.All(r.Points)
	if falls(r, x) {
		points = slices.Backward(r.Points)
	}
	for _, p := range points {
		at, _ := p.Abscissa(x)
		v, ok := p.Measure(metric)
		if !ok || !inside(at, w) {
			continue
		}
		if math.IsInf(v, 0) {
			return nil, nil, fmt.Errorf("%s is %w at %s %s", metric, ErrNotFinite, x, printed.Number(at))
		}
		if v <= 0 {
			return nil, nil, fmt.Errorf("%s is %s at %s %s, which has no logarithm; give a window without it", metric, printed.Number(v), x, printed.Number(at))
		}
		if k := len(xs); k > 0 && at <= xs[k-1] {
			continue
		}
		xs, ys = append(xs, at), append(ys, v)
	}
	if len(xs) < RatePoints {
		return nil, nil, fmt.Errorf("%d points of %s between %s %s and %s, a line needs %d; widen the window or evaluate more often",
			len(xs), metric, x, printed.Number(w[0]), printed.Number(w[1]), RatePoints)
	}
	return xs, ys, nil
}

// LogSlope returns the slope of log y against log x, where all values are positive and x increases. It is a least squares
// fit whose weights are lengths of log x: a point's weight reaches half way to either neighbour, so that dense sampling of
// one part of the curve does not change the result. Points evenly spaced in log x have equal weights, except the two ends,
// which have half.
func LogSlope(x, y []float64) float64 { return PowerLaw.slope(x, y) }

func logsOf(values []float64) []float64 {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	return logs
}
