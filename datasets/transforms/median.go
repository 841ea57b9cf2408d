package transforms

import (
	"math"
	"slices"

	"repro/algos/compute"
)

// MedianSample is the number of rows in MedianDistance's sample by default.
const MedianSample = 4000

// MedianDistance returns the median Euclidean distance between all pairs of a random sample of the
// inputs of s, drawn without replacement by the stream (seed, "bandwidth"): the median trick. A
// sample of 0 means MedianSample; all rows are taken if there are no more than that. Pairs that
// coincide count. Of fewer than two rows the median is 0.
func MedianDistance(s Samples, sample int, seed uint64) float64 {
	if sample <= 0 {
		sample = MedianSample
	}
	rows := sampleRows(s.Len(), sample, compute.NewStream(seed, "bandwidth", 0))
	if len(rows) < 2 {
		return 0
	}
	x := inputsOf(s, rows)
	pairs := x.Rows * (x.Rows - 1) / 2
	lo, hi := math.Inf(-1), math.Inf(1)
	if pairs >= 16*probes {
		lo, hi = bracket(x, pairs)
	}
	low, high := middle(x, pairs/2, lo, hi)
	if pairs%2 == 1 {
		return math.Sqrt(high)
	}
	return (math.Sqrt(low) + math.Sqrt(high)) / 2
}

// probes is the number of pairs by which bracket narrows down where the others lie.
const probes = 4096

// middle returns the entries k-1 and k of the squared distances of all pairs of rows of x in ascending order, the first only if there is
// one. It keeps only those from lo to hi, unless the two lie outside.
func middle(x compute.Matrix, k int, lo, hi float64) (low, high float64) {
	below, kept := between(x, lo, hi)
	if k-1 < below || k >= below+len(kept) {
		below, kept = between(x, math.Inf(-1), math.Inf(1))
	}
	slices.Sort(kept)
	return kept[max(k-below, 1)-1], kept[k-below]
}

// between returns the squared distances from lo to hi, and the number of those that are less.
func between(x compute.Matrix, lo, hi float64) (below int, kept []float64) {
	room := x.Rows * (x.Rows - 1) / 2
	if lo > math.Inf(-1) {
		room /= 11 // 320 of 4096 pairs lie in a bracket, with a standard deviation of 0.4 %
	}
	kept = make([]float64, 0, room)
	compute.SquaredDistances(x, func(squares []float64) {
		kept = slices.Grow(kept, len(squares))
		next, n := kept[len(kept):cap(kept)], 0
		for _, v := range squares { // without branches, which no processor foresees
			less, most := 0, 0
			if v < lo {
				less = 1
			}
			if v <= hi {
				most = 1
			}
			next[n] = v
			below, n = below+less, n+most-less
		}
		kept = kept[:len(kept)+n]
	})
	return below, kept
}

// bracket returns two probes between which the median of all pairs lies 5 standard deviations inside.
func bracket(x compute.Matrix, pairs int) (lo, hi float64) {
	var probe [probes]float64
	for p := range probe {
		at := p * (pairs / probes)
		i := int((1 + math.Sqrt(float64(1+8*at))) / 2) // pair at is (i, j), j < i, with at = i(i-1)/2 + j
		j := min(max(at-i*(i-1)/2, 0), i-1)
		for l, v := range x.Row(i) {
			probe[p] += (v - x.At(j, l)) * (v - x.At(j, l))
		}
	}
	slices.Sort(probe[:])
	return probe[probes/2-160], probe[probes/2+160]
}

// inputsOf returns the inputs of rows, which nobody may change.
func inputsOf(s Samples, rows []int) compute.Matrix {
	if m, ok := s.(InMemory); ok && len(rows) == m.Len() { // all of them, in order
		return m.X
	}
	x, _ := Gather(s, rows)
	return x
}

// sampleRows returns k different rows of 0 … n-1 in random order, or all n in order if k ≥ n. It is
// a Fisher-Yates shuffle broken off after k steps, of which only the entries it moved are stored.
func sampleRows(n, k int, s *compute.Stream) []int {
	if k >= n {
		return Span(0, n)
	}
	moved := map[int]int{}
	at := func(i int) int {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	rows := make([]int, k)
	for i := range rows {
		j := i + s.IntN(n-i)
		rows[i] = at(j)
		moved[j] = at(i)
	}
	return rows
}
