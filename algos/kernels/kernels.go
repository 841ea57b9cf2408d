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
	Name      string    `toml:"name" want:"kernel" must:"yes" short:"read" doc:"name of the kernel"`
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
	Value      float64 `toml:"value" not:"rule" want:">= 0" short:"> 0" doc:"σ itself"`
	Rule       string  `toml:"rule" want:"|median" doc:"median: σ follows from the median distance m between the inputs of a sample of the training rows"`
	Scale      float64 `toml:"scale" beside:"value" want:"> 0" doc:"factor c that multiplies the median"`
	Convention string  `toml:"convention" beside:"value" want:"|sigma=median|exp(-d2/median2)" doc:"what σ is: sigma=median, as in the text of dai2014, c·m; exp(-d2/median2), as in its authors' code, c·m/√2"`
	Sample     int     `toml:"sample" beside:"value" want:"> 1" most:"2e4 the distances of all its pairs are held in memory" doc:"number of training rows in the sample"`
}

// OfMedian returns the σ that the rule "median" makes of the median distance between training inputs: σ = c·median
// with the convention "sigma=median" or "", and σ = c·median/√2 with "exp(-d2/median2)", c being b.Scale.
func (b Bandwidth) OfMedian(median float64) (float64, error) {
	if !(b.Scale > 0) || math.IsInf(b.Scale, 0) {
		return 0, fmt.Errorf("bandwidth: scale must be positive and finite, got %v", b.Scale)
	}
	if median > math.MaxFloat64 {
		return 0, fmt.Errorf("bandwidth: half of the squared distances of the training inputs overflow; scale the inputs (data.scale), or set σ as a number")
	}
	if !(median > 0) {
		return 0, fmt.Errorf("bandwidth: the median distance of the training inputs is %v: most of them coincide, so set σ as a number", median)
	}
	switch b.Convention {
	case "", "sigma=median":
		return b.Scale * median, nil
	case "exp(-d2/median2)":
		return b.Scale * median / math.Sqrt2, nil
	}
	return 0, fmt.Errorf("bandwidth: unknown convention %q: it is not one of sigma=median, exp(-d2/median2)", b.Convention)
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

// A Family is the kernels of one name, which differ in their parameters: Doc is a line for lists, Keys are the
// parameters that a spec gives beside name, and Make returns the kernel of a Config with bandwidth sigma, which is 0 if
// "bandwidth" is not one of Keys. Make is called with values that have been checked.
type Family = params.Family[func(c Config, sigma float64) Kernel]

// A Key is a parameter of a family. Its name is "bandwidth" for σ, another key of Config, or any other: the value of
// that one is in the table params of the spec, and in Config.Params.
type Key = params.Key

// Positive is the key of a positive, finite number.
func Positive(name string) Key { return params.Positive(name) }

// Register adds the kernels of a name, before any spec is loaded: in an init function, for example. It panics if the
// name is taken. Of returns a kernel of a plain function of two points.
func Register(name string, f Family) { registry.Register(name, f) }

// Names lists the kernels in alphabetical order.
func Names() []string { return registry.Names() }

// Doc returns the line that lists print for the named kernel, "" if there is not one of that name.
func Doc(name string) string { return registry.Families[name].Doc }

// Keys lists the keys of the named kernel in a spec, "name" first.
func Keys(name string) []string { return registry.Keys(name) }

// OwnKeys lists the keys that c has.
func (c Config) OwnKeys() []string { return Keys(c.Name) }

// OwnKeys lists the keys that b has: a number, or those of its rule.
func (b Bandwidth) OwnKeys() []string {
	if b.Rule == "" {
		return []string{"value"}
	}
	return []string{"rule", "scale", "convention", "sample"}
}

// HasBandwidth reports whether the named kernel has a bandwidth σ.
func HasBandwidth(name string) bool { return slices.Contains(Keys(name), bandwidth) }

// Check returns a *params.Error if one of the keys given is not the kernel's, if one that it needs is not given, or if
// the value of one is wrong. A bandwidth that a rule gives is checked by New. The kernel is one of Names.
func (c Config) Check(given []string) error { return registry.Check(c.params(), given) }

// params returns the parameters of c. The bandwidth is not known if a rule stands for it.
func (c Config) params() params.Config {
	later := ""
	if c.Bandwidth.Rule != "" {
		later = bandwidth
	}
	return params.Config{Name: c.Name, Table: c.Params, Later: later, Own: map[string]float64{
		bandwidth: c.Bandwidth.Value, "order": c.Order, "degree": float64(c.Degree), "offset": c.Offset, "beta": c.Beta, "time": c.Time, "lambda": c.Lambda, "capacity": c.Capacity,
	}}
}

// A Restricted kernel is defined on a part of the inputs only.
type Restricted interface {
	Kernel
	// Outside returns the first component of x outside the kernel's domain, -1 if it is x as a whole, and what the value
	// must be; need is empty if x is inside.
	Outside(x []float64) (column int, need string)
}

// Outside calls k.Outside if k is Restricted; any other kernel is defined everywhere.
func Outside(k Kernel, x []float64) (column int, need string) {
	if r, ok := k.(Restricted); ok {
		return r.Outside(x)
	}
	return 0, ""
}

// histogram is the domain of kernels on histograms: components that are not negative.
type histogram struct{}

func (histogram) Outside(x []float64) (column int, need string) {
	for l, v := range x {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return l, ">= 0"
		}
	}
	return 0, ""
}

// outsideSkewed is Outside of the kernels of log(x + c): x_l > -c.
func outsideSkewed(x []float64, c float64) (column int, need string) {
	for l, v := range x {
		if !(v+c > 0 && v+c <= math.MaxFloat64) {
			return l, fmt.Sprintf("> %v", -c)
		}
	}
	return 0, ""
}

// Pointwise is a kernel written as a plain function of two points.
type Pointwise interface {
	// Name is the kernel's name in specs.
	Name() string
	// At returns k(x, z), which is symmetric and positive definite. It may be called concurrently and must not keep or
	// change x and z.
	At(x, z []float64) float64
}

// Of returns k as a Kernel. Operators call k.At for every pair of points, an order of magnitude slower than the
// kernels of this package; with an engine of precision float32 the points and the values are rounded to it. k must be a
// comparable value, so that operators can be kept for another use of the same kernel.
//
// A kernel with random features, or one that is not defined everywhere, implements Featured or Restricted itself:
// the Pairs of its formula call compute.ComparePoints.
func Of(k Pointwise) Kernel { return pointwise{k} }

type pointwise struct{ Pointwise }

func (k pointwise) Formula() compute.Formula {
	return compute.Pairs{
		Double: func(s, a, b []float64) { compute.ComparePoints(s, a, b, k.At) },
		Single: func(s, a, b []float32) { compute.ComparePoints(s, a, b, k.At) },
	}.Then()
}
