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
	e := compute.NewEngine(compute.Options{Threads: 1})
	defer e.Retire()
	pairs := e.Unset(1, x.Rows*(x.Rows-1)/2) // of 64 MB by default, which the next sample uses again
	defer e.Reuse(pairs)
	squares := compute.SquaredDistances(pairs.Data[:0], x)
	k := len(squares) / 2
	low, high := middle(squares, k)
	if len(squares)%2 == 1 {
		return math.Sqrt(high)
	}
	return (math.Sqrt(low) + math.Sqrt(high)) / 2
}

// probes is the number of entries by which middle narrows down where the others lie.
const probes = 4096

// middle returns the entries k-1 and k of v in ascending order, the first only if there is one. It changes the order of v.
// Of many entries it looks only at those between two probes which have about the rank k: k lies 5 standard deviations inside.
func middle(v []float64, k int) (low, high float64) {
	if len(v) < 16*probes {
		high = selectKth(v, k)
		return slices.Max(v[:max(k, 1)]), high
	}
	var probe [probes]float64
	for i := range probe {
		probe[i] = v[i*(len(v)/probes)]
	}
	slices.Sort(probe[:])
	at := int(float64(k) / float64(len(v)) * probes)
	lo, hi := probe[max(at-160, 0)], probe[min(at+160, probes-1)]
	below, n := 0, 0
	for i, x := range v { // those between move to the front
		if x < lo {
			below++
		} else if x <= hi {
			v[i], v[n] = v[n], x
			n++
		}
	}
	if k-1 < below || k >= below+n {
		high = selectKth(v, k)
		return slices.Max(v[:k]), high
	}
	high = selectKth(v[:n], k-below)
	return slices.Max(v[:k-below]), high
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

// selectKth returns the k-th smallest entry of v, from 0, and puts no larger ones before it
// [Hoare 1961]. Its pivots are medians of three.
func selectKth(v []float64, k int) float64 {
	lo, hi := 0, len(v)-1
	for hi-lo > 16 {
		a, b, c := v[lo], v[lo+(hi-lo)/2], v[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch { // v[lo..j] ≤ pivot ≤ v[i..hi], and what lies between equals it
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	slices.Sort(v[lo : hi+1])
	return v[k]
}
