// Package schedules holds step-size sequences γ_t, t = 1, 2, ….
package schedules

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"repro/algos/params"
)

// A Schedule gives the step size of iteration t ≥ 1. Its exported fields are its parameters, named
// in specs by their toml tags beside the key "schedule".
type Schedule interface {
	Gamma(t int) float64
}

type entry struct {
	doc  string
	make func() Schedule
}

var registry = map[string]entry{
	"constant":     {"γ_t = γ₀", func() Schedule { return &Constant{Gamma0: 1} }},
	"inverse":      {"γ_t = γ₀/(1 + t/t₀), about γ₀ while t ≪ t₀ and about γ₀t₀/t when t ≫ t₀", func() Schedule { return &Inverse{Gamma0: 1, T0: 1} }},
	"inverse-sqrt": {"γ_t = γ₀/√t [Kivinen, Smola & Williamson 2004]", func() Schedule { return &InverseSqrt{Gamma0: 1} }},
	"theta":        {"γ_t = θ/t [dai2014 Thm 4 and 5]; θ = 1/ν is the step of Pegasos", func() Schedule { return &Theta{Theta: 1} }},
}

// Register adds a schedule under a name, with one line for lists, before any spec is loaded: in an init function, for example.
// defaults returns a pointer to a struct with the parameters at their defaults; every schedule has a type of its own.
// Register panics if the name is taken.
func Register(name, doc string, defaults func() Schedule) {
	switch _, taken := registry[name]; {
	case taken:
		panic("schedules: " + name + " registered twice")
	case name == "" || doc == "" || defaults == nil:
		panic("schedules: " + name + ": a schedule needs a name, a line for lists and its defaults")
	}
	if err := params.CheckTags(defaults()); err != nil {
		panic("schedules: " + name + ": " + err.Error())
	}
	registry[name] = entry{doc, defaults}
}

// New returns a pointer to the named schedule with its defaults, which a spec overwrites.
func New(name string) (Schedule, error) {
	e, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown schedule %q", name)
	}
	return e.make(), nil
}

// Names lists the schedules in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Doc returns the line that lists print for the named schedule, "" if there is not one of that name.
func Doc(name string) string { return registry[name].doc }

// Constant is γ_t = γ₀.
type Constant struct {
	Gamma0 float64 `toml:"gamma0" want:"> 0" doc:"step size γ₀"`
}

func (s *Constant) Gamma(int) float64 { return s.Gamma0 }

// Inverse is γ_t = γ₀/(1 + t/t₀): about γ₀ while t ≪ t₀, and about θ/t with θ = γ₀t₀ when t ≫ t₀. So it decreases
// like the θ/t of dai2014 Thm 4, whose first steps are unusable: the condition θν > 1 makes γ_1 > 10⁶ at ν = 10⁻⁶.
type Inverse struct {
	Gamma0 float64 `toml:"gamma0" want:"> 0" doc:"step size γ₀ before it decreases"`
	T0     float64 `toml:"t0" want:"> 0" doc:"iteration t₀ at which the step size is γ₀/2"`
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
