// Package kernels holds positive definite kernels k(x, z), their spectral measures and their random
// feature maps (dai2014 Table 1).
package kernels

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"repro/algos/compute"
	"repro/algos/params"
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
	Name      string    `toml:"name" want:"kernel" doc:"name of the kernel"`
	Bandwidth Bandwidth `toml:"bandwidth" doc:"bandwidth σ: a number, or a rule"`
	Order     float64   `toml:"order" want:">= 0" doc:"order ν of the Matérn kernel: 0.5, 1.5 or 2.5; order n of the arc-cosine kernel: 0, 1 or 2"`
	Degree    int       `toml:"degree" want:">= 0" most:"100 higher powers overflow" doc:"degree p of the polynomial kernel"`
	Offset    float64   `toml:"offset" want:">= 0" doc:"c of the linear and the polynomial kernel, 0 if left out; c > 0 of the skewed kernels, which need it"`
	Beta      float64   `toml:"beta" want:">= 0" doc:"β > 0 of the exponential semigroup kernel"`
	Time      float64   `toml:"time" want:">= 0" doc:"time s > 0 of the heat kernel"`
	Lambda    float64   `toml:"lambda" want:">= 0" doc:"λ > 0 of the reciprocal semigroup kernel"`
	Capacity  float64   `toml:"capacity" want:">= 0" doc:"capacity exponent α, 0 < α <= 1, of the periodic Sobolev kernel"`

	Params map[string]float64 `toml:"params" doc:"parameters of a kernel that a program registered, by name"`
}

// Bandwidth is σ itself (a number in the spec) or a rule that finds it from the training inputs.
type Bandwidth struct {
	Value      float64 `toml:"value" want:">= 0" doc:"σ itself"`
	Rule       string  `toml:"rule" want:"|median" doc:"median: σ follows from the median distance m between the inputs of a sample of the training rows"`
	Scale      float64 `toml:"scale" want:"> 0" doc:"factor c that multiplies the median"`
	Convention string  `toml:"convention" want:"|sigma=median|exp(-d2/median2)" doc:"what σ is: sigma=median, as in the text of dai2014, c·m; exp(-d2/median2), as in its authors' code, c·m/√2"`
	Sample     int     `toml:"sample" want:"> 1" most:"2e4 the distances of all its pairs are held in memory" doc:"number of training rows in the sample"`
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
	constant = params.NonNegative("offset").Or0()
	capacity = Key{Name: "capacity", Need: "> 0 and <= 1", OK: func(v float64) bool { return v > 0 && v <= 1 }}
	degree   = Key{Name: "degree", Need: "> 0", OK: func(v float64) bool { return v >= 1 }}
)

// oneOf is a parameter with the values low, low + 1 and low + 2.
func oneOf(name string, low float64) Key {
	return Key{Name: name, Need: fmt.Sprintf("%v, %v or %v", low, low+1, low+2), OK: func(v float64) bool {
		return v == low || v == low+1 || v == low+2
	}}
}

// registry holds the kernels of this package and those of Register.
var registry = params.Registry[func(c Config, sigma float64) Kernel]{
	Package: "kernels", Noun: "kernel", Own: slices.Collect(maps.Keys(Config{}.params().Own)), Families: families,
	Missing: map[string]string{bandwidth: "missing (bandwidth σ: a number, or a rule); add it"},
}

var families = map[string]Family{
	"arc-cosine": {Doc: "(1/π)·‖x‖ⁿ‖z‖ⁿ·J_n(θ), θ the angle between x and z, n = 0, 1 or 2 [Cho & Saul 2009; dai2014 Table 1]", Keys: []Key{oneOf("order", 0)},
		Make: func(c Config, _ float64) Kernel { return ArcCosine{int(c.Order)} }},
	"cauchy": {Doc: "1/(1 + ‖x - z‖²/σ²), a function of the Euclidean distance [ma2017 App. E]", Keys: []Key{sigma},
		Make: func(_ Config, sigma float64) Kernel { return Cauchy{sigma} }},
	"cauchy-product": {Doc: "Π_l 1/(1 + (x_l - z_l)²/σ²), a product over the inputs [dai2014 Table 1]", Keys: []Key{sigma},
		Make: func(_ Config, sigma float64) Kernel { return CauchyProduct{sigma} }},
	"chi-squared": {Doc: "Σ_l 2x_l z_l/(x_l + z_l), on histograms [dai2014 Table 1]",
		Make: func(Config, float64) Kernel { return ChiSquared{} }},
	"dot-product": {Doc: "exp(x·z/σ²) [Kar & Karnick 2012; dai2014 Table 1]", Keys: []Key{sigma},
		Make: func(_ Config, sigma float64) Kernel { return DotProduct{sigma} }},
	"exponential-semigroup": {Doc: "exp(-β Σ_l √(x_l + z_l)), on histograms [dai2014 Table 1]", Keys: []Key{beta},
		Make: func(c Config, _ float64) Kernel { return ExponentialSemigroup{Beta: c.Beta} }},
	"gaussian": {Doc: "exp(-‖x - z‖²/(2σ²)) [dai2014 §2]", Keys: []Key{sigma},
		Make: func(_ Config, sigma float64) Kernel { return Gaussian{sigma} }},
	"heat": {Doc: "1 + 2 Σ_j exp(-j²s) cos(j(x - z)), the heat kernel on the circle at time s [ma2017 Sec. 2.1]", Keys: []Key{duration},
		Make: func(c Config, _ float64) Kernel { return Heat{c.Time} }},
	"hellinger": {Doc: "Σ_l √(x_l z_l), on histograms [dai2014 Table 1]",
		Make: func(Config, float64) Kernel { return Hellinger{} }},
	"intersection": {Doc: "Σ_l min(x_l, z_l), on histograms [dai2014 Table 1]",
		Make: func(Config, float64) Kernel { return Intersection{} }},
	"jensen-shannon": {Doc: "Σ_l x_l/2·log₂((x_l + z_l)/x_l) + z_l/2·log₂((x_l + z_l)/z_l), on histograms [dai2014 Table 1]",
		Make: func(Config, float64) Kernel { return JensenShannon{} }},
	"laplace": {Doc: "exp(-‖x - z‖₂/σ), a function of the Euclidean distance [ma2017 App. E]", Keys: []Key{sigma},
		Make: func(_ Config, sigma float64) Kernel { return Laplace{sigma} }},
	"laplacian": {Doc: "exp(-‖x - z‖₁/σ), a function of the sum of absolute differences [dai2014 Table 1]", Keys: []Key{sigma},
		Make: func(_ Config, sigma float64) Kernel { return Laplacian{sigma} }},
	"linear": {Doc: "x·z/σ² + c [Carratino, Rudi & Rosasco 2018, Example 1]", Keys: []Key{sigma, constant},
		Make: func(c Config, sigma float64) Kernel { return Linear{sigma, c.Offset} }},
	"matern": {Doc: "Matérn kernel of ‖x - z‖₂ with order ν = 0.5, 1.5 or 2.5 and length scale σ [dai2014 Table 1]", Keys: []Key{sigma, oneOf("order", 0.5)},
		Make: func(c Config, sigma float64) Kernel { return Matern{sigma, c.Order} }},
	"periodic-sobolev": {Doc: "Σ_j p_j cos(j(x - z)), p_j ∝ j^(-1/α), on the circle: effective dimension ~ λ^(-α) [carratino2018 Sec. 3.2]", Keys: []Key{capacity},
		Make: func(c Config, _ float64) Kernel { return PeriodicSobolev{c.Capacity} }},
	"polynomial": {Doc: "(x·z/σ² + c)^p [dai2014 Table 1]", Keys: []Key{sigma, degree, constant},
		Make: func(c Config, sigma float64) Kernel { return Polynomial{sigma, c.Offset, c.Degree} }},
	"reciprocal-semigroup": {Doc: "Π_l λ/(x_l + z_l + λ), on histograms [dai2014 Table 1]", Keys: []Key{lambda},
		Make: func(c Config, _ float64) Kernel { return ReciprocalSemigroup{Lambda: c.Lambda} }},
	"skewed-chi-squared": {Doc: "Π_l 2√(x_l + c)√(z_l + c)/(x_l + z_l + 2c), x_l > -c [Li, Ionescu & Sminchisescu 2010]", Keys: []Key{shift},
		Make: func(c Config, _ float64) Kernel { return SkewedChiSquared{c.Offset} }},
	"skewed-intersection": {Doc: "exp(-‖log(x + c) - log(z + c)‖₁/2), x_l > -c [Li, Ionescu & Sminchisescu 2010]", Keys: []Key{shift},
		Make: func(c Config, _ float64) Kernel { return SkewedIntersection{c.Offset} }},
}

// The bandwidths for which 1/σ² and its multiples by small numbers are normal numbers in float32.
const minSigma, maxSigma = 1e-18, 1e18

// New returns the kernel of a configuration with bandwidth sigma, which kernels without one ignore. It does not use
// c.Bandwidth.
func New(c Config, sigma float64) (Kernel, error) {
	f, ok := registry.Families[c.Name]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown kernel %q", c.Name)
	case !HasBandwidth(c.Name):
	case !(sigma > 0) || math.IsInf(sigma, 0):
		return nil, fmt.Errorf("kernel %s: bandwidth must be positive and finite, got %v", c.Name, sigma)
	case sigma < minSigma || sigma > maxSigma:
		return nil, fmt.Errorf("kernel %s: bandwidth %v is not in [%v, %v]; change the units of the inputs", c.Name, sigma, minSigma, maxSigma)
	}
	p := c.params()
	p.Later = ""
	if p.Own[bandwidth] = 0; HasBandwidth(c.Name) {
		p.Own[bandwidth] = sigma
	}
	if err := registry.CheckSet(p); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", c.Name, err)
	}
	return f.Make(c, sigma), nil
}
