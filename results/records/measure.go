package records

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"repro/results/printed"
)

// An At is a place on a curve: the last point whose x is not beyond Value, which is below it where x falls. The zero At is the end. With
// Last or Best, what is read there is the mean of the last points, or the best value so far.
type At struct {
	X     string  `toml:"x" json:"x,omitempty" want:"|abscissa" doc:"abscissa, as in a claim's x"`
	Value float64 `toml:"value" json:"value,omitempty" want:">= 0" doc:"its value"`
	Last  int     `toml:"last" json:"last,omitempty" want:">= 0" doc:"read the mean of so many points, of which this is the last, or the end if x and value are left out"`
	Best  string  `toml:"best" json:"best,omitempty" want:"|smallest|largest" not:"last" doc:"read the smallest or the largest value so far, up to here, or to the end if x and value are left out"`
}

// String returns the place in words.
func (a At) String() string {
	place := "the end"
	if a.Value != 0 {
		place = a.X + " " + printed.Number(a.Value)
	}
	switch {
	case a.Best != "":
		return fmt.Sprintf("(%s so far) at %s", a.Best, place)
	case a.Last > 0:
		return fmt.Sprintf("(mean of the last %d) at %s", a.Last, place)
	}
	return "at " + place
}

// Slack is the relative difference up to which an x, such as an epoch, counts as equal to the number in a spec.
const Slack = 1e-9

// Shares of the largest value of a curve so far, in either precision, below which rounding errors may decide its values.
const (
	// That of a double, times the 2¹³ that a solver loses to a condition number of thousands.
	doubleFloor = 0x1p-40
	// Operands rounded to 2⁻²⁴, times the sums of 96 of them before double precision takes over (compute.Float32).
	singleFloor = 0x1p-17
)

// Floor returns the share of the largest value of one of the record's curves so far, below which rounding errors may decide its
// values. A record that does not say its precision has that of a double.
func (r *Record) Floor() float64 { return FloorOf(r.Single()) }

// Single reports whether the run computed in single precision.
func (r *Record) Single() bool { return r.Header.Provenance.Precision == "float32" }

// FloorOf returns what Floor does, of a run in single precision or not.
func FloorOf(single bool) float64 {
	if single {
		return singleFloor
	}
	return doubleFloor
}

// AverageSuffix after a metric's name means the metric of the averaged iterate.
const AverageSuffix = "@average"

// Measure returns the value of a metric at p: +Inf if it was not finite there. ok is false if it was not measured. An
// abscissa's name works as a metric too, so that claims can be about costs.
func (p Point) Measure(metric string) (v float64, ok bool) {
	if v, ok := p.Values[metric]; ok {
		if v == nil || Value(*v) == nil {
			return math.Inf(1), true
		}
		return *v, true
	}
	return p.Abscissa(metric)
}

// Metrics lists the metrics of a point in alphabetical order.
func (p Point) Metrics() []string {
	return slices.Sorted(maps.Keys(p.Values))
}

// upTo returns the points that have a metric and do not lie beyond at, with its values, the last first.
func (r *Record) upTo(metric string, at At) iter.Seq2[*Point, float64] {
	falls := r.falls(at.X)
	return func(yield func(*Point, float64) bool) {
		for i := len(r.Points) - 1; i >= 0; i-- {
			p := &r.Points[i]
			v, ok := p.Measure(metric)
			if ok && at.Value != 0 {
				x, placed := p.Abscissa(at.X)
				ok = placed && !at.before(x, falls)
			}
			if ok && !yield(p, v) {
				return
			}
		}
	}
}

// before reports whether the place is before x, beyond rounding, on an abscissa that rises or falls.
func (at At) before(x float64, falls bool) bool {
	if falls {
		return x < at.Value*(1-Slack)
	}
	return x > at.Value*(1+Slack)
}

// beyond reports whether the place is behind x.
func (at At) beyond(x float64, falls bool) bool {
	if falls {
		return x > at.Value*(1+Slack)
	}
	return x < at.Value*(1-Slack)
}

// MeasureAt returns the value of a metric at the last point not beyond at: +Inf if the run had
// diverged by then. ok is false if nothing was measured, or fewer points than are asked for. Costs of diverged runs stay finite.
func (r *Record) MeasureAt(metric string, at At) (v float64, ok bool) {
	n, isValue := 0, false
	for p, value := range r.upTo(metric, at) {
		switch n++; {
		case n == 1:
			v = value
			_, isValue = p.Values[metric]
		case at.Best == "smallest":
			v = min(v, value)
		case at.Best == "largest":
			v = max(v, value)
		case math.IsInf(v, 1) || math.IsInf(value, 1):
			v = math.Inf(1)
		default:
			v += value/float64(n) - v/float64(n) // a sum could overflow
		}
		if at.Best == "" && n >= at.Last {
			break
		}
	}
	if n == 0 || n < at.Last {
		return 0, false
	}
	if isValue && r.Status() == Diverged {
		x, _ := r.Points[len(r.Points)-1].Abscissa(at.X)
		if at.Value == 0 || at.beyond(x, r.falls(at.X)) {
			return math.Inf(1), true
		}
	}
	return v, true
}

// Reaches reports whether the record's points go as far as at. It is true for places on an abscissa in seconds: a method
// that has ended keeps its last value from then on.
func (r *Record) Reaches(at At) bool {
	if at.Value == 0 || Timed(at.X) || len(r.Points) == 0 {
		return true
	}
	x, ok := r.Points[len(r.Points)-1].Abscissa(at.X)
	return !ok || !at.beyond(x, r.falls(at.X))
}

// At returns the value of a metric, or of an abscissa, at the last point not beyond at; the zero At
// is the end. ok is false if nothing was measured, or if the run had diverged by then.
func (r *Record) At(metric string, at At) (v float64, ok bool) {
	v, ok = r.MeasureAt(metric, at)
	return v, ok && !math.IsInf(v, 0)
}
