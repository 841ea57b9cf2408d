package experiments

import (
	"maps"
	"reflect"
	"repro/results"
	"slices"
	"sync"
)

// papers are the entries of papers.toml by key.
var papers = sync.OnceValue(func() map[string]results.Paper {
	text, err := embedded.ReadFile("papers.toml")
	if err != nil {
		panic("experiments: " + err.Error())
	}
	root, err := parse("papers.toml", string(text))
	if err != nil {
		panic("experiments: " + err.Error())
	}
	found := &mistakes{file: "papers.toml"}
	all := map[string]results.Paper{}
	for _, key := range root.table().keys {
		paper := results.Paper{Key: key}
		binder{found}.value(root.find(key), reflect.ValueOf(&paper).Elem(), key, constraint{})
		all[key] = paper
	}
	if err := found.err(); err != nil {
		panic("experiments: " + err.Error())
	}
	return all
})

func paperKeys() []string { return slices.Sorted(maps.Keys(papers())) }

// Papers lists the papers of papers.toml in alphabetical order of their keys.
func Papers() []results.Paper {
	var all []results.Paper
	for _, key := range paperKeys() {
		all = append(all, papers()[key])
	}
	return all
}

// PaperInfo returns the spec's paper, with nothing but its key if it is not in papers.toml.
func (s *Spec) PaperInfo() results.Paper {
	if p, ok := papers()[s.Paper]; ok {
		return p
	}
	return results.Paper{Key: s.Paper}
}
