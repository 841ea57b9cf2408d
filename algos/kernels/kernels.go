// Package kernels holds positive definite kernels k(x, z), their spectral measures and their random
// feature maps (dai2014 Table 1).
package kernels

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

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

// A family is the kernels of one name.
type family struct {
	keys []string // beside name
	make func(c Config, sigma float64) Kernel
}

var families = map[string]family{
	"arc-cosine":     {[]string{"order"}, func(c Config, _ float64) Kernel { return ArcCosine{int(c.Order)} }},
	"cauchy":         {[]string{bandwidth}, func(_ Config, sigma float64) Kernel { return Cauchy{sigma} }},
	"cauchy-product": {[]string{bandwidth}, func(_ Config, sigma float64) Kernel { return CauchyProduct{sigma} }},
	"chi-squared":    {nil, func(Config, float64) Kernel { return ChiSquared{} }},
	"dot-product":    {[]string{bandwidth}, func(_ Config, sigma float64) Kernel { return DotProduct{sigma} }},
	"exponential-semigroup": {[]string{"beta"}, func(c Config, _ float64) Kernel {
		return ExponentialSemigroup{c.Beta}
	}},
	"gaussian":       {[]string{bandwidth}, func(_ Config, sigma float64) Kernel { return Gaussian{sigma} }},
	"heat":           {[]string{"time"}, func(c Config, _ float64) Kernel { return Heat{c.Time} }},
	"hellinger":      {nil, func(Config, float64) Kernel { return Hellinger{} }},
	"intersection":   {nil, func(Config, float64) Kernel { return Intersection{} }},
	"jensen-shannon": {nil, func(Config, float64) Kernel { return JensenShannon{} }},
	"laplace":        {[]string{bandwidth}, func(_ Config, sigma float64) Kernel { return Laplace{sigma} }},
	"laplacian":      {[]string{bandwidth}, func(_ Config, sigma float64) Kernel { return Laplacian{sigma} }},
	"linear":         {[]string{bandwidth, "offset"}, func(c Config, sigma float64) Kernel { return Linear{sigma, c.Offset} }},
	"matern":         {[]string{bandwidth, "order"}, func(c Config, sigma float64) Kernel { return Matern{sigma, c.Order} }},
	"polynomial": {[]string{bandwidth, "degree", "offset"}, func(c Config, sigma float64) Kernel {
		return Polynomial{sigma, c.Offset, c.Degree}
	}},
	"reciprocal-semigroup": {[]string{"lambda"}, func(c Config, _ float64) Kernel {
		return ReciprocalSemigroup{c.Lambda}
	}},
	"skewed-chi-squared":  {[]string{"offset"}, func(c Config, _ float64) Kernel { return SkewedChiSquared{c.Offset} }},
	"skewed-intersection": {[]string{"offset"}, func(c Config, _ float64) Kernel { return SkewedIntersection{c.Offset} }},
}

// bandwidth is the key of σ.
const bandwidth = "bandwidth"

// Names lists the kernels in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(families)) }

// Keys lists the keys of the named kernel in a spec, "name" first.
func Keys(name string) []string { return append([]string{"name"}, families[name].keys...) }

// HasBandwidth reports whether the named kernel has a bandwidth σ.
func HasBandwidth(name string) bool { return slices.Contains(Keys(name), bandwidth) }

// A KeyError says what is wrong with a key of a Config.
type KeyError struct{ Key, Text string }

func (e *KeyError) Error() string { return e.Key + ": " + e.Text }

// Check returns a *KeyError if one of the keys given is not the kernel's, if one that it needs is not
// given, or if the value of one is wrong, the bandwidth's apart. The kernel is one of Names.
func (c Config) Check(given []string) error {
	for _, key := range given {
		if !slices.Contains(Keys(c.Name), key) {
			return &KeyError{key, fmt.Sprintf("is a key of %s, not of %s; remove it", list(takers(key)), c.Name)}
		}
	}
	for _, key := range families[c.Name].keys {
		need, got, ok := c.need(key)
		switch {
		case slices.Contains(given, key) && !ok:
			return &KeyError{key, fmt.Sprintf("must be %s, got %v", need, got)}
		case slices.Contains(given, key) || c.optional(key):
		case key == bandwidth:
			return &KeyError{key, "missing (bandwidth σ: a number, or a rule); add it"}
		default:
			return &KeyError{key, fmt.Sprintf("missing; kernel %s needs a number %s", c.Name, need)}
		}
	}
	return nil
}

// list joins names for a sentence.
func list(names []string) string {
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// optional reports whether a key of the kernel may be left out.
func (c Config) optional(key string) bool {
	return key == "offset" && (c.Name == "linear" || c.Name == "polynomial")
}

// need says what the value of a key of the kernel must be, what it is, and whether it is right.
func (c Config) need(key string) (need string, got any, ok bool) {
	positive := func(v float64) (string, any, bool) {
		return "> 0 and finite", v, v > 0 && v <= math.MaxFloat64
	}
	switch {
	case key == "order" && c.Name == "arc-cosine":
		return "0, 1 or 2", c.Order, slices.Contains([]float64{0, 1, 2}, c.Order)
	case key == "order":
		return "0.5, 1.5 or 2.5", c.Order, slices.Contains([]float64{0.5, 1.5, 2.5}, c.Order)
	case key == "degree":
		return "> 0", c.Degree, c.Degree >= 1
	case key == "offset" && c.optional(key):
		return ">= 0 and finite", c.Offset, c.Offset >= 0 && c.Offset <= math.MaxFloat64
	case key == "offset":
		return positive(c.Offset)
	case key == "beta":
		return positive(c.Beta)
	case key == "lambda":
		return positive(c.Lambda)
	case key == "time":
		return positive(c.Time)
	}
	return "", nil, true
}

// takers lists the kernels that have a key.
func takers(key string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !slices.Contains(Keys(name), key) })
}

// given lists the keys that are set, beside name. An order of the arc-cosine kernel may be zero.
func (c Config) given() (keys []string) {
	for key, set := range map[string]bool{
		bandwidth: HasBandwidth(c.Name), "order": c.Order != 0 || c.Name == "arc-cosine", "degree": c.Degree != 0,
		"offset": c.Offset != 0, "beta": c.Beta != 0, "lambda": c.Lambda != 0, "time": c.Time != 0,
	} {
		if set {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// The bandwidths for which 1/σ² and its multiples by small numbers are normal numbers in float32.
const minSigma, maxSigma = 1e-18, 1e18

// New returns the kernel of a configuration with bandwidth sigma, which kernels that have none ignore;
// c.Bandwidth is not looked at.
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
	return f.make(c, sigma), nil
}
