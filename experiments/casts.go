package experiments

import (
	"strings"
	"sync"

	"repro/results/claims"
)

// paperCasts holds the casts of the figures of each paper's experiments in the catalog, once they are needed.
var paperCasts sync.Map

// casts returns the casts of the figures of the paper's experiments in the catalog, in the order of their ids, and those of
// the spec's own figures if it is not in the catalog.
func (s *Spec) casts() []claims.Cast {
	known, ok := paperCasts.Load(s.Paper)
	if !ok {
		var all []claims.Cast
		for _, id := range catalogIDs() {
			if !strings.HasPrefix(id, s.Paper+"/") {
				continue
			}
			if other, err := Load(Ref{ID: id}, LoadOptions{}); err == nil {
				all = append(all, other.ownCasts()...)
			}
		}
		known, _ = paperCasts.LoadOrStore(s.Paper, all)
	}
	all := known.([]claims.Cast)
	if _, shipped := catalog[s.ID]; shipped {
		return all
	}
	return append(all[:len(all):len(all)], s.ownCasts()...)
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
			if x.Method != truth {
				cast = append(cast, claims.Method{ID: x.Method, Label: label})
			}
		}
		if len(f.Series) == 0 && f.Kind != "exponents" {
			cast = every
		}
		casts = append(casts, cast)
	}
	return casts
}
