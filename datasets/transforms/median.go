package transforms

import (
	"math"
	"slices"
	"sync"

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
	x, _ := Gather(s, rows)
	space := pairSpace.Get().(*[]float64)
	defer pairSpace.Put(space)
	if pairs := x.Rows * (x.Rows - 1) / 2; cap(*space) < pairs {
		*space = make([]float64, 0, pairs)
	}
	squares := (*space)[:0]
	for i := range x.Rows {
		for j := range i {
			squares = append(squares, squaredDistance(x.Row(i), x.Row(j)))
		}
	}
	m := len(squares)
	high := math.Sqrt(selectKth(squares, m/2))
	if m%2 == 1 {
		return high
	}
	return (math.Sqrt(slices.Max(squares[:m/2])) + high) / 2
}

// pairSpace holds the squared distances of samples, 64 MB by default, for the samples that follow.
var pairSpace = sync.Pool{New: func() any { return new([]float64) }}

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

// squaredDistance sums in four lanes, in a fixed order and without fused operations.
func squaredDistance(a, b []float64) float64 {
	var s [4]float64
	for len(a) >= 4 && len(b) >= 4 {
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		s[0] += float64(d0 * d0)
		s[1] += float64(d1 * d1)
		s[2] += float64(d2 * d2)
		s[3] += float64(d3 * d3)
		a, b = a[4:], b[4:]
	}
	for j, v := range a {
		d := v - b[j]
		s[0] += float64(d * d)
	}
	return (s[0] + s[1]) + (s[2] + s[3])
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
