package compute

import (
	"runtime"

	"gonum.org/v1/gonum/floats"
)

// Dot returns the inner product of two vectors of one length, with the same bits on every platform. It runs on the caller, and the
// counters do not include it.
func Dot(a, b []float64) float64 {
	if runtime.GOARCH == "amd64" {
		return floats.Dot(a, b) // vector code of gonum, in the order of dotInOrder
	}
	return dotInOrder(a, b)
}

// dotInOrder adds the products in four sums, those that are left beyond a multiple of four to the first, and then the sums. The
// conversions keep compilers from fusing products and sums.
func dotInOrder(a, b []float64) float64 {
	if len(a) != len(b) {
		panic("compute: vectors of different lengths")
	}
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i] * b[i])
	}
	return (s0 + s2) + (s1 + s3)
}
