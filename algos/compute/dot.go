package compute

import (
	"runtime"

	"gonum.org/v1/gonum/floats"

	"repro/algos/compute/internal/simd"
)

// Dot returns the inner product of two vectors of one length, with the same bits on every platform. It runs on the caller, and the
// counters do not include it.
func Dot(a, b []float64) float64 {
	if runtime.GOARCH == "amd64" {
		return floats.Dot(a, b) // vector code of gonum, in the order of dotInOrder
	}
	return dotInOrder(a, b)
}

// AddScaled adds alpha·src to dst, vectors of one length, with two roundings and so the same bits on every platform. It runs on the caller,
// and the counters do not include it.
func AddScaled(dst []float64, alpha float64, src []float64) {
	switch dst = dst[:len(src)]; {
	case runtime.GOARCH == "amd64":
		floats.AddScaled(dst, alpha, src) // vector code of gonum
	case simd.ISA() == simd.Generic:
		simd.AddScaled(dst, src, alpha)
	default:
		for i, v := range src {
			dst[i] += float64(alpha * v)
		}
	}
}

// dotInOrder adds the products in four sums, those that are left beyond a multiple of four to the first, and then the sums. The
// conversions keep compilers from fusing products and sums.
func dotInOrder(a, b []float64) float64 {
	if len(a) != len(b) {
		panic("compute: vectors of different lengths")
	}
	s := simd.Dots(a, b)
	for i := len(a) &^ 3; i < len(a); i++ {
		s[0] += float64(a[i] * b[i])
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}
