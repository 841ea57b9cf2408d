package kernels

import (
	"math"

	"repro/algos/compute"
)

// Linear is k(x, z) = x·z/σ² + c [carratino2018 Example 1, jezequel2019 §1].
type Linear struct {
	Sigma  float64 // bandwidth σ, in units of the inputs: 1 for the plain inner product
	Offset float64 // c ≥ 0
}

func (Linear) Name() string { return "linear" }
func (k Linear) Formula() compute.Formula {
	return compute.InnerProduct.Then(compute.AffineStep(1/(k.Sigma*k.Sigma), k.Offset))
}

// Features returns ω·[x/σ, √c], ω uniform on {-1, 1}^(d+1).
func (k Linear) Features(seed uint64, d, width int) compute.FeatureMap {
	return signs{blocks: newBlocks(seed, width), scale: 1 / k.Sigma, offset: math.Sqrt(k.Offset)}
}

// Polynomial is k(x, z) = (x·z/σ² + c)^p [dai2014 Table 1, where σ = 1].
type Polynomial struct {
	Sigma  float64 // bandwidth σ, in units of the inputs
	Offset float64 // c ≥ 0
	Degree int     // p ≥ 1
}

func (Polynomial) Name() string { return "polynomial" }
func (k Polynomial) Formula() compute.Formula {
	return compute.InnerProduct.Then(compute.AffineStep(1/(k.Sigma*k.Sigma), k.Offset), compute.PowerStep(k.Degree))
}

// Features returns tensor sketches [Pham and Pagh, KDD 2013; dai2014 Table 1], each a block of width
// features.
func (k Polynomial) Features(seed uint64, d, width int) compute.FeatureMap {
	return tensorSketch{newBlocks(seed, width), 1 / k.Sigma, math.Sqrt(k.Offset), k.Degree}
}
