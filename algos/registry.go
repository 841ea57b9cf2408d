package algos

import (
	"fmt"
	"slices"
)

var registry = map[string]func() Algorithm{}

// Register adds a method under its name in specs. Each call of defaults must return a new method with its defaults. A
// package that holds methods registers each beside its type,
//
//	var _ = algos.Register("krr", func() algos.Algorithm { return &KRR{} })
//
// A program knows the methods of all packages that it imports. Register panics if the name is taken.
func Register(name string, defaults func() Algorithm) struct{} {
	if registry[name] != nil {
		panic("algos: " + name + " registered twice")
	}
	registry[name] = defaults
	return struct{}{}
}

// New returns a pointer to the named method with its defaults, for a spec to overwrite.
func New(name string) (Algorithm, error) {
	f, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown algorithm %q", name)
	}
	return f(), nil
}

// Names lists the registered methods in alphabetical order.
func Names() []string {
	s := make([]string, 0, len(registry))
	for n := range registry {
		s = append(s, n)
	}
	slices.Sort(s)
	return s
}
