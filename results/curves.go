package results

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// Abscissa returns a point's place on one of Abscissae; ok is false for any other name. "seconds"
// counts setup and training, "step-seconds" training alone, "evals" kernel and feature evaluations
// together; memory is in bytes.
func Abscissa(p Point, x string) (v float64, ok bool) {
	switch x {
	case "step":
		return float64(p.Step), true
	case "seen":
		return float64(p.Seen), true
	case "epoch":
		return p.Epoch, true
	case "seconds":
		return p.Timing.Setup + p.Timing.Train, true
	case "step-seconds":
		return p.Timing.Train, true
	case "kernel-evals":
		return float64(p.Counters.KernelEvals), true
	case "feature-evals":
		return float64(p.Counters.FeatureEvals), true
	case "evals":
		return float64(p.Counters.KernelEvals + p.Counters.FeatureEvals), true
	case "flops":
		return float64(p.Counters.Flops), true
	case "memory":
		return float64(p.Counters.Memory), true
	}
	return 0, false
}

// timed reports whether an abscissa is measured by the clock.
func timed(x string) bool { return x == "seconds" || x == "step-seconds" }

// measure returns the value of a metric at p: +Inf where it left the finite numbers, ok false where
// it was not measured. The name of an abscissa is a metric too, so that claims may speak of cost.
func (p Point) measure(metric string) (v float64, ok bool) {
	if v, ok := p.Values[metric]; ok {
		if v == nil || Value(*v) == nil {
			return math.Inf(1), true
		}
		return *v, true
	}
	return Abscissa(p, metric)
}

// slack forgives the rounding of an x such as an epoch against the number in a spec.
const slack = 1e-9

// pointAt returns the last point that carries the metric and does not lie beyond at, or nil.
func (r *Record) pointAt(metric string, at At) *Point {
	for i := len(r.Points) - 1; i >= 0; i-- {
		p := &r.Points[i]
		if _, ok := p.measure(metric); !ok {
			continue
		}
		if at.Value == 0 {
			return p
		}
		if x, ok := Abscissa(*p, at.X); ok && x <= at.Value*(1+slack) {
			return p
		}
	}
	return nil
}

// measureAt returns the value of a metric at the last point not beyond at: +Inf if the run had left
// the finite numbers by then, ok false if nothing was measured. Costs stay what they are.
func (r *Record) measureAt(metric string, at At) (v float64, ok bool) {
	p := r.pointAt(metric, at)
	if p == nil {
		return 0, false
	}
	v, _ = p.measure(metric)
	if _, isValue := p.Values[metric]; isValue && r.Status() == Diverged {
		x, _ := Abscissa(r.Points[len(r.Points)-1], at.X)
		if at.Value == 0 || x < at.Value*(1-slack) {
			return math.Inf(1), true
		}
	}
	return v, true
}

// reaches says whether the record's points go as far as at. Those against the clock count: what a method
// has reached when it ends, it has from then on.
func (r *Record) reaches(at At) bool {
	if at.Value == 0 || timed(at.X) || len(r.Points) == 0 {
		return true
	}
	x, ok := Abscissa(r.Points[len(r.Points)-1], at.X)
	return !ok || x >= at.Value*(1-slack)
}

// At returns the value of a metric, or of an abscissa, at the last point not beyond at; the zero At
// is the end. ok is false where nothing was measured, or the run had left the finite numbers.
func (r *Record) At(metric string, at At) (v float64, ok bool) {
	v, ok = r.measureAt(metric, at)
	return v, ok && !math.IsInf(v, 0)
}

// A Break is where a seed left the finite numbers.
type Break struct {
	Seed uint64
	Step int
	X    float64
}

// A Curve is a metric against an abscissa over the seeds of one method.
//
// Seeds are aligned by step. X is the median over seeds of the abscissa at a step, which is the
// abscissa itself unless that is measured by the clock. A seed that was not evaluated at a step
// where another was, as happens with budgets in seconds, is interpolated there, linearly in the
// logarithm of the step, but never beyond its own first and last evaluation.
//
// A seed that diverged counts as +Inf from there on: leaving it out would flatter the method. So
// Median and High, and Low at worst, are +Inf where enough seeds diverged; a chart breaks there.
type Curve struct {
	Method, Label, Metric string
	Abscissa              string
	X, Median, Low, High  []float64
	N                     []int  // seeds with a finite value
	Band                  string // what Low and High are
	Statistic             string // what Median is instead, without a band; empty for the median
	Seeds                 int
	Partial               int     // seeds whose run was interrupted
	Diverged              []Break // by step
	Warnings              []error
}

// CurveOf returns the curve of the records of one method.
func CurveOf(recs []*Record, metric, x string) Curve { return StatisticCurve(recs, metric, x, "") }

// StatisticCurve returns the curve of the records of one method with one of Statistics as its Median
// and no band; CurveOf's if the statistic is empty.
func StatisticCurve(recs []*Record, metric, x, statistic string) Curve {
	c := Curve{Metric: metric, Abscissa: x, Statistic: statistic, Warnings: mixtures(recs)}
	if len(recs) > 0 {
		c.Method, c.Label = recs[0].Header.Method, recs[0].Header.Label
	}
	var traces []trace
	for _, r := range recs {
		t := newTrace(r, metric, x)
		switch r.Status() {
		case Partial:
			c.Partial++
		case Failed, Skipped, Timeout:
			c.Warnings = append(c.Warnings, fmt.Errorf("seed %d %s", r.Header.Seed, ending(r)))
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
		c.Warnings = append(c.Warnings, fmt.Errorf("%d of %s diverged", k, seeds(c.Seeds)))
	}
	if c.Partial > 0 {
		c.Warnings = append(c.Warnings, fmt.Errorf("%d of %s partial", c.Partial, seeds(len(recs))))
	}
	for _, s := range grid(traces) {
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

func newTrace(r *Record, metric, x string) trace {
	var t trace
	for _, p := range r.Points {
		v, ok := p.measure(metric)
		at, known := Abscissa(p, x)
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
	if k := len(t.steps); r.Status() == Diverged && k > 0 {
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

// ending says how a record ended, with its reason.
func ending(r *Record) string {
	s := string(r.Status())
	if r.End != nil && r.End.Reason != "" {
		s += ": " + r.End.Reason
	}
	return s
}

func seeds(n int) string {
	if n == 1 {
		return "1 seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

// mixtures warns where records that are to be summarised together, those of one method, did not run
// the same thing apart from their seed.
func mixtures(recs []*Record) []error {
	varied := append(variedSettings(recs), variedRuns(recs)...)
	if len(varied) == 0 {
		return nil
	}
	return []error{errors.New("mixes runs that vary in " + strings.Join(varied, ", "))}
}

// variedRuns names what else than settings differs between records.
func variedRuns(recs []*Record) []string {
	var varied []string
	for _, f := range []struct {
		name string
		of   func(Header) string
	}{
		{"profile", func(h Header) string { return h.Profile }},
		{"commit", func(h Header) string { return fmt.Sprint(h.Provenance.Commit, h.Provenance.Dirty) }},
		{"precision", func(h Header) string { return h.Provenance.Precision }},
	} {
		if slices.ContainsFunc(recs, func(r *Record) bool { return f.of(r.Header) != f.of(recs[0].Header) }) {
			varied = append(varied, f.name)
		}
	}
	return varied
}

// variedSettings names the settings, by dotted key and apart from the seed, in which records of
// one method differ.
func variedSettings(recs []*Record) []string {
	var varied []string
	for i := 1; i < len(recs); i++ {
		a, b := recs[0].Header, recs[i].Header
		if a.Method != b.Method {
			varied = append(varied, "method")
		}
		if a.Digest != b.Digest {
			varied = append(varied, differences(a, b)...)
		}
	}
	slices.Sort(varied)
	return slices.Compact(varied)
}

// perSeed are settings in which the runs of one method differ by design: the seed, and the cell of
// the same seed whose time is taken.
var perSeed = map[string]bool{"seed": true, "time_of": true}

// differences names the settings in which two records of different digests differ, those that go
// with the seed apart.
func differences(a, b Header) []string {
	if len(a.Settings) == 0 && len(b.Settings) == 0 {
		return []string{"digest"}
	}
	x, y := map[string]string{}, map[string]string{}
	flatten(x, "", a.Settings)
	flatten(y, "", b.Settings)
	var keys []string
	for k, v := range x {
		if w, ok := y[k]; (!ok || w != v) && !perSeed[k] {
			keys = append(keys, k)
		}
	}
	for k := range y {
		if _, ok := x[k]; !ok && !perSeed[k] {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// flatten writes the leaves of settings into m by dotted key, as JSON.
func flatten(m map[string]string, prefix string, v any) {
	if t, ok := v.(map[string]any); ok {
		for k, v := range t {
			flatten(m, strings.TrimPrefix(prefix+"."+k, "."), v)
		}
		return
	}
	b, err := marshal(v)
	if err != nil {
		b = fmt.Append(nil, v)
	}
	m[prefix] = strings.TrimSpace(string(b))
}
