package experiments

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"

	"repro/experiments/strict"
	"repro/results/imports"
)

// wanted lists the metrics that the spec takes from its curves.
func (s *Spec) wanted() (all []imports.Wanted) {
	imported := func(name string) bool {
		return slices.ContainsFunc(s.Methods, func(m Method) bool { return m.imported() && s.effective(&m).measures(name) })
	}
	for _, m := range s.Metrics {
		if !imported(m.Name) {
			continue
		}
		all = append(all, imports.Wanted{Name: m.Name, Column: cmp.Or(m.Column, m.Name)})
	}
	return all
}

// curveSettings returns what decides the numbers of imported cells, beside the content of the files.
func (s *Spec) curveSettings() map[string]any {
	set, columns := strict.EncodeSet(s.Curves), map[string]any{}
	for _, m := range s.wanted() {
		columns[m.Name] = m.Column
	}
	set["columns_of"] = columns
	return set
}

// curveNames lists what the file calls the methods of the spec.
func (s *Spec) curveNames() (names []string) {
	for _, m := range s.Methods {
		if curve, ok := m.Configured.(*Imported); ok {
			names = append(names, cmp.Or(curve.Curve, m.ID))
		}
	}
	return names
}

// CurveFiles lists the files with curves.
func (s *Spec) CurveFiles() ([]string, error) { return s.Curves.Files(s.Dir(), s.curveNames()) }

// curveFiles returns the paths of the files with curves by their names from the spec's folder.
func (s *Spec) curveFiles() map[string]string {
	files := map[string]string{}
	paths, err := s.CurveFiles()
	if err != nil {
		paths = []string{filepath.Join(s.Dir(), s.Curves.File)}
	}
	for _, path := range paths {
		files[imports.NameOf(s.Dir(), path)] = path
	}
	return files
}

// ErrAbsent is wrapped by the error of a cell whose method and seed are both in the file of the curves, and not together.
var ErrAbsent = errors.New("no curve of this seed")

// ReadCurves reads the curves of the spec, the first time it is called.
func (s *Spec) ReadCurves() (*imports.Table, error) { return s.readCurves() }
