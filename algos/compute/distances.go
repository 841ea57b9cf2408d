package compute

import (
	"slices"

	"repro/algos/compute/internal/simd"
)

// SquaredDistances appends to dst the squared Euclidean distances of all pairs of rows of x, those of rows j < i, in the
// order of i and then of j: x.Rows(x.Rows-1)/2 numbers. The bits are the same on every platform and instruction set.
func SquaredDistances(dst []float64, x Matrix) []float64 {
	var from [width]float64
	panel, origin := make([]float64, width*x.Cols), make([]float64, x.Cols)
	at := len(dst)
	pairs := x.Rows * max(x.Rows-1, 0) / 2
	dst = slices.Grow(dst, pairs)[:at+pairs]
	for first := 0; first < x.Rows; first += width {
		packPoints(panel, x, first, origin)
		for i := first + 1; i < x.Rows; i++ {
			simd.SquaredDistances(from[:], x.Row(i), panel, x.Cols)
			copy(dst[at+i*(i-1)/2+first:], from[:min(width, i-first)])
		}
	}
	return dst
}
