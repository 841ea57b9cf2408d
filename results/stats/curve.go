package stats

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"repro/results/printed"
	"repro/results/records"
)

// A Break is where a seed diverged.
type Break struct {
	Seed uint64
	Step int
	X    float64
}

// A Curve is a metric against an abscissa over the seeds of one method.
//
// Seeds are aligned by step. X is the median over seeds of the abscissa at a step; it differs between seeds only if the
// clock measures it. With a budget in seconds, seeds are evaluated at different steps. A seed is then interpolated at the
// steps of others, linearly in log(1+step), but not beyond its own first and last evaluation.
//
// A seed that diverged counts as +Inf from there on, because leaving it out would make the method look better than it is.
// Median, High and Low are +Inf if enough seeds diverged; a chart breaks there.
type Curve struct {
	Method, Label, Metric string
	Abscissa              string
	X, Median, Low, High  []float64
	N                     []int  // seeds with a finite value
	Band                  string // in words, what Low and High are
	Statistic             string // the statistic that Median holds instead, without a band; empty for the median
	Seeds                 int
	Left                  int     // steps of DrawnCurve without a point
	Partial               int     // seeds whose run was interrupted
	Diverged              []Break // by step
	Warnings              []error
}

// dense is the number of points of a curve from which some are not drawn, and twice the least number of those that are.
const dense = 2000

// DrawnCurve is CurveOf at those steps of a dense curve that figures show: at equal distances in their order, and in the logarithm of
// it. Left counts the others.
func DrawnCurve(recs []*records.Record, metric, x, statistic string) Curve {
	return curveAt(recs, metric, x, statistic, thin)
}

// thin chooses the steps that are drawn.
func thin(steps []int) (kept []int) {
	n := len(steps)
	if n <= dense {
		return steps
	}
	for i := range dense / 2 {
		u := float64(i) / (dense/2 - 1)
		kept = append(kept, steps[int(math.Round(u*float64(n-1)))], steps[int(math.Round(math.Pow(float64(n), u)))-1])
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

// Evenly returns at most the given number, two or more, of indices below n: evenly spaced, with the first and the last.
func Evenly(n, most int) (indices []int) {
	for k := range min(n, most) {
		if n > most {
			k = k * (n - 1) / (most - 1)
		}
		indices = append(indices, k)
	}
	return indices
}

// CurveOf returns the curve of the records of one method. If statistic, one of Statistics, is not empty, it takes the place
// of the median and has no band.
func CurveOf(recs []*records.Record, metric, x, statistic string) Curve {
	return curveAt(recs, metric, x, statistic, func(steps []int) []int { return steps })
}

func curveAt(recs []*records.Record, metric, x, statistic string, choose func(steps []int) []int) Curve {
	c := Curve{Metric: metric, Abscissa: x, Statistic: statistic, Warnings: records.Mixtures(recs)}
	if len(recs) > 0 {
		c.Method, c.Label = recs[0].Header.Method, recs[0].Header.Label
	}
	var traces []trace
	for _, r := range recs {
		t := newTrace(r, metric, x)
		switch r.Status() {
		case records.Partial:
			c.Partial++
		case records.Failed, records.Skipped, records.Timeout, records.Memory:
			c.Warnings = append(c.Warnings, fmt.Errorf("seed %d %s", r.Header.Seed, r.Ending()))
		}
		if len(t.steps) == 0 && t.end == nil {
			continue
		}
		if t.end != nil {
			c.Diverged = append(c.Diverged, *t.end)
		}
		traces = append(traces, t)
	}
	c.Seeds, c.Band = len(traces), BandName(len(traces))
	sort.SliceStable(c.Diverged, func(i, j int) bool { return c.Diverged[i].Step < c.Diverged[j].Step })
	if k := len(c.Diverged); k > 0 {
		c.Warnings = append(c.Warnings, fmt.Errorf("%d of %s diverged", k, printed.Count(c.Seeds, "seed")))
	}
	if c.Partial > 0 {
		c.Warnings = append(c.Warnings, fmt.Errorf("%d of %s partial", c.Partial, printed.Count(len(recs), "seed")))
	}
	steps := grid(traces)
	drawn := choose(steps)
	c.Left = len(steps) - len(drawn)
	for _, s := range drawn {
		c.add(traces, s)
	}
	return c
}

// add appends the curve's point at step s.
func (c *Curve) add(traces []trace, s int) {
	var xs, vs []float64
	for _, t := range traces {
		if x, v, ok := t.at(s); ok {
			xs, vs = append(xs, x), append(vs, v)
		}
	}
	n := len(vs)
	for _, t := range traces {
		if t.end != nil && s >= t.lost {
			vs = append(vs, math.Inf(1))
		}
	}
	c.X, c.N = append(c.X, Median(xs)), append(c.N, n)
	if c.Statistic != "" {
		c.Median = append(c.Median, statisticOf(c.Statistic, vs))
		return
	}
	low, high := band(vs, c.Seeds)
	c.Median = append(c.Median, Median(vs))
	c.Low, c.High = append(c.Low, low), append(c.High, high)
}

// A trace is the finite part of one seed's curve.
type trace struct {
	steps []int
	x, v  []float64
	lost  int // first step that counts as diverged
	end   *Break
}

func newTrace(r *records.Record, metric, x string) trace {
	var t trace
	for _, p := range r.Points {
		v, ok := p.Measure(metric)
		at, known := p.Abscissa(x)
		if !ok || !known {
			continue
		}
		if math.IsInf(v, 0) {
			t.lost, t.end = p.Step, &Break{Seed: r.Header.Seed, Step: p.Step, X: at}
			return t
		}
		if k := len(t.steps); k > 0 && t.steps[k-1] == p.Step {
			t.x[k-1], t.v[k-1] = at, v
			continue
		}
		t.steps, t.x, t.v = append(t.steps, p.Step), append(t.x, at), append(t.v, v)
	}
	if k := len(t.steps); r.Status() == records.Diverged && k > 0 {
		t.lost, t.end = t.steps[k-1]+1, &Break{Seed: r.Header.Seed, Step: t.steps[k-1], X: t.x[k-1]}
	}
	return t
}

// grid returns all steps at which a trace has a finite value, in order.
func grid(traces []trace) []int {
	var steps []int
	for _, t := range traces {
		steps = append(steps, t.steps...)
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// at returns abscissa and value at step s, interpolated in log(1+step) between evaluations.
func (t trace) at(s int) (x, v float64, ok bool) {
	i, found := slices.BinarySearch(t.steps, s)
	if found {
		return t.x[i], t.v[i], true
	}
	if i == 0 || i == len(t.steps) {
		return 0, 0, false
	}
	lo, hi := math.Log1p(float64(t.steps[i-1])), math.Log1p(float64(t.steps[i]))
	f := (math.Log1p(float64(s)) - lo) / (hi - lo)
	return t.x[i-1] + f*(t.x[i]-t.x[i-1]), t.v[i-1] + f*(t.v[i]-t.v[i-1]), true
}

// A Crossing says where a curve reaches a target to stay.
type Crossing struct {
	Seed    uint64
	X       float64 // if it does not: where it first was there or, if it never was, the last x of the curve
	Reached bool
	First   bool    // it had reached the target at its first evaluation, somewhere before it
	Touched float64 // where noise, or a curve that comes back, first was there before X or in its place; 0 if it was not
}

// Range returns what is known of the place: between two evaluations it is taken as known.
func (c Crossing) Range() [2]float64 {
	switch {
	case !c.Reached:
		return [2]float64{c.X, math.Inf(1)}
	case c.First:
		return [2]float64{0, c.X}
	}
	return [2]float64{c.X, c.X}
}

// Reach returns where a record's curve comes down to the target or, if larger values are better, up to it, to stay: the place that
// the fewest evaluations contradict, which are those before it that meet the target and those after it that miss it; the latest of
// several. On a monotone curve it is where the curve meets the target, and on one that noise takes across it, where the curve without
// noise does, rather than where the noise first does. A curve that meets the target and is mostly beyond it from there on does not
// reach it: all that is known is that it does not before it first met it. Between two evaluations the place is interpolated linearly
// against log x, in the logarithm of the metric if that is positive.
func Reach(r *records.Record, metric, x string, target float64, larger bool) (Crossing, error) {
	var xs, vs []float64
	var hits []bool
	for _, p := range r.Points {
		v, ok := p.Measure(metric)
		at, known := p.Abscissa(x)
		if !ok || !known {
			continue
		}
		infinite := math.IsInf(v, 0)
		if infinite && !slices.Contains(hits, true) {
			return Crossing{}, fmt.Errorf("%s of %s seed %d is %w at %s %s", metric, r.Header.Method, r.Header.Seed, ErrNotFinite, x, printed.Number(at))
		}
		xs, vs, hits = append(xs, at), append(vs, v), append(hits, !infinite && (v <= target && !larger || v >= target && larger))
	}
	n, first, place := len(hits), slices.Index(hits, true), lasting(hits)
	if n == 0 || first < 0 && xs[n-1] <= 0 {
		return Crossing{}, fmt.Errorf("%s of %s seed %d has no curve against %s", metric, r.Header.Method, r.Header.Seed, x)
	}
	meets := func(i int) float64 {
		if i == 0 {
			return xs[0]
		}
		return between(xs[i-1], xs[i], vs[i-1], vs[i], target)
	}
	c := Crossing{Seed: r.Header.Seed, X: xs[n-1]}
	if first < 0 {
		return c, nil
	}
	earliest := meets(first)
	if earliest <= 0 {
		return Crossing{}, fmt.Errorf("%s seed %d has %s %s already at %s 0", r.Header.Method, r.Header.Seed, metric, printed.Number(vs[first]), x)
	}
	if c.X = earliest; place < n {
		c.X, c.Reached, c.First = meets(place), true, place == 0 && !direct(r)
	}
	if !c.Reached || place > first {
		c.Touched = earliest
	}
	return c, nil
}

// lasting returns the index from which on evaluations meet a target: the one with the fewest that meet it before and that miss it
// after, the last of several; the number of evaluations if that is after all of them.
func lasting(hits []bool) (place int) {
	missed, best := 0, 0 // of the evaluations so far, those that miss the target over those that meet it
	for i, hit := range hits {
		if hit {
			missed--
		} else {
			missed++
		}
		if missed >= best {
			best, place = missed, i+1
		}
	}
	return place
}

// direct says whether the method was done after its first step: what it reaches, it reaches there.
func direct(r *records.Record) bool {
	return r.Status() == records.Done && len(r.Points) == 1 && r.Points[0].Step == 1
}

// between interpolates where a line from (x0, v0) to (x1, v1), the target between v0 and v1, meets the target.
// It returns x1 if x0 = 0, which has no logarithm, and if v0 is not finite.
func between(x0, x1, v0, v1, target float64) float64 {
	if x0 <= 0 || x0 >= x1 || math.IsInf(v0, 0) {
		return x1
	}
	if v0 > 0 && v1 > 0 {
		v0, v1, target = math.Log(v0), math.Log(v1), math.Log(target)
	}
	return x0 * math.Pow(x1/x0, (v0-target)/(v0-v1))
}
