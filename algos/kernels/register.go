package kernels

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A Family is the kernels of one name, which differ in their parameters. Register adds one.
type Family struct {
	Doc  string // one line, for lists
	Keys []Key  // the parameters that a spec gives beside name
	// Make returns the kernel of c with bandwidth sigma, which is 0 if "bandwidth" is none of Keys. The values of
	// all keys have been checked.
	Make func(c Config, sigma float64) Kernel
}

// A Key is a parameter of a family. Its name is a key of Config, "bandwidth" for σ, or any other: the value of another
// one is in the table params of the spec, and in Config.Params.
type Key struct {
	Name     string
	Need     string               // what the value must be, as in "> 0 and finite"; not used for the bandwidth
	OK       func(v float64) bool // reports whether it is; nil if every number will do
	Optional bool                 // may be left out and is then 0
}

// Positive is the key of a positive, finite number.
func Positive(name string) Key {
	return Key{Name: name, Need: "> 0 and finite", OK: func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }}
}

func (k Key) ok(v float64) bool { return k.OK == nil || k.OK(v) }

// Register adds the kernels of a name, before any spec is loaded: in an init function, say. It panics if the name is
// taken. Of returns a kernel of a plain function of two points.
func Register(name string, f Family) {
	switch _, taken := families[name]; {
	case taken:
		panic("kernels: " + name + " registered twice")
	case name == "" || f.Doc == "" || f.Make == nil:
		panic("kernels: " + name + ": a family needs a name, a Doc line and Make")
	}
	families[name] = f
}

// Names lists the kernels in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(families)) }

// Doc returns the line that lists print for the named kernel, "" if there is none of that name.
func Doc(name string) string { return families[name].Doc }

// params is the key of the table of parameters that are no keys of Config.
const params = "params"

// Keys lists the keys of the named kernel in a spec, "name" first.
func Keys(name string) []string {
	keys := []string{"name"}
	for _, k := range families[name].Keys {
		if _, own := (Config{}).own(k.Name); !own && k.Name != bandwidth {
			k.Name = params
		}
		if !slices.Contains(keys, k.Name) {
			keys = append(keys, k.Name)
		}
	}
	return keys
}

// HasBandwidth reports whether the named kernel has a bandwidth σ.
func HasBandwidth(name string) bool { return slices.Contains(Keys(name), bandwidth) }

// A KeyError says what is wrong with a key of a Config.
type KeyError struct{ Key, Text string }

func (e *KeyError) Error() string { return e.Key + ": " + e.Text }

// Check returns a *KeyError if one of the keys given is not the kernel's, if one that it needs is not
// given, or if the value of one is wrong, except that of the bandwidth. The kernel is one of Names.
func (c Config) Check(given []string) error {
	for _, key := range given {
		if slices.Contains(Keys(c.Name), key) {
			continue
		}
		if with := takers(key); len(with) > 0 {
			return &KeyError{key, fmt.Sprintf("is a key of %s, not of %s; remove it", list(with), c.Name)}
		}
		return &KeyError{key, fmt.Sprintf("is no key of %s; remove it", c.Name)}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		if !slices.ContainsFunc(families[c.Name].Keys, func(k Key) bool { return k.Name == name }) {
			return &KeyError{params + "." + name, fmt.Sprintf("is no parameter of %s; remove it", c.Name)}
		}
	}
	for _, k := range families[c.Name].Keys {
		v, own := c.own(k.Name)
		path, has := k.Name, slices.Contains(given, k.Name)
		if !own && k.Name != bandwidth {
			v, has = c.Params[k.Name]
			path = params + "." + k.Name
		}
		switch {
		case has && !k.ok(v):
			return &KeyError{path, fmt.Sprintf("must be %s, got %v", k.Need, v)}
		case has || k.Optional:
		case k.Name == bandwidth:
			return &KeyError{path, "missing (bandwidth σ: a number, or a rule); add it"}
		default:
			return &KeyError{path, fmt.Sprintf("missing; kernel %s needs a number %s", c.Name, k.Need)}
		}
	}
	return nil
}

// own returns the value of a parameter that has a key of its own.
func (c Config) own(key string) (v float64, ok bool) {
	v, ok = map[string]float64{
		"order": c.Order, "degree": float64(c.Degree), "offset": c.Offset, "beta": c.Beta, "time": c.Time, "lambda": c.Lambda,
	}[key]
	return v, ok
}

// list joins names for a sentence.
func list(names []string) string {
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// takers lists the kernels that have a key.
func takers(key string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !slices.Contains(Keys(name), key) })
}

// given lists the keys that are set, without name. A parameter that may be 0 counts as set.
func (c Config) given() (keys []string) {
	for _, key := range []string{"order", "degree", "offset", "beta", "time", "lambda"} {
		if v, _ := c.own(key); v != 0 {
			keys = append(keys, key)
		}
	}
	for _, k := range families[c.Name].Keys {
		if _, own := c.own(k.Name); own && k.ok(0) || k.Name == bandwidth {
			keys = append(keys, k.Name)
		}
	}
	return keys
}
