package kernels

import (
	"math"

	"repro/algos/compute"
)

// Laplacian is k(x, z) = exp(-‖x - z‖₁/σ) [dai2014 Table 1; Rahimi and Recht 2007, Fig. 1, where σ = 1].
type Laplacian struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (Laplacian) Name() string               { return "laplacian" }
func (Laplacian) Argument() compute.Argument { return compute.Distance1 }
func (k Laplacian) Apply(d1 []float64)       { compute.Exp2(d1, -math.Log2E/k.Sigma) }
func (k Laplacian) Apply32(d1 []float32)     { compute.Exp2(d1, float32(-math.Log2E/k.Sigma)) }

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

func (Laplace) Name() string               { return "laplace" }
func (Laplace) Argument() compute.Argument { return compute.SquaredDistance }

func (k Laplace) Apply(d2 []float64) {
	compute.Sqrt(d2)
	compute.Exp2(d2, -math.Log2E/k.Sigma)
}

func (k Laplace) Apply32(d2 []float32) {
	compute.Sqrt(d2)
	compute.Exp2(d2, float32(-math.Log2E/k.Sigma))
}

// Features returns those of the Matérn kernel of order 1/2.
func (k Laplace) Features(seed uint64, d, width int) compute.FeatureMap {
	return Matern{k.Sigma, 0.5}.Features(seed, d, width)
}
