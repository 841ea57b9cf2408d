package experiments

import (
	"os"
	"strings"

	"repro/results/claims"
)

// Experiment returns what figures, tables and verdicts need to know of the spec.
func (s *Spec) Experiment() claims.Experiment {
	e := claims.Experiment{
		ID: s.ID, Paper: s.PaperInfo, Title: s.Title, Source: s.Source, Data: s.Data.Name,
		Figures: s.Figures, Casts: s.Casts, Tables: s.Tables, Ambiguities: s.Ambiguities,
		Profile: s.Profile, Metrics: s.described(), Where: s.ClaimPlace, Argument: s.Argument(),
	}
	for _, a := range s.Abscissae {
		e.Abscissae = append(e.Abscissae, a.described())
	}
	for _, m := range s.Methods {
		if m.imported() {
			e.Imported = append(e.Imported, m.ID)
		}
		_, program := m.Configured.(*External)
		e.External = e.External || program
		shown := claims.Method{ID: m.ID, Label: m.Label, TimeOf: s.effective(&m).budget().TimeOf, Deterministic: s.deterministic(&m)}
		if !strings.HasPrefix(s.Profile, CI) { // where the gate decides how often it looks
			shown.Planned = m.first
		}
		e.Methods = append(e.Methods, shown)
	}
	for _, c := range s.Expand() {
		planned := claims.Planned{Cell: c.Name, Method: c.Method.ID, Digest: c.Digest}
		if c.unread {
			planned.Digest = ""
		}
		e.Expected = append(e.Expected, planned)
	}
	e.Claims = e.Converted(s.Claims)
	e.Original = claims.Original{Settings: map[string]map[string]any{}, Claims: e.Converted(s.Original.Claims)}
	share := map[string]map[string]any{}
	for _, m := range s.Original.Methods {
		e.Original.Settings[m.ID], _ = s.Original.settings(m, share)
	}
	return e
}

// Argument names a spec on the command line: by the path of its file, or by its id if it is one of the catalog.
func (s *Spec) Argument() string {
	if _, err := os.Stat(s.File); err == nil {
		return s.File
	}
	return s.ID
}
