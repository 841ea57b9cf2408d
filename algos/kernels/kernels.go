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
	Name      string    `toml:"name" want:"kernel" doc:"kernel: laplacian is one of ‖x - z‖₁, cauchy-product a product over the inputs, all others of ‖x - z‖₂ or x·z"`
	Bandwidth Bandwidth `toml:"bandwidth" doc:"bandwidth σ: a number, or a rule"`
	Order     float64   `toml:"order" want:">= 0" doc:"order ν of the Matérn kernel: 0.5, 1.5 or 2.5"`
	Degree    int       `toml:"degree" want:">= 0" doc:"degree p of the polynomial kernel (x·z/σ² + c)^p"`
	Offset    float64   `toml:"offset" want:">= 0" doc:"c of the linear kernel x·z/σ² + c and of the polynomial kernel, 0 if left out"`
}

// Bandwidth is σ itself (a number in the spec) or a rule that finds it from the training inputs.
type Bandwidth struct {
	Value      float64 `toml:"value" want:">= 0" doc:"σ itself"`
	Rule       string  `toml:"rule" want:"|median" doc:"median: from the median pairwise distance of a sample of the training inputs"`
	Scale      float64 `toml:"scale" want:"> 0" doc:"factor c applied to the median"`
	Convention string  `toml:"convention" want:"|sigma=median|exp(-d2/median2)" doc:"sigma=median (the paper's text, the default): σ = c·median; exp(-d2/median2) (the authors' code): σ = c·median/√2"`
	Sample     int     `toml:"sample" want:"> 1" doc:"training inputs the median is taken over"`
}

// A family is the kernels of one name.
type family struct {
	keys []string // beside name and bandwidth
	make func(c Config, sigma float64) Kernel
}

var families = map[string]family{
	"cauchy":         {nil, func(_ Config, sigma float64) Kernel { return Cauchy{sigma} }},
	"cauchy-product": {nil, func(_ Config, sigma float64) Kernel { return CauchyProduct{sigma} }},
	"gaussian":       {nil, func(_ Config, sigma float64) Kernel { return Gaussian{sigma} }},
	"laplace":        {nil, func(_ Config, sigma float64) Kernel { return Laplace{sigma} }},
	"laplacian":      {nil, func(_ Config, sigma float64) Kernel { return Laplacian{sigma} }},
	"linear":         {[]string{"offset"}, func(c Config, sigma float64) Kernel { return Linear{sigma, c.Offset} }},
	"matern":         {[]string{"order"}, func(c Config, sigma float64) Kernel { return Matern{sigma, c.Order} }},
	"polynomial": {[]string{"degree", "offset"}, func(c Config, sigma float64) Kernel {
		return Polynomial{sigma, c.Offset, c.Degree}
	}},
}

// Names lists the kernels in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(families)) }

// Keys lists the keys of the named kernel in a spec, "name" first.
func Keys(name string) []string { return append([]string{"name", "bandwidth"}, families[name].keys...) }

// A KeyError says what is wrong with a key of a Config.
type KeyError struct{ Key, Text string }

func (e *KeyError) Error() string { return e.Key + ": " + e.Text }

// Check returns a *KeyError if one of the keys given is not the kernel's, if one that it needs is not
// given, or if the value of one is wrong, the bandwidth's apart. The kernel is one of Names.
func (c Config) Check(given []string) error {
	for _, key := range given {
		if !slices.Contains(Keys(c.Name), key) {
			return &KeyError{key, fmt.Sprintf("is a key of %s, not of %s; remove it", strings.Join(takers(key), " and "), c.Name)}
		}
	}
	for _, key := range families[c.Name].keys {
		switch need, got := c.need(key); {
		case need == "":
		case !slices.Contains(given, key):
			return &KeyError{key, fmt.Sprintf("missing; kernel %s needs a number %s", c.Name, need)}
		default:
			return &KeyError{key, fmt.Sprintf("must be %s, got %v", need, got)}
		}
	}
	return nil
}

// need says what the value of a key must be, empty if it is that.
func (c Config) need(key string) (need string, got any) {
	switch {
	case key == "order" && !slices.Contains([]float64{0.5, 1.5, 2.5}, c.Order):
		return "0.5, 1.5 or 2.5", c.Order
	case key == "degree" && c.Degree < 1:
		return "> 0", c.Degree
	case key == "offset" && !(c.Offset >= 0 && c.Offset <= math.MaxFloat64):
		return ">= 0 and finite", c.Offset
	}
	return "", nil
}

// takers lists the kernels that have a key.
func takers(key string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !slices.Contains(Keys(name), key) })
}

// given lists the keys that are not zero, beside name and bandwidth.
func (c Config) given() (keys []string) {
	if c.Order != 0 {
		keys = append(keys, "order")
	}
	if c.Degree != 0 {
		keys = append(keys, "degree")
	}
	if c.Offset != 0 {
		keys = append(keys, "offset")
	}
	return keys
}

// The bandwidths for which 1/σ² and its multiples by small numbers are normal numbers in float32.
const minSigma, maxSigma = 1e-18, 1e18

// New returns the kernel of a configuration with bandwidth sigma; c.Bandwidth is not looked at.
func New(c Config, sigma float64) (Kernel, error) {
	f, ok := families[c.Name]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown kernel %q", c.Name)
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
