package compute

import (
	"runtime"

	"gonum.org/v1/gonum/blas/blas64"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
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

// Inner products in factorisations of gonum, too, have the order of its vector code for amd64 where it has none.
func init() {
	if runtime.GOARCH != "amd64" {
		blas64.Use(inOrder{})
	}
}

// inOrder is the BLAS of gonum with the inner products of amd64.
type inOrder struct{ blasgonum.Implementation }

// Ddot implements blas.Float64Level1 for the strides of factorisations, which are positive.
func (inOrder) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if incX == 1 && incY == 1 {
		return dotInOrder(x[:n], y[:n])
	}
	return dotStrided(n, x, incX, y, incY)
}

// dotStrided adds the products in two sums, those in even places to the first unless they come last, and then the sums.
func dotStrided(n int, x []float64, incX int, y []float64, incY int) float64 {
	if incX <= 0 || incY <= 0 {
		panic("compute: a stride must be positive")
	}
	var s0, s1 float64
	for i := range n {
		if p := float64(x[i*incX] * y[i*incY]); i%2 == 0 && i+1 < n {
			s0 += p
		} else {
			s1 += p
		}
	}
	return s1 + s0
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
