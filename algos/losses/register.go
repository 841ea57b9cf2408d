package losses

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Family is the losses of one name, which differ in their parameters. Register adds one.
type Family struct {
	Doc  string // one line, for lists
	Keys []Key  // the parameters that a spec gives beside name
	// Make returns the loss of c. The values of all keys have been checked, except when it is called with the zero
	// Config to learn the loss's task.
	Make func(c Config) Loss
}

// A Key is a parameter of a family. Its name is a key of Config, or any other: the value of another one is in the table
// params of the spec, and in Config.Params.
type Key struct {
	Name     string
	Need     string               // what the value must be, as in "> 0 and finite"
	OK       func(v float64) bool // reports whether it is; nil if every number will do
	Optional bool                 // may be left out and is then 0
}

func (k Key) ok(v float64) bool { return k.OK == nil || k.OK(v) }

// Register adds the losses of a name, before any spec is loaded: in an init function, say. It panics if the name is
// taken. Losses must be comparable values.
func Register(name string, f Family) {
	switch _, taken := families[name]; {
	case taken:
		panic("losses: " + name + " registered twice")
	case name == "" || f.Doc == "" || f.Make == nil:
		panic("losses: " + name + ": a family needs a name, a Doc line and Make")
	}
	families[name] = f
}

// Names lists the losses in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(families)) }

// Doc returns the line that lists print for the named loss, "" if there is none of that name.
func Doc(name string) string { return families[name].Doc }

// params is the key of the table of parameters that are no keys of Config.
const params = "params"

// Keys lists the keys of the named loss in a spec, "name" first.
func Keys(name string) []string {
	keys := []string{"name"}
	for _, k := range families[name].Keys {
		if _, own := (Config{}).own(k.Name); !own {
			k.Name = params
		}
		if !slices.Contains(keys, k.Name) {
			keys = append(keys, k.Name)
		}
	}
	return keys
}

// Task returns what targets the named loss takes; it does not depend on the parameters. It is "" if there is no such loss.
func Task(name string) string {
	f, ok := families[name]
	if !ok {
		return ""
	}
	return f.Make(Config{}).Task()
}

// A KeyError says what is wrong with a key of a Config.
type KeyError struct{ Key, Text string }

func (e *KeyError) Error() string { return e.Key + ": " + e.Text }

// Check returns a *KeyError if one of the keys given is not the loss's, if one that it needs is not
// given, or if the value of one is wrong. The loss is one of Names.
func (c Config) Check(given []string) error {
	for _, key := range given {
		if slices.Contains(Keys(c.Name), key) {
			continue
		}
		if with := takers(key); len(with) > 0 {
			return &KeyError{key, fmt.Sprintf("is a key of %s, not of %s; remove it", strings.Join(with, " and "), c.Name)}
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
		if !own {
			v, has = c.Params[k.Name]
			path = params + "." + k.Name
		}
		switch {
		case has && !k.ok(v):
			return &KeyError{path, fmt.Sprintf("must be %s, got %v", k.Need, v)}
		case !has && !k.Optional:
			return &KeyError{path, fmt.Sprintf("missing; loss %s needs a number %s", c.Name, k.Need)}
		}
	}
	return nil
}

// own returns the value of a parameter that has a key of its own.
func (c Config) own(key string) (v float64, ok bool) {
	v, ok = map[string]float64{"delta": c.Delta, "epsilon": c.Epsilon, "tau": c.Tau}[key]
	return v, ok
}

// takers lists the losses that have a key.
func takers(key string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !slices.Contains(Keys(name), key) })
}

// given lists the keys that are set, without name. A parameter that may be 0 counts as set.
func (c Config) given() (keys []string) {
	for _, key := range []string{"delta", "epsilon", "tau"} {
		if v, _ := c.own(key); v != 0 {
			keys = append(keys, key)
		}
	}
	for _, k := range families[c.Name].Keys {
		if _, own := c.own(k.Name); own && k.ok(0) {
			keys = append(keys, k.Name)
		}
	}
	return keys
}
