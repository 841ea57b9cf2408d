package changes

import (
	"math"
	"slices"

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

// A Band is a mean curve with its 95 % interval over seeds.
type Band struct{ X, Y, Low, High []float64 }

// Band returns the means of a series at its steps, where all seeds have a finite value: geometric ones if all values are positive.
// One seed has no interval, and its own value in place of one.
func (s Series) Band() (b Band) {
	all := make([][]float64, len(s.Steps))
	log := true
	for k := range s.Steps {
		for i := range s.Seeds {
			v := s.of(i)[k]
			log = log && !(v <= 0)
			all[k] = append(all[k], v)
		}
	}
	for k, values := range all {
		if slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			continue
		}
		e := stats.MeanInterval(values)
		if log {
			e = stats.GeometricInterval(values)
		}
		low, high := e.Low, e.High
		if !e.Bounded() {
			low, high = e.Mean, e.Mean
		}
		b.X, b.Y = append(b.X, float64(s.Steps[k])), append(b.Y, e.Mean)
		b.Low, b.High = append(b.Low, low), append(b.High, high)
	}
	return b
}
