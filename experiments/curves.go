package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/imports"
	"repro/results/printed"
	"repro/results/records"
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
	for _, a := range s.Abscissae {
		if column := a.column(); column != "" && column != s.Curves.Abscissa {
			all = append(all, imports.Wanted{Name: a.Name, Column: column})
		}
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
	if mesh, ok := s.Curves.Axis(); ok && s.Curves.Abscissa == "" && mesh.Finer == records.FinerSmaller { // records before meshes had it rise
		set["falls"] = true
	}
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

// curves checks where the curves of imported methods are, and that the file can tell them apart.
func (c checker) curves() {
	o, table := &c.spec.Curves, c.tree.Find("curves")
	first := -1
	for i, n := range c.tree.Find("method").Items() {
		m, path := &c.spec.Methods[i], spectree.Entry("method", n, i)
		switch {
		case !m.imported():
		case table == nil:
			c.Add(spectree.At(n, "algorithm"), path+".algorithm", "imported needs the file of the curve; write [curves] with file = \"curves.csv\"")
		case first >= 0 && !o.TellsMethods():
			c.Add(n.Place, path, "the file has no name for methods, and method %q has its only curve; name the column in curves.method", c.spec.Methods[first].ID)
		case first < 0:
			first = i
		}
		if b := n.Find("budget"); b != nil && m.imported() {
			c.Add(b.Place, path+".budget", "has no effect on an imported curve; remove it")
		}
	}
	if table == nil {
		return
	}
	if first < 0 {
		c.Add(table.Place, "curves", "no method is imported; write [[method]] with algorithm = %q, or remove the table", importedName)
		return
	}
	if key, wrong := o.Check(); wrong != "" {
		c.Add(spectree.At(table, key), "curves."+key, "%s", wrong)
	}
	if _, known := o.Axis(); o.Abscissa != "" && !known {
		c.Add(spectree.At(table, "abscissa"), "curves.abscissa", "%s is no name of which it is known which values are finer; write [[abscissa]] with name = %[1]s and finer = \"smaller\" or \"larger\"", printed.Quote(o.Abscissa))
	}
	seeds := c.spec.Repeat.Seeds
	switch {
	case seeds > 1 && !o.TellsSeeds():
		c.Add(spectree.At(c.tree, "repeat", "seeds"), "repeat.seeds", "is %d, and the file has no name for seeds; name the column in curves.seed, or write 1", seeds)
	case len(o.Seeds) > 0 && len(o.Seeds) != seeds:
		c.Add(spectree.At(table, "seeds"), "curves.seeds", "lists %d, and %s is %d; give both the same number", len(o.Seeds), spectree.Beside("repeat.seeds", c.tree.Find("repeat", "seeds")), seeds)
	}
}

// onAxis says why the points of imported curves have no place on an abscissa, empty if they have one.
func (c checker) onAxis(x string) string {
	a, known := records.AbscissaOf(x)
	o := c.spec.Curves.Filled(nil)
	key := ""
	switch {
	case !known || !slices.ContainsFunc(c.spec.Methods, func(m Method) bool { return m.imported() }):
	case x == "epoch" && o.Epoch == "", x == "step" && o.Step == "" && o.Epoch+o.Seconds+o.Clock != "":
		key = x
	case a.Source == records.Clock && o.Seconds+o.Clock == "":
		key = "seconds"
	case a.Source == records.Counts || x == "seen":
		return "imported curves have no counts of work; choose step, epoch or seconds"
	}
	if key != "" {
		return fmt.Sprintf("the imported curves have no %s; name their column in curves.%s, or choose another x", x, key)
	}
	return ""
}
