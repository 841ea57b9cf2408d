// Package kernels holds positive definite kernels k(x, z), their spectral measures and their random
// feature maps (dai2014 Table 1).
package kernels

import (
	"fmt"
	"math"
	"slices"

	"repro/algos/compute"
)

// A Kernel is a positive definite function of two points.
type Kernel interface {
	compute.KernelFunc
	// Name is the kernel's name in specs.
	Name() string
	// Diagonal returns k(x, x), which does not depend on x for the kernels here.
	Diagonal() float64
}

// A Featured kernel has explicit random features φ_ω with E_ω[φ_ω(x) φ_ω(z)] = k(x, z)
// [dai2014 Thm 1].
type Featured interface {
	Kernel
	// Features returns the feature map on inputs of dimension d whose block i holds the width
	// features drawn from the stream (seed, "features", i).
	Features(seed uint64, d, width int) compute.FeatureMap
}

// Config is a kernel in a spec.
type Config struct {
	Name      string    `toml:"name" want:"kernel" doc:"kernel"`
	Bandwidth Bandwidth `toml:"bandwidth" doc:"bandwidth σ: a number, or a rule"`
}

// Bandwidth is σ itself (a number in the spec) or a rule that finds it from the training inputs.
type Bandwidth struct {
	Value      float64 `toml:"value" want:">= 0" doc:"σ itself"`
	Rule       string  `toml:"rule" want:"|median" doc:"median: from the median pairwise distance of a sample of the training inputs"`
	Scale      float64 `toml:"scale" want:"> 0" doc:"factor c applied to the median"`
	Convention string  `toml:"convention" want:"|sigma=median|exp(-d2/median2)" doc:"sigma=median (the paper's text, the default): σ = c·median; exp(-d2/median2) (the authors' code): σ = c·median/√2"`
	Sample     int     `toml:"sample" want:"> 1" doc:"training inputs the median is taken over"`
}

// Names lists the kernels in alphabetical order.
func Names() []string {
	s := []string{"gaussian"}
	slices.Sort(s)
	return s
}

// New returns the named kernel with bandwidth sigma.
func New(name string, sigma float64) (Kernel, error) {
	if !(sigma > 0) || math.IsInf(sigma, 0) {
		return nil, fmt.Errorf("kernel %s: bandwidth must be positive and finite, got %v", name, sigma)
	}
	switch name {
	case "gaussian":
		return Gaussian{Sigma: sigma}, nil
	}
	return nil, fmt.Errorf("unknown kernel %q", name)
}
