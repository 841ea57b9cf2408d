package kernels

import (
	"math"

	"repro/algos/compute"
)

// Gaussian is k(x, z) = exp(-‖x - z‖²/(2σ²)) [dai2014 §2].
type Gaussian struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (Gaussian) Name() string               { return "gaussian" }
func (Gaussian) Argument() compute.Argument { return compute.SquaredDistance }
func (g Gaussian) Apply(d2 []float64)       { compute.Exp2(d2, g.Rate()) }
func (g Gaussian) Apply32(d2 []float32)     { compute.Exp2(d2, float32(g.Rate())) }

// Rate implements compute.ExponentialKernel: it is the exponent of 2 per squared distance.
func (g Gaussian) Rate() float64 { return -math.Log2E / (2 * g.Sigma * g.Sigma) }

// Features returns the random Fourier features φ_ω(x) = √2·cos(ω·x + b), ω ~ N(0, σ⁻²I),
// b ~ U[0, 2π) [dai2014 §2, Thm 2].
func (g Gaussian) Features(seed uint64, d, width int) compute.FeatureMap {
	return newFourier(seed, width, compute.Spectrum{Law: compute.Normal, Scale: 1 / g.Sigma})
}
