package kernels

import (
	"math"

	"repro/algos/compute"
)

// Matern is k(x, z) = 2^(1-ν)/Γ(ν)·u^ν·K_ν(u) with u = √(2ν)·‖x - z‖₂/σ [dai2014 Table 1, where σ is ℓ].
// At half-integer ν it is an exponential times a polynomial [Rasmussen and Williams 2006, eq. (4.16)]:
//
//	ν = 1/2: exp(-u)    ν = 3/2: (1 + u)·exp(-u)    ν = 5/2: (1 + u + u²/3)·exp(-u)
type Matern struct {
	Sigma float64 // bandwidth σ, in units of the inputs
	Order float64 // ν: 0.5, 1.5 or 2.5
}

func (Matern) Name() string { return "matern" }

func (k Matern) Formula() compute.Formula {
	return compute.SquaredDistance.Then(compute.Step{
		Double: func(d2 []float64) { applyMatern(k, d2) }, Single: func(d2 []float32) { applyMatern(k, d2) },
	})
}

// Features returns √2·cos(ω·x + b), σω multivariate t with 2ν degrees of freedom
// [Rasmussen and Williams 2006, eq. (4.15)]: its density is proportional to (2ν/σ² + ‖ω‖²)^-(ν+d/2).
// Table 1 of dai2014 has 2πω for ω and lacks the minus sign of the exponent.
func (k Matern) Features(seed uint64, d, width int) compute.FeatureMap {
	return newFourier(seed, width, compute.Spectrum{Law: compute.StudentT, Scale: 1 / k.Sigma, Freedom: int(2 * k.Order)})
}

// applyMatern replaces squared distances by values of the kernel.
func applyMatern[T compute.Float](k Matern, d2 []T) {
	compute.Sqrt(d2)
	rate := math.Sqrt(2*k.Order) / k.Sigma // u per distance
	if k.Order == 0.5 {
		compute.Exp2(d2, T(-math.Log2E*rate))
		return
	}
	square := 0.0 // coefficient of the squared distance
	if k.Order == 2.5 {
		square = rate * rate / 3
	}
	var space [512]T
	for len(d2) > 0 {
		n := min(len(space), len(d2))
		e, r := d2[:n], space[:n]
		copy(r, e)
		compute.Exp2(e, T(-math.Log2E*rate))
		compute.MulPoly(e, r, 1, T(rate), T(square)) // 0 where the exponential is, though the polynomial may overflow
		d2 = d2[n:]
	}
}
