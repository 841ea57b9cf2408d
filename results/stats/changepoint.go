package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A ChangePoint is a place of a series from which on its level is another.
type ChangePoint struct {
	At            int     // index of the first value of the new level
	Before, After float64 // weighted means from the change point before, and up to the next one
	P             float64 // of the test between the two change points around it
}

// Segments bounds what ChangePoints finds.
type Segments struct {
	Shortest int     // values between two change points
	P        float64 // largest p of a change point; at least 2/(Draws+1), or there are none
}

// DefaultSegments finds a change point in 1 % of the series without one. A single odd value is no level.
var DefaultSegments = Segments{Shortest: 2, P: 0.01}

// Draws is the number of series of noise that a series is compared with.
const Draws = 999

// ChangePoints finds the places where the level of a series of finite values changes, in rising order. spread has how far each
// value lies from its expectation, up to a common factor, such as the width of its interval; nil if all lie equally far. A series
// x_1 … x_N is split where
//
//	F = W₁W₂/(W₁+W₂) · (m₂ − m₁)² / Σ wᵢ(xᵢ − m)²,   wᵢ = 1/spreadᵢ²
//
// is largest, with W₁, m₁ the weight and the weighted mean of the values before, and W₂, m₂ those of the rest: where Student's t
// between the two parts is. If that is not significant, F compares every stretch x_i … x_k with the values on both of its sides, as
// circular binary segmentation does [Olshen et al. 2004]: a level that lasts for a while and goes. The parts are split in turn.
//
// p is the share of series without a change whose largest F is as large: the values in another order and, of fewer than
// shuffledFrom, normal noise with the same weights. So p accounts for the choice of the place, and the size of the noise need not be
// known. Each of the two tests has half of Segments.P. The series are always the same, and so is the result.
//
// Of series of 60 values without a change 1 % have a change point at P = 0.01, also if the noise has heavy tails; of 15 values with
// heavy tails 2 % (TestFalseAlarms). A spread is taken to lie between a quarter and four times the median: a few seeds that happen to
// agree do not decide alone.
func ChangePoints(values, spread []float64, s Segments) []ChangePoint {
	s.Shortest = max(1, s.Shortest)
	weights := weightsOf(spread, len(values))
	points := s.split(shrunk(values), weights, 0)
	for i := range points {
		low, high := 0, len(values)
		if i > 0 {
			low = points[i-1].At
		}
		if i+1 < len(points) {
			high = points[i+1].At
		}
		k := points[i].At
		points[i].Before = weightedMean(values[low:k], weights[low:k])
		points[i].After = weightedMean(values[k:high], weights[k:high])
	}
	return points
}

// split returns the change points of a segment that begins at an index of the series.
func (s Segments) split(segment, weights []float64, first int) []ChangePoint {
	for _, stretches := range []bool{false, true} {
		f, ends := s.largest(segment, weights, stretches)
		p := 2 * s.p(f, segment, weights, stretches)
		if f == 0 || p > s.P {
			continue
		}
		var points []ChangePoint
		from := 0
		for _, end := range append(ends, len(segment)) {
			points = append(points, s.split(segment[from:end], weights[from:end], first+from)...)
			if end < len(segment) {
				points = append(points, ChangePoint{At: first + end, P: p})
			}
			from = end
		}
		return points
	}
	return nil
}

// largest returns the largest F of a segment and where it is split: at one place or, for stretches, at both ends of one. F is 0 where
// all values are equal, or too few.
func (s Segments) largest(x, weights []float64, stretches bool) (f float64, ends []int) {
	n, m, all := len(x), weightedMean(x, weights), 0.0
	sum, weight := make([]float64, n+1), make([]float64, n+1) // of w·(x − m) and of w, before each place
	for i, v := range x {
		sum[i+1], weight[i+1] = sum[i]+weights[i]*(v-m), weight[i]+weights[i]
		all += weights[i] * (v - m) * (v - m)
	}
	if all == 0 {
		return 0, nil
	}
	whole, from, to := weight[n], 0, 0
	for i := s.Shortest; i <= n-s.Shortest; i++ {
		first, last := n, n
		if stretches {
			first, last = i+s.Shortest, n-s.Shortest
		}
		for k := first; k <= last; k++ {
			// with W₁, m₁ those of the stretch: its sum is W₁·(m₁ − m), and (m₁ − m₂)·W₂ = (m₁ − m)·(W₁ + W₂)
			d, w := sum[k]-sum[i], weight[k]-weight[i]
			if g := d * d * whole / (w * (whole - w)) / all; g > f {
				f, from, to = g, i, k
			}
		}
	}
	if stretches {
		return f, []int{from, to}
	}
	return f, []int{from}
}

// shuffledFrom is the least number of values that are compared with their own shuffled series. Fewer have too few orders.
const shuffledFrom = 20

// p returns the share of series of noise whose largest F is at least f, or a share above half of s.P once it is known to be.
func (s Segments) p(f float64, x, weights []float64, stretches bool) float64 {
	r := rand.New(rand.NewPCG(uint64(len(x)), 0))
	m, noise, drawn := weightedMean(x, weights), make([]float64, len(x)), make([]float64, len(x))
	for i, w := range weights {
		noise[i] = (x[i] - m) * math.Sqrt(w)
	}
	above, p := 0, 0.0
	for i := 0; i < Draws && 2*p <= s.P; i++ {
		if len(x) >= shuffledFrom {
			r.Shuffle(len(noise), func(i, k int) { noise[i], noise[k] = noise[k], noise[i] })
		} else {
			for i := range noise {
				noise[i] = r.NormFloat64()
			}
		}
		for i, w := range weights {
			drawn[i] = noise[i] / math.Sqrt(w)
		}
		if g, _ := s.largest(drawn, weights, stretches); g >= f*(1-1e-12) { // the same order, after rounding
			above++
		}
		p = float64(1+above) / (Draws + 1)
	}
	return p
}

// weightsOf returns 1/spread², with the median in place of a spread that is not positive and finite.
func weightsOf(spread []float64, n int) []float64 {
	var known []float64
	for _, s := range spread {
		if s > 0 && !math.IsInf(s, 0) {
			known = append(known, s)
		}
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
		if len(known) > 0 && spread[i] > 0 {
			q := min(4, max(0.25, spread[i]/Median(known)))
			weights[i] = 1 / (q * q)
		}
	}
	return weights
}

// shrunk returns values divided by the largest, so that no square overflows.
func shrunk(values []float64) []float64 {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	out := slices.Clone(values)
	for i := range out {
		if largest > 0 {
			out[i] /= largest
		}
	}
	return out
}

func weightedMean(values, weights []float64) float64 {
	mean, whole := 0.0, 0.0
	for i, v := range values {
		whole += weights[i]
		mean += 2 * ((v/2 - mean/2) * (weights[i] / whole)) // halves, so that the difference of huge values is finite
	}
	return mean
}
