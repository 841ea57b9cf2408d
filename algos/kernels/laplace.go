package kernels

import (
	"math"

	"repro/algos/compute"
)

// Laplacian is k(x, z) = exp(-‖x - z‖₁/σ) [dai2014 Table 1; Rahimi and Recht 2007, Fig. 1, where σ = 1].
type Laplacian struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (Laplacian) Name() string { return "laplacian" }
func (k Laplacian) Formula() compute.Formula {
	return compute.Distance1.Then(compute.Exp2Step(-math.Log2E / k.Sigma))
}

// Features returns √2·cos(ω·x + b) with independent Cauchy components: ω has the density
// Π σ/(π(1 + σ²ω_l²)) [dai2014 Table 1].
func (k Laplacian) Features(seed uint64, d, width int) compute.FeatureMap {
	return newFourier(seed, width, compute.Spectrum{Law: compute.Cauchy, Scale: 1 / k.Sigma})
}

// Laplace is k(x, z) = exp(-‖x - z‖₂/σ) [ma2017 App. E], the Matérn kernel of order 1/2.
//
// It has a cusp where x = z: an error ε in a small squared distance is an error of up to √ε/σ in k.
type Laplace struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (Laplace) Name() string { return "laplace" }
func (k Laplace) Formula() compute.Formula {
	return compute.SquaredDistance.Then(compute.SqrtStep(), compute.Exp2Step(-math.Log2E/k.Sigma))
}

// Features returns those of the Matérn kernel of order 1/2.
func (k Laplace) Features(seed uint64, d, width int) compute.FeatureMap {
	return Matern{k.Sigma, 0.5}.Features(seed, d, width)
}
