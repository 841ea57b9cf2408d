package kernels

import (
	"slices"

	"repro/algos/params"
)

// A Family is the kernels of one name, which differ in their parameters: Doc is a line for lists, Keys are the
// parameters that a spec gives beside name, and Make returns the kernel of a Config with bandwidth sigma, which is 0 if
// "bandwidth" is none of Keys. Make is called with values that have been checked.
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

// Doc returns the line that lists print for the named kernel, "" if there is none of that name.
func Doc(name string) string { return registry.Families[name].Doc }

// Keys lists the keys of the named kernel in a spec, "name" first.
func Keys(name string) []string { return registry.Keys(name) }

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
