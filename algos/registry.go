package algos

import (
	"fmt"
	"maps"
	"slices"

	"repro/algos/params"
)

type entry struct {
	doc      string
	defaults func() Algorithm
}

var registry = map[string]entry{}

// Register adds a method under its name in specs, with one line for lists. Each call of defaults must return a new method
// with its defaults. A package that holds methods registers each beside its type,
//
//	var _ = algos.Register("krr", "exact kernel ridge regression", func() algos.Algorithm { return &KRR{} })
//
// A program knows the methods of all packages that it imports. Register panics if the name is taken.
func Register(name, doc string, defaults func() Algorithm) struct{} {
	switch _, taken := registry[name]; {
	case taken:
		panic("algos: " + name + " registered twice")
	case name == "" || doc == "" || defaults == nil:
		panic("algos: " + name + ": a method needs a name, a line for lists and its defaults")
	}
	if err := params.CheckTags(defaults()); err != nil {
		panic("algos: " + name + ": " + err.Error())
	}
	registry[name] = entry{doc, defaults}
	return struct{}{}
}

// New returns a pointer to the named method with its defaults, for a spec to overwrite.
func New(name string) (Algorithm, error) {
	e, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown algorithm %q", name)
	}
	return e.defaults(), nil
}

// Names lists the registered methods in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Doc returns the line that lists print for the named method, "" if there is none of that name.
func Doc(name string) string { return registry[name].doc }
