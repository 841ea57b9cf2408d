package changes

import (
	"math"

	"repro/results/records"
	"repro/results/stats"
)

// Levels finds the change points of the values of versions, in the order of versions, with their index among them: on the
// logarithmic scale where changes of all versions are ratios, and weighted by the intervals over seeds. Versions without a value
// are left out, and a value that moved by less than a hundredth of the claim's margin has not
// changed.
func Levels(all []Version, s stats.Segments) []stats.ChangePoint {
	var values, spread []float64
	var at []int
	log := true
	for _, v := range all {
		log = log && (v.Value == nil || v.log && *v.Value > 0)
	}
	scale := func(v float64) float64 {
		if log {
			return math.Log(v)
		}
		return v
	}
	for i, v := range all {
		if v.Value == nil || math.IsInf(*v.Value, 0) || math.IsNaN(*v.Value) {
			continue
		}
		value, wide := scale(*v.Value), math.NaN()
		if v.Low != nil && v.High != nil {
			wide = scale(*v.High) - scale(*v.Low)
		}
		if n := len(values); n > 0 && v.log == log && math.Abs(value-values[n-1]) < v.margin/unchangedShare {
			value = values[n-1]
		}
		values, spread, at = append(values, value), append(spread, wide), append(at, i)
	}
	points := stats.ChangePoints(values, spread, s)
	for i := range points {
		p := &points[i]
		p.At = at[p.At]
		if log {
			p.Before, p.After = math.Exp(p.Before), math.Exp(p.After)
		}
	}
	return points
}

// VersionOfTime returns the state of a training time.
func VersionOfTime(e stats.Estimate) Version {
	return Version{Value: records.Value(e.Mean), Low: records.Value(e.Low), High: records.Value(e.High), Seeds: e.N, log: true}
}
