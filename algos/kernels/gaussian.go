package kernels

import (
	"math"

	"repro/algos/compute"
)

// Gaussian is k(x, z) = exp(-‖x - z‖²/(2σ²)) [dai2014 §2].
type Gaussian struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (Gaussian) Name() string { return "gaussian" }
func (g Gaussian) Formula() compute.Formula {
	return compute.SquaredDistance.Then(compute.Exp2Step(-math.Log2E / (2 * g.Sigma * g.Sigma)))
}

// Features returns the random Fourier features φ_ω(x) = √2·cos(ω·x + b), ω ~ N(0, σ⁻²I),
// b ~ U[0, 2π) [dai2014 §2, Thm 2].
func (g Gaussian) Features(seed uint64, d, width int) compute.FeatureMap {
	return newFourier(seed, width, compute.Spectrum{Law: compute.Normal, Scale: 1 / g.Sigma})
}
