package kernels

import "repro/algos/compute"

// Cauchy is k(x, z) = 1/(1 + ‖x - z‖₂²/σ²) [ma2017 App. E], a function of the Euclidean distance. The
// kernel of that name in dai2014 Table 1 is another one, CauchyProduct.
type Cauchy struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (Cauchy) Name() string { return "cauchy" }
func (k Cauchy) Formula() compute.Formula {
	return compute.SquaredDistance.Then(compute.AffineStep(1/(k.Sigma*k.Sigma), 1), compute.ReciprocalStep())
}

// Features returns √2·cos(ω·x + b) with σω standard normals times √χ²_2. Given χ² = 2s, s exponential,
// these are features of the kernel exp(-s‖x - z‖²/σ²), and the mean of that over s is k.
func (k Cauchy) Features(seed uint64, d, width int) compute.FeatureMap {
	return newFourier(seed, width, compute.Spectrum{Law: compute.ScaledNormal, Scale: 1 / k.Sigma, Freedom: 2})
}

// CauchyProduct is k(x, z) = Π_l 1/(1 + (x_l - z_l)²/σ²), a product over the inputs and no function of a
// distance: the Cauchy kernel of dai2014 Table 1 and of Rahimi and Recht 2007, Fig. 1, who have σ = 1
// and a factor of 2 for every input, left out here so that k(x, x) = 1. The Cauchy kernel of ma2017 is Cauchy; in
// one dimension they are the same.
type CauchyProduct struct {
	Sigma float64 // bandwidth σ, in units of the inputs
}

func (CauchyProduct) Name() string { return "cauchy-product" }

func (k CauchyProduct) Formula() compute.Formula {
	return compute.Formula{Of: compute.ProductDistance, Scale: 1 / k.Sigma, Steps: []compute.Step{compute.ReciprocalStep()}}
}

// Features returns √2·cos(ω·x + b), the components of σω independent with density exp(-|t|)/2: that of
// ω is proportional to exp(-σ‖ω‖₁) [dai2014 Table 1].
func (k CauchyProduct) Features(seed uint64, d, width int) compute.FeatureMap {
	return newFourier(seed, width, compute.Spectrum{Law: compute.Laplace, Scale: 1 / k.Sigma})
}
