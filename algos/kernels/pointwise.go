package kernels

import "repro/algos/compute"

// Pointwise is a kernel written as a plain function of two points.
type Pointwise interface {
	// Name is the kernel's name in specs.
	Name() string
	// At returns k(x, z), which is symmetric and positive definite. It may be called concurrently and must not keep or
	// change x and z.
	At(x, z []float64) float64
}

// Of returns k as a Kernel. Operators call k.At for every pair of points, an order of magnitude slower than the
// kernels of this package; with an engine of precision float32 the points and the values are rounded to it. k must be a
// comparable value, so that operators can be kept for another use of the same kernel.
//
// A kernel with random features, or one that is not defined everywhere, implements Featured or Restricted itself:
// the Pairs of its formula call compute.ComparePoints.
func Of(k Pointwise) Kernel { return pointwise{k} }

type pointwise struct{ Pointwise }

func (k pointwise) Formula() compute.Formula {
	return compute.Pairs{
		Double: func(s, a, b []float64) { compute.ComparePoints(s, a, b, k.At) },
		Single: func(s, a, b []float32) { compute.ComparePoints(s, a, b, k.At) },
	}.Then()
}
