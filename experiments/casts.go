package experiments

import (
	"strings"
	"sync"

	"repro/plots/figures"
	"repro/results/claims"
)

// catalogCasts holds the casts of the specs of the catalog that were loaded, by id.
var catalogCasts sync.Map

// gathering makes figures that are drawn at the same time load the specs of their paper once.
var gathering sync.Mutex

// casts returns the casts of the figures of the paper's experiments in the catalog, in the order of their ids, and those of
// the spec's own figures if it is not in the catalog. It loads the specs that were not loaded before, side by side.
func (s *Spec) casts() []claims.Cast {
	gathering.Lock()
	defer gathering.Unlock()
	var ids []string
	var unknown []Ref
	for _, id := range catalogIDs() {
		if !strings.HasPrefix(id, s.Paper+"/") {
			continue
		}
		ids = append(ids, id)
		if _, known := catalogCasts.Load(id); !known {
			unknown = append(unknown, Ref{ID: id})
		}
	}
	LoadAll(unknown, LoadOptions{}) // whoever runs a spec sees its mistakes
	var all []claims.Cast
	for _, id := range ids {
		if known, ok := catalogCasts.Load(id); ok {
			all = append(all, known.([]claims.Cast)...)
		}
	}
	if catalog[s.ID] == nil {
		all = append(all, s.ownCasts()...)
	}
	return all
}

// ownCasts returns the methods, and the grids, that each figure of the spec draws, without the generating function.
func (s *Spec) ownCasts() []claims.Cast {
	labels := map[string]string{}
	var every claims.Cast
	for _, m := range s.Methods {
		labels[m.ID] = m.Label
		every = append(every, claims.Method{ID: m.ID, Label: m.Label})
	}
	var casts []claims.Cast
	for _, f := range s.Figures {
		var cast claims.Cast
		for _, x := range f.Series {
			label := labels[x.Method]
			if label == "" {
				label = x.Label // of a grid
			}
			if x.Method != figures.Truth {
				cast = append(cast, claims.Method{ID: x.Method, Label: label})
			}
		}
		if len(f.Series) == 0 && figures.KindOf(f.Kind).Takes("series") {
			cast = every
		}
		casts = append(casts, cast)
	}
	return casts
}
