package kernels

import (
	"math"

	"repro/algos/compute"
	"repro/algos/compute/exact"
)

// The semigroup kernels on histograms are functions of x + z [Yang, Sindhwani, Fan, Avron and Mahoney,
// CVPR 2014]: Laplace transforms E[exp(-ω·(x + z))] of a density on ω ≥ 0, so that their random
// features are exp(-ω·x).

// ExponentialSemigroup is k(x, z) = exp(-β Σ_l √(x_l + z_l)) on histograms [dai2014 Table 1].
type ExponentialSemigroup struct {
	histogram
	Beta float64 // β > 0, in units of the inputs to the power -1/2
}

func (ExponentialSemigroup) Name() string { return "exponential-semigroup" }
func (k ExponentialSemigroup) Formula() compute.Formula {
	return compute.Pairs{Double: rootsOfSums[float64], Single: rootsOfSums[float32]}.Then(compute.Exp2Step(-math.Log2E * k.Beta))
}

// rootsOfSums sets s_j to Σ_l √(a_l + b_lj).
func rootsOfSums[T compute.Float](s, a, b []T) {
	clear(s)
	var space [64]T
	n := len(s)
	for l, x := range a {
		for lo := 0; lo < n; lo += len(space) {
			z, root := b[l*n:][lo:n], space[:min(len(space), n-lo)]
			for j := range root {
				root[j] = x + z[j]
			}
			compute.Sqrt(root)
			for j, v := range root {
				s[lo+j] += v
			}
		}
	}
}

// Features returns exp(-ω·x), the components of ω independent with Lévy's density
// β/(2√π)·ω_l^(-3/2)·exp(-β²/(4ω_l)). Table 1 of dai2014 prints β instead of β² in the exponent, which is
// right only for β = 1.
func (k ExponentialSemigroup) Features(seed uint64, d, width int) compute.FeatureMap {
	return projections{newBlocks(seed, width, [...]any{"levy", seed, k.Beta}), 1, func(l int, z []float64) float64 {
		return k.Beta * k.Beta / (2 * max(z[l]*z[l], leastSquare)) // Lévy's law with standard normals z
	}, decay}
}

// ReciprocalSemigroup is k(x, z) = Π_l λ/(x_l + z_l + λ) on histograms [dai2014 Table 1].
type ReciprocalSemigroup struct {
	histogram
	Lambda float64 // λ > 0, in units of the inputs
}

func (ReciprocalSemigroup) Name() string { return "reciprocal-semigroup" }
func (ReciprocalSemigroup) Formula() compute.Formula {
	return compute.Pairs{Double: productOfSums[float64], Single: productOfSums[float32]}.Then(compute.ReciprocalStep())
}

// Map implements compute.Mapped: a factor is 1/(1 + x_l/λ + z_l/λ).
func (k ReciprocalSemigroup) Map(x compute.Matrix) compute.Matrix {
	return mapped(x, func(v float64) float64 { return v / k.Lambda })
}

// productOfSums sets s_j to Π_l 1 + (a_l + b_lj).
func productOfSums[T compute.Float](s, a, b []T) {
	for j := range s {
		s[j] = 1
	}
	for l, v := range a {
		for j, w := range b[l*len(s):][:len(s)] {
			s[j] *= 1 + (v + w)
		}
	}
}

// Features returns exp(-ω·x), the components of ω independent of density λ·exp(-λω_l) [dai2014 Table 1].
func (k ReciprocalSemigroup) Features(seed uint64, d, width int) compute.FeatureMap {
	return projections{newBlocks(seed, width, [...]any{"exponential", seed, k.Lambda}), 2, func(l int, z []float64) float64 {
		return (float64(z[2*l]*z[2*l]) + float64(z[2*l+1]*z[2*l+1])) / (2 * k.Lambda) // half the sum of two squares over λ
	}, decay}
}

// decay is the activation exp(-z).
var decay = compute.Exp2Step(-math.Log2E)

// leastSquare replaces smaller squares of normals, so that frequencies are finite. A normal is below its
// root with probability 5e-8.
const leastSquare = 0x1p-48

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
	return mapped(x, func(v float64) float64 { return exact.Log(v + m.c) })
}
