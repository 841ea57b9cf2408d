// Package schedules holds step-size sequences γ_t, t = 1, 2, ….
package schedules

import (
	"fmt"
	"math"
	"slices"
)

// A Schedule gives the step size of iteration t ≥ 1. Its exported fields are its parameters, named
// in specs by their toml tags next to the key "schedule".
type Schedule interface {
	Gamma(t int) float64
}

var registry = map[string]func() Schedule{
	"constant":     func() Schedule { return &Constant{Gamma0: 1} },
	"inverse":      func() Schedule { return &Inverse{Gamma0: 1, T0: 1} },
	"inverse-sqrt": func() Schedule { return &InverseSqrt{Gamma0: 1} },
	"theta":        func() Schedule { return &Theta{Theta: 1} },
}

// New returns a pointer to the named schedule with its defaults, for a spec to overwrite.
func New(name string) (Schedule, error) {
	f, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown schedule %q", name)
	}
	return f(), nil
}

// Names lists the schedules in alphabetical order.
func Names() []string {
	var s []string
	for n := range registry {
		s = append(s, n)
	}
	slices.Sort(s)
	return s
}

// Constant is γ_t = γ₀.
type Constant struct {
	Gamma0 float64 `toml:"gamma0" want:"> 0" doc:"step size γ₀"`
}

func (s *Constant) Gamma(int) float64 { return s.Gamma0 }

// Inverse is γ_t = γ₀/(1 + t/t₀): constant at first, θ/t with θ = γ₀t₀ in the end. It has the rate
// of dai2014 Thm 4 without its unusable first steps (θν > 1 makes γ_1 = 10⁶ at ν = 10⁻⁶).
type Inverse struct {
	Gamma0 float64 `toml:"gamma0" want:"> 0" doc:"step size γ₀ at the start"`
	T0     float64 `toml:"t0" want:"> 0" doc:"iteration t₀ at which the step has halved"`
}

func (s *Inverse) Gamma(t int) float64 { return s.Gamma0 / (1 + float64(t)/s.T0) }

// InverseSqrt is γ_t = γ₀/√t, the schedule of NORMA's analysis [Kivinen, Smola, Williamson 2004].
type InverseSqrt struct {
	Gamma0 float64 `toml:"gamma0" want:"> 0" doc:"step size γ₀ of the first iteration"`
}

func (s *InverseSqrt) Gamma(t int) float64 { return s.Gamma0 / math.Sqrt(float64(t)) }

// Theta is γ_t = θ/t, dai2014 Thm 4 and 5 as printed; Pegasos' 1/(νt) is θ = 1/ν.
type Theta struct {
	Theta float64 `toml:"theta" want:"> 0" doc:"θ of γ_t = θ/t"`
}

func (s *Theta) Gamma(t int) float64 { return s.Theta / float64(t) }
