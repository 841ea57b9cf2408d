package stats

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/records"
)

// A Crossing says where a curve first reaches a target.
type Crossing struct {
	Seed    uint64
	X       float64 // the last x of the curve if it never does
	Reached bool
	First   bool // it had reached the target at its first evaluation
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

// Reach returns where a record's curve first comes down to the target or, if larger values are better, up to it. Between
// two evaluations it interpolates linearly against log x, in the logarithm of the metric if that is positive.
func Reach(r *records.Record, metric, x string, target float64, larger bool) (Crossing, error) {
	var last Crossing
	var before float64 // value at last.X
	n := 0
	for _, p := range r.Points {
		v, ok := p.Measure(metric)
		at, known := p.Abscissa(x)
		if !ok || !known {
			continue
		}
		if math.IsInf(v, 0) {
			return Crossing{}, fmt.Errorf("%s of %s seed %d is %w at %s %s", metric, r.Header.Method, r.Header.Seed, ErrNotFinite, x, printed.Number(at))
		}
		if v <= target && !larger || v >= target && larger {
			if at <= 0 {
				return Crossing{}, fmt.Errorf("%s seed %d has %s %s already at %s 0", r.Header.Method, r.Header.Seed, metric, printed.Number(v), x)
			}
			return Crossing{Seed: r.Header.Seed, X: between(last.X, at, before, v, target, n == 0), Reached: true, First: n == 0}, nil
		}
		last, before, n = Crossing{Seed: r.Header.Seed, X: at}, v, n+1
	}
	if n == 0 || last.X <= 0 {
		return Crossing{}, fmt.Errorf("%s of %s seed %d has no curve against %s", metric, r.Header.Method, r.Header.Seed, x)
	}
	return last, nil
}

// between interpolates where a line from (x0, v0) to (x1, v1), the target between v0 and v1, meets the target.
// It returns x1 at a first evaluation and if x0 = 0, which has no logarithm.
func between(x0, x1, v0, v1, target float64, first bool) float64 {
	if first || x0 <= 0 || x0 >= x1 {
		return x1
	}
	if v0 > 0 && v1 > 0 {
		v0, v1, target = math.Log(v0), math.Log(v1), math.Log(target)
	}
	return x0 * math.Pow(x1/x0, (v0-target)/(v0-v1))
}
