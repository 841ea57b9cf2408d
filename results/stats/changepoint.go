package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A ChangePoint is a place of a series from which on its level is another.
type ChangePoint struct {
	At            int     // index of the first value of the new level
	Before, After float64 // means from the change point before, and up to the next one
	P             float64 // of Student's t-test between the two levels
}

// Segments bounds what ChangePoints finds.
type Segments struct {
	Shortest int     // values between two change points; at least 2, which a variance needs
	P        float64 // largest p of a change point
}

// DefaultSegments are the bounds of Apache Otava, whose p is 0.001, with the least length that a t-test can use.
var DefaultSegments = Segments{Shortest: 2, P: 0.001}

// ChangePoints finds the places where the level of a series changes, in rising order: E-Divisive [Matteson & James 2014], with a
// t-test in place of its permutation test, so that the same series has the same change points [Apache Otava]. A segment
// a_1 … a_N is split at the τ with the largest
//
//	Q(τ) = τ(N−τ)/N · (2·D(X, Y) − D(X, X) − D(Y, Y)),   X = a_1 … a_τ,  Y = a_τ+1 … a_N,
//
// D the mean distance of two different values, if Student's t-test between X and Y has p ≤ Segments.P; the two parts are split in
// turn. Then the change point with the largest p between its two neighbouring segments is dropped until all have p ≤ Segments.P.
//
// Departure: the second part always ends where the segment ends, as in Otava; E-Divisive tries every end. The p is that of a split
// chosen after the values were seen, so it is too small: of series of 20 normal values without a change about 1 % have a change
// point at P = 0.001.
func ChangePoints(values []float64, s Segments) []ChangePoint {
	s.Shortest = max(2, s.Shortest)
	ends := slices.Sorted(slices.Values(s.splits(values, 0)))
	for {
		points := pointsAt(values, ends)
		worst := -1
		for i, p := range points {
			if p.P > s.P && (worst < 0 || p.P > points[worst].P) {
				worst = i
			}
		}
		if worst < 0 {
			return points
		}
		ends = slices.Delete(ends, worst, worst+1)
	}
}

// splits returns the places where a segment that begins at an index of the series is split.
func (s Segments) splits(segment []float64, first int) []int {
	best, at := math.Inf(-1), -1
	for tau := s.Shortest; tau <= len(segment)-s.Shortest; tau++ {
		if q := divergence(segment[:tau], segment[tau:]); q > best {
			best, at = q, tau
		}
	}
	if at < 0 || student(segment[:at], segment[at:]) > s.P {
		return nil
	}
	return append(append(s.splits(segment[:at], first), first+at), s.splits(segment[at:], first+at)...)
}

// pointsAt measures the change points at indices of a series.
func pointsAt(values []float64, at []int) []ChangePoint {
	points := make([]ChangePoint, len(at))
	for i, k := range at {
		low, high := 0, len(values)
		if i > 0 {
			low = at[i-1]
		}
		if i+1 < len(at) {
			high = at[i+1]
		}
		before, after := values[low:k], values[k:high]
		points[i] = ChangePoint{At: k, Before: stat.Mean(before, nil), After: stat.Mean(after, nil), P: student(before, after)}
	}
	return points
}

// divergence returns Q of two parts of at least two values each.
func divergence(x, y []float64) float64 {
	between := 0.0
	for _, a := range x {
		for _, b := range y {
			between += math.Abs(a - b)
		}
	}
	m, n := float64(len(x)), float64(len(y))
	return m * n / (m + n) * (2*between/(m*n) - meanDistance(x) - meanDistance(y))
}

// meanDistance returns the mean distance of two different values.
func meanDistance(x []float64) float64 {
	sum := 0.0
	for i, a := range x {
		for _, b := range x[:i] {
			sum += math.Abs(a - b)
		}
	}
	n := float64(len(x))
	return sum / (n * (n - 1) / 2)
}

// student returns the p of Student's t-test, with two sides, that two samples of at least two values have one mean. Of two samples
// without any spread it is 1 if they are equal and 0 if not.
func student(x, y []float64) float64 {
	m, n := float64(len(x)), float64(len(y))
	a, u := stat.MeanVariance(x, nil)
	b, v := stat.MeanVariance(y, nil)
	pooled := ((m-1)*u + (n-1)*v) / (m + n - 2)
	if pooled == 0 {
		if a == b {
			return 1
		}
		return 0
	}
	t := distuv.StudentsT{Sigma: 1, Nu: m + n - 2}
	return 2 * t.CDF(-math.Abs(a-b)/math.Sqrt(pooled*(1/m+1/n)))
}
