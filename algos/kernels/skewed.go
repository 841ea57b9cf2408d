package kernels

import (
	"math"

	"repro/algos/compute"
)

// SkewedChiSquared is k(x, z) = Π_l 2√(x_l + c)√(z_l + c)/(x_l + z_l + 2c), x_l > -c: the product of
// sech((u_l - v_l)/2) with u = log(x + c), v = log(z + c) [Li, Ionescu and Sminchisescu, DAGM 2010].
// Table 1 of dai2014 has the 2 before the product instead of in it, which would make k(x, x) = 2^(1-d).
type SkewedChiSquared struct {
	C float64 // c > 0, in units of the inputs
}

func (SkewedChiSquared) Name() string { return "skewed-chi-squared" }
func (SkewedChiSquared) Formula() compute.Formula {
	return compute.Pairs{Double: secants[float64], Single: secants[float32]}.Then()
}

func (k SkewedChiSquared) Outside(x []float64) (column int, need string) {
	return outsideSkewed(x, k.C)
}

func (k SkewedChiSquared) Map(x compute.Matrix) compute.Matrix {
	return mapped(x, func(v float64) float64 { return math.Sqrt(v + k.C) })
}

// secants sets s_j to Π_l 2a_l b_lj/(a_l² + b_lj²).
func secants[T compute.Float](s, a, b []T) {
	for j := range s {
		s[j] = 1
	}
	for l, v := range a {
		for j, w := range b[l*len(s):][:len(s)] {
			s[j] *= 2 * T(v*w) / (T(v*v) + T(w*w))
		}
	}
}

// Features returns √2·cos(ω·log(x + c) + b), the components of ω independent of density sech(πω_l)
// [dai2014 Table 1].
func (k SkewedChiSquared) Features(seed uint64, d, width int) compute.FeatureMap {
	return logarithmic{newFourier(seed, width, compute.Spectrum{Law: compute.Sech, Scale: 0.5}), logarithms{k.C}}
}

// SkewedIntersection is k(x, z) = Π_l min(√((x_l + c)/(z_l + c)), √((z_l + c)/(x_l + c))), x_l > -c: that is
// exp(-‖u - v‖₁/2) with u = log(x + c), v = log(z + c) [dai2014 Table 1; Li, Ionescu and Sminchisescu, DAGM
// 2010].
type SkewedIntersection struct {
	C float64 // c > 0, in units of the inputs
}

func (SkewedIntersection) Name() string { return "skewed-intersection" }

func (SkewedIntersection) Formula() compute.Formula { return Laplacian{2}.Formula() }

func (k SkewedIntersection) Outside(x []float64) (column int, need string) {
	return outsideSkewed(x, k.C)
}

func (k SkewedIntersection) Map(x compute.Matrix) compute.Matrix { return logarithms{k.C}.Map(x) }

// Features returns √2·cos(ω·log(x + c) + b), the components of ω independent of density 2/(π(1 + 4ω_l²)).
// Table 1 of dai2014 lacks the 2, and so its density has mass 2^-d.
func (k SkewedIntersection) Features(seed uint64, d, width int) compute.FeatureMap {
	return logarithmic{newFourier(seed, width, compute.Spectrum{Law: compute.Cauchy, Scale: 0.5}), logarithms{k.C}}
}

// logarithmic are Fourier features of log(x + c).
type logarithmic struct {
	fourier
	logarithms
}

// logarithms is the map log(x + c).
type logarithms struct{ c float64 }

func (m logarithms) Map(x compute.Matrix) compute.Matrix {
	return mapped(x, func(v float64) float64 { return math.Log(v + m.c) })
}
