package experiments

import (
	"maps"
	"slices"

	"repro/experiments/spectree"
)

// A checker looks for contradictions in a spec whose keys are valid one by one. Item i of an array of the tree is
// item i of the same array of the spec.
type checker struct {
	*spectree.Mistakes
	source Source
	spec   *Spec
	tree   *spectree.Node
	known  names

	full     bool                      // the spec is laid out at profile paper, without edits
	varied   map[[2]string]string      // what is wrong with a key across a grid, by both; empty if nothing is
	settings map[string]map[string]any // of methods, by id
	others   map[string]*Spec          // specs with claims that this one repeats, by id
}

// names are the names that claims and figures may refer to: those of the profile laid out, and those of the paper
// profile that it removes.
type names struct {
	methods map[string]bool // and grids
	claims  map[string]bool
}

// with returns the names with those of a spec added.
func (n names) with(s *Spec) names {
	all := names{methods: map[string]bool{}, claims: map[string]bool{}}
	maps.Copy(all.methods, n.methods)
	maps.Copy(all.claims, n.claims)
	for _, m := range s.Methods {
		all.methods[m.ID] = true
		if m.Group != "" {
			all.methods[m.Group] = true
		}
	}
	for _, c := range s.Claims {
		all.claims[c.ID] = true
	}
	return all
}

// firstDouble returns the position of the first string that equals an earlier one, -1 if there is none.
func firstDouble(s []string) int {
	for i, x := range s {
		if slices.Contains(s[:i], x) {
			return i
		}
	}
	return -1
}
