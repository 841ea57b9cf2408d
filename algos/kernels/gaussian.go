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

// fourier is φ_ω(x) = √2·cos(ω·x + b) [dai2014 §2], ω from a spectrum, with frequencies and phases in
// turns.
type fourier struct {
	blocks
	spectrum compute.Spectrum // in turns
	cosine
}

// turns returns a spectrum of radians in turns.
func turns(s compute.Spectrum) compute.Spectrum {
	s.Scale /= 2 * math.Pi
	return s
}

// newFourier returns the features of a spectrum in radians.
func newFourier(seed uint64, width int, s compute.Spectrum) fourier {
	s = turns(s)
	return fourier{newBlocks(seed, width, [...]any{seed, s}), s, cosine{}}
}

func (f fourier) Spectrum() (compute.Spectrum, compute.Source) { return f.spectrum, f.source }

func (f fourier) Draw(i int, omega compute.Matrix, phase []float64) {
	s, w := f.stream(i), make([]float64, omega.Rows)
	for j := range phase {
		phase[j] = f.spectrum.Row(s, j, w)
		for l, v := range w {
			omega.Set(l, j, v)
		}
	}
}

// cosine is the activation √2·cos of arguments in turns.
type cosine struct{}

func (cosine) Activation() compute.Step { return compute.CosStep(math.Sqrt2) }

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
	rate := math.Sqrt(2*k.Order) / k.Sigma // u per distance
	e := compute.Exp2Step(-math.Log2E * rate)
	if k.Order > 0.5 {
		e = compute.Step{Function: compute.DampedPolynomial, A: rate, C: e.A}
	}
	if k.Order == 2.5 {
		e.B = rate * rate / 3
	}
	return compute.SquaredDistance.Then(compute.SqrtStep(), e)
}

// Features returns √2·cos(ω·x + b), σω multivariate t with 2ν degrees of freedom
// [Rasmussen and Williams 2006, eq. (4.15)]: its density is proportional to (2ν/σ² + ‖ω‖²)^-(ν+d/2).
// Table 1 of dai2014 has 2πω for ω and lacks the minus sign of the exponent.
func (k Matern) Features(seed uint64, d, width int) compute.FeatureMap {
	return newFourier(seed, width, compute.Spectrum{Law: compute.StudentT, Scale: 1 / k.Sigma, Freedom: int(2 * k.Order)})
}
