package experiments

import (
	"repro/results/claims"
	"strings"
	"sync"
)

// Experiment returns what figures, tables and verdicts need to know of the spec.
func (s *Spec) Experiment() claims.Experiment {
	e := claims.Experiment{
		ID: s.ID, Paper: s.PaperInfo(), Title: s.Title, Source: s.Source,
		Figures: s.Figures, Casts: sync.OnceValue(s.casts), Tables: s.Tables, Ambiguities: s.Ambiguities,
		Profile: s.Profile, Metrics: s.Evaluate.described(),
	}
	for _, m := range s.Methods {
		e.Methods = append(e.Methods, claims.Method{ID: m.ID, Label: m.Label, TimeOf: s.effective(&m).budget().TimeOf})
	}
	for _, c := range s.Expand() {
		planned := claims.Planned{Cell: c.Name, Method: c.Method.ID, Digest: c.Digest}
		if c.unread {
			planned.Digest = ""
		}
		e.Expected = append(e.Expected, planned)
	}
	e.Claims = e.Converted(s.Claims)
	e.Original = claims.Original{Settings: map[string]map[string]any{}, Claims: e.Converted(s.original.Claims)}
	for _, m := range s.original.Methods {
		e.Original.Settings[m.ID], _ = s.original.settings(m)
	}
	return e
}

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
