// Package kernels holds positive definite kernels k(x, z), their spectral measures and their random
// feature maps (dai2014 Table 1).
package kernels

import (
	"fmt"
	"math"

	"repro/algos/compute"
)

// A Kernel is a positive definite function of two points. All kernels here are comparable values.
type Kernel interface {
	compute.KernelFunc
	// Name is the kernel's name in specs.
	Name() string
}

// A Featured kernel has explicit random features φ_ω with E_ω[φ_ω(x) φ_ω(z)] = k(x, z)
// [dai2014 Thm 1].
type Featured interface {
	Kernel
	// Features returns the feature map on inputs of dimension d whose block i holds the width
	// features drawn from the stream (seed, "features", i).
	Features(seed uint64, d, width int) compute.FeatureMap
}

// Config is a kernel in a spec. Keys lists which of its keys a kernel has.
type Config struct {
	Name      string    `toml:"name" want:"kernel" doc:"kernel; laplacian is one of ‖x - z‖₁ and laplace of ‖x - z‖₂, cauchy-product a product over the inputs and cauchy a function of ‖x - z‖₂"`
	Bandwidth Bandwidth `toml:"bandwidth" doc:"bandwidth σ: a number, or a rule"`
	Order     float64   `toml:"order" want:">= 0" doc:"order ν of the Matérn kernel: 0.5, 1.5 or 2.5; order n of the arc-cosine kernel: 0, 1 or 2"`
	Degree    int       `toml:"degree" want:">= 0" doc:"degree p of the polynomial kernel (x·z/σ² + c)^p"`
	Offset    float64   `toml:"offset" want:">= 0" doc:"c of the linear kernel x·z/σ² + c and of the polynomial kernel, 0 if left out; c > 0 of the skewed kernels, functions of log(x + c)"`
	Beta      float64   `toml:"beta" want:">= 0" doc:"β of the exponential semigroup kernel exp(-β Σ √(x_l + z_l))"`
	Time      float64   `toml:"time" want:">= 0" doc:"time s of the heat kernel on the circle, whose eigenvalues are exp(-j²s)"`
	Lambda    float64   `toml:"lambda" want:">= 0" doc:"λ of the reciprocal semigroup kernel Π λ/(x_l + z_l + λ)"`

	Params map[string]float64 `toml:"params" doc:"further parameters of a kernel that a program registered, by name"`
}

// Bandwidth is σ itself (a number in the spec) or a rule that finds it from the training inputs.
type Bandwidth struct {
	Value      float64 `toml:"value" want:">= 0" doc:"σ itself"`
	Rule       string  `toml:"rule" want:"|median" doc:"median: from the median pairwise distance of a sample of the training inputs"`
	Scale      float64 `toml:"scale" want:"> 0" doc:"factor c applied to the median"`
	Convention string  `toml:"convention" want:"|sigma=median|exp(-d2/median2)" doc:"sigma=median (the paper's text, the default): σ = c·median; exp(-d2/median2) (the authors' code): σ = c·median/√2"`
	Sample     int     `toml:"sample" want:"> 1" doc:"training inputs the median is taken over"`
}

// OfMedian returns the σ that the rule "median" makes of the median distance between training inputs: σ = c·median
// with the convention "sigma=median" or "", and σ = c·median/√2 with "exp(-d2/median2)", c being b.Scale.
func (b Bandwidth) OfMedian(median float64) (float64, error) {
	if !(b.Scale > 0) || math.IsInf(b.Scale, 0) {
		return 0, fmt.Errorf("bandwidth: scale must be positive and finite, got %v", b.Scale)
	}
	if !(median > 0) || math.IsInf(median, 0) {
		return 0, fmt.Errorf("bandwidth: the median distance of the training inputs is %v: most of them coincide, so set σ as a number", median)
	}
	switch b.Convention {
	case "", "sigma=median":
		return b.Scale * median, nil
	case "exp(-d2/median2)":
		return b.Scale * median / math.Sqrt2, nil
	}
	return 0, fmt.Errorf("bandwidth: unknown convention %q: it is none of sigma=median, exp(-d2/median2)", b.Convention)
}

// bandwidth is the key of σ.
const bandwidth = "bandwidth"

// The parameters of the kernels of this package.
var (
	sigma    = Key{Name: bandwidth}
	beta     = Positive("beta")
	lambda   = Positive("lambda")
	duration = Positive("time")
	shift    = Positive("offset")
	constant = Key{Name: "offset", Need: ">= 0 and finite", OK: func(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }, Optional: true}
	degree   = Key{Name: "degree", Need: "> 0", OK: func(v float64) bool { return v >= 1 }}
)

// oneOf is a parameter with the values low, low + 1 and low + 2.
func oneOf(name string, low float64) Key {
	return Key{Name: name, Need: fmt.Sprintf("%v, %v or %v", low, low+1, low+2), OK: func(v float64) bool {
		return v == low || v == low+1 || v == low+2
	}}
}

var families = map[string]Family{
	"arc-cosine": {"arc-cosine kernel of order n = 0, 1 or 2: an infinite layer of units max(0, ω·x)ⁿ", []Key{oneOf("order", 0)},
		func(c Config, _ float64) Kernel { return ArcCosine{int(c.Order)} }},
	"cauchy": {"1/(1 + ‖x - z‖²/σ²), of the Euclidean distance", []Key{sigma},
		func(_ Config, sigma float64) Kernel { return Cauchy{sigma} }},
	"cauchy-product": {"Π 1/(1 + (x_l - z_l)²/σ²), a product over the inputs", []Key{sigma},
		func(_ Config, sigma float64) Kernel { return CauchyProduct{sigma} }},
	"chi-squared": {"2 Σ x_l z_l/(x_l + z_l), on histograms", nil,
		func(Config, float64) Kernel { return ChiSquared{} }},
	"dot-product": {"exp(x·z/σ²)", []Key{sigma},
		func(_ Config, sigma float64) Kernel { return DotProduct{sigma} }},
	"exponential-semigroup": {"exp(-β Σ √(x_l + z_l)), on histograms", []Key{beta},
		func(c Config, _ float64) Kernel { return ExponentialSemigroup{c.Beta} }},
	"gaussian": {"exp(-‖x - z‖²/(2σ²))", []Key{sigma},
		func(_ Config, sigma float64) Kernel { return Gaussian{sigma} }},
	"heat": {"heat kernel on the circle, with eigenvalues exp(-j²s)", []Key{duration},
		func(c Config, _ float64) Kernel { return Heat{c.Time} }},
	"hellinger": {"Σ √(x_l z_l), on histograms", nil,
		func(Config, float64) Kernel { return Hellinger{} }},
	"intersection": {"Σ min(x_l, z_l), on histograms", nil,
		func(Config, float64) Kernel { return Intersection{} }},
	"jensen-shannon": {"Jensen-Shannon kernel on histograms", nil,
		func(Config, float64) Kernel { return JensenShannon{} }},
	"laplace": {"exp(-‖x - z‖₂/σ), of the Euclidean distance", []Key{sigma},
		func(_ Config, sigma float64) Kernel { return Laplace{sigma} }},
	"laplacian": {"exp(-‖x - z‖₁/σ), of the sum of absolute differences", []Key{sigma},
		func(_ Config, sigma float64) Kernel { return Laplacian{sigma} }},
	"linear": {"x·z/σ² + c", []Key{sigma, constant},
		func(c Config, sigma float64) Kernel { return Linear{sigma, c.Offset} }},
	"matern": {"Matérn kernel of order ν = 1/2, 3/2 or 5/2", []Key{sigma, oneOf("order", 0.5)},
		func(c Config, sigma float64) Kernel { return Matern{sigma, c.Order} }},
	"polynomial": {"(x·z/σ² + c)^p", []Key{sigma, degree, constant},
		func(c Config, sigma float64) Kernel { return Polynomial{sigma, c.Offset, c.Degree} }},
	"reciprocal-semigroup": {"Π λ/(x_l + z_l + λ), on histograms", []Key{lambda},
		func(c Config, _ float64) Kernel { return ReciprocalSemigroup{c.Lambda} }},
	"skewed-chi-squared": {"skewed χ² kernel, a function of log(x + c)", []Key{shift},
		func(c Config, _ float64) Kernel { return SkewedChiSquared{c.Offset} }},
	"skewed-intersection": {"skewed intersection kernel, a function of log(x + c)", []Key{shift},
		func(c Config, _ float64) Kernel { return SkewedIntersection{c.Offset} }},
}

// The bandwidths for which 1/σ² and its multiples by small numbers are normal numbers in float32.
const minSigma, maxSigma = 1e-18, 1e18

// New returns the kernel of a configuration with bandwidth sigma, which kernels without one ignore. It does not use
// c.Bandwidth.
func New(c Config, sigma float64) (Kernel, error) {
	f, ok := families[c.Name]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown kernel %q", c.Name)
	case !HasBandwidth(c.Name):
	case !(sigma > 0) || math.IsInf(sigma, 0):
		return nil, fmt.Errorf("kernel %s: bandwidth must be positive and finite, got %v", c.Name, sigma)
	case sigma < minSigma || sigma > maxSigma:
		return nil, fmt.Errorf("kernel %s: bandwidth %v is not in [%v, %v]; change the units of the inputs", c.Name, sigma, minSigma, maxSigma)
	}
	if err := c.Check(c.given()); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", c.Name, err)
	}
	return f.Make(c, sigma), nil
}
