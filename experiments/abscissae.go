package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"repro/algos/compute/exact"
	"repro/algos/metrics"
	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/printed"
	"repro/results/records"
)

// An Abscissa is a discretisation parameter, such as a mesh width: claims and figures read metrics against it, and the points of a
// record, which go from the coarsest mesh to the finest, have it among their values.
type Abscissa struct {
	Name      string    `toml:"name" must:"yes" doc:"what x of claims, figures and tables calls it, under which programs print it, and in braces in their commands"`
	Column    string    `toml:"column" doc:"column of [curves] with its values; the name if left out"`
	Words     string    `toml:"words" doc:"what figures and tables call it, without its unit; if left out, what the name means, or the name"`
	Unit      string    `toml:"unit" doc:"unit, such as s"`
	Finer     string    `toml:"finer" want:"|smaller|larger" doc:"which values are finer; known of names such as h, dx, dt, tol, N, n, ndofs, cells and degree"`
	Values    []float64 `toml:"values" want:"> 0" not:"from" doc:"from coarse to fine: a program whose command.run or command.train has the name in braces is started once for each"`
	From      string    `toml:"from" not:"column" asks:"dimension say of how many dimensions the mesh is" doc:"name of another one, of which this one is computed: h = ndofs^(-1/d), or N = h^(-d)"`
	Dimension float64   `toml:"dimension" needs:"from" want:">= 0" most:"1000 no mesh has more" doc:"d of from"`
}

// column returns the column of the curves that has the parameter, empty if it is computed.
func (a *Abscissa) column() string {
	if a.From != "" {
		return ""
	}
	return cmp.Or(a.Column, a.Name)
}

// described returns what axes and captions need to know.
func (a *Abscissa) described() records.Abscissa {
	return records.Abscissa{Name: a.Name, Words: a.Words, Unit: a.Unit, Finer: a.Finer, Source: records.Values}
}

// abscissa returns the discretisation parameter of that name, nil if there is none.
func (s *Spec) abscissa(name string) *Abscissa {
	if i := slices.IndexFunc(s.Abscissae, func(a Abscissa) bool { return a.Name == name }); i >= 0 {
		return &s.Abscissae[i]
	}
	return nil
}

// asked lists the abscissae that claims, figures and tables of a tree name.
func asked(tree *spectree.Node) (names []string) {
	for _, array := range []string{"claim", "figure", "table"} {
		for _, n := range tree.Find(array).Items() {
			names = append(names, n.Find("x").Text(), n.Find("at", "x").Text())
		}
	}
	return names
}

// ownAbscissae lists the names, beside those of costs, that x may have in a tree: of the discretisation parameters that are declared,
// read from curves, or known and printed by programs, and of its own metrics.
func ownAbscissae(tree *spectree.Node) (names []string) {
	for _, array := range []string{"abscissa", "metric"} {
		for _, n := range tree.Find(array).Items() {
			names = append(names, n.Find("name").Text())
		}
	}
	if curves := tree.Find("curves"); curves != nil {
		names = append(names, curves.Find("abscissa").Text())
	} else if slices.ContainsFunc(tree.Find("method").Items(), func(n *spectree.Node) bool { return n.Find("algorithm").Text() == externalName }) || tree.Find("problem", "kind").Text() == ownKind {
		names = append(names, slices.DeleteFunc(asked(tree), func(name string) bool { return records.MeshRank(name) < 0 })...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// meshes fills in what the names of discretisation parameters mean, and adds those that are used and not declared.
func (s *Spec) meshes(tree *spectree.Node) {
	for _, name := range ownAbscissae(tree) {
		declared := slices.ContainsFunc(s.Abscissae, func(a Abscissa) bool { return name == a.Name || name == a.column() })
		if _, known := records.MeshOf(name); known && !declared && !slices.ContainsFunc(s.Metrics, func(m Reported) bool { return m.Name == name }) {
			s.Abscissae = append(s.Abscissae, Abscissa{Name: name})
		}
	}
	for i := range s.Abscissae {
		a := &s.Abscissae[i]
		known, ok := records.MeshOf(a.Name)
		if !ok {
			known, _ = records.MeshOf(a.column())
		}
		a.Finer, a.Words = cmp.Or(a.Finer, known.Finer), cmp.Or(a.Words, known.Words, a.Name)
		if o := &s.Curves; a.column() != "" && a.column() == cmp.Or(o.Abscissa, o.Step, o.Epoch) {
			o.Mesh = a.described()
		}
	}
}

// abscissae checks the discretisation parameters.
func (c checker) abscissae() {
	c.ids("abscissa", "name")
	for i, n := range c.tree.Find("abscissa").Items() {
		a, path := &c.spec.Abscissae[i], spectree.Entry("abscissa", n, i)
		wrong := func(key, format string, args ...any) {
			c.Add(spectree.At(n, key), spectree.Join(path, key), format, args...)
		}
		_, cost := records.AbscissaOf(a.Name)
		own := slices.ContainsFunc(c.spec.Metrics, func(m Reported) bool { return m.Name == a.Name })
		used := func(m Method) bool {
			p, program := m.Configured.(*External)
			return program && slices.Contains(p.swept(), a.Name)
		}
		switch {
		case !spectree.ValidID(a.Name):
			wrong("name", "%s cannot name an abscissa; %s", printed.Quote(a.Name), spectree.IDRule)
		case cost || own || metrics.Lookup(a.Name) != nil:
			wrong("name", "%s is the name of a cost or a metric; choose another", printed.Quote(a.Name))
		case a.Finer == "":
			wrong("finer", "missing, and the name does not say it; write \"smaller\" or \"larger\"")
		case a.Column != "" && c.tree.Find("curves") == nil:
			wrong("column", "belongs to [curves], which the spec lacks; remove it")
		case len(a.Values) > 0 && c.placed(a.Name):
			wrong("name", "{%s} has a meaning in every command; choose another name", a.Name)
		case len(a.Values) > 0 && !slices.ContainsFunc(c.spec.Methods, used):
			wrong("values", "have no effect: no command.run or command.train has {%s}", a.Name)
		case a.From != "":
			if wrongFrom := c.from(a); wrongFrom != "" {
				wrong("from", "%s", wrongFrom)
			}
		}
		for _, b := range c.spec.Abscissae[:i] {
			if len(a.Values)*len(b.Values) > 0 && len(a.Values) != len(b.Values) {
				wrong("values", "are %d, and those of %s %d; they go together, so give both the same number", len(a.Values), b.Name, len(b.Values))
			}
		}
		for k := 1; k < len(a.Values); k++ {
			if a.Values[k] == a.Values[k-1] || (a.Values[k] < a.Values[k-1]) != (a.Finer == records.FinerSmaller) {
				wrong("values", "has %s after %s; list each mesh once, from coarse to fine", printed.Number(a.Values[k]), printed.Number(a.Values[k-1]))
				break
			}
		}
	}
}

// placed reports whether a name is that of a placeholder of the spec's commands.
func (c checker) placed(name string) bool {
	return slices.Contains(placeholderNames(), name) && !(c.spec.Own() && slices.Contains(ofProblem, name))
}

// from returns what is wrong with the discretisation parameter from which another is computed, empty if nothing is.
func (c checker) from(a *Abscissa) string {
	switch of := c.spec.abscissa(a.From); {
	case of == nil:
		return fmt.Sprintf("%s is no [[abscissa]]; %s", printed.Quote(a.From), printed.Suggest(a.From, slices.DeleteFunc(ownAbscissae(c.tree), func(name string) bool { return name == a.Name })))
	case of.From != "":
		return fmt.Sprintf("%s is itself computed; name %s", of.Name, of.From)
	case a.Dimension == 0:
		return "needs the dimension of the mesh, and that is 0; write 2 in the plane"
	case of.Finer == a.Finer:
		return fmt.Sprintf("%s gets finer the same way, and one is a width and the other a number; correct finer", of.Name)
	}
	return ""
}

// against checks that the methods of a claim have what it is read against, if that is a discretisation parameter or a metric.
func (c checker) against(n *spectree.Node, where spectree.Place, path, x string) {
	ids := append([]string{n.Find("method").Text()}, printed.Each(n.Find("against").Items(), func(e *spectree.Node) string { return e.Text() })...)
	a := c.spec.abscissa(x)
	if a == nil {
		if slices.ContainsFunc(c.spec.Metrics, func(m Reported) bool { return m.Name == x }) {
			c.metric(where, path, x, ids)
		}
		return
	}
	for i := range c.spec.Methods {
		if m := &c.spec.Methods[i]; (slices.Contains(ids, m.ID) || slices.Contains(ids, m.Group)) && !c.spec.effective(m).meshed() {
			c.Add(where, path, "method %q has no %q; imported curves, programs and methods with a problem of their own have one", m.ID, x)
			return
		}
	}
}

// meshed reports whether the points of a method have the discretisation parameters of the spec among their values.
func (e effective) meshed() bool {
	p, program := e.method.Configured.(*External)
	switch {
	case len(e.spec.Abscissae) == 0:
		return false
	case program:
		return len(p.Command.Run)+len(p.Command.Serve) > 0 || len(e.meshes()) > 0
	}
	return e.spec.Own()
}

// swept lists the placeholders of the commands that may have a value for each mesh.
func (e *External) swept() []string {
	return placeholdersOf(slices.Concat(e.Command.Run, e.Command.Train, e.Command.Predict)...)
}

// meshes returns the values of the placeholders for each time that a program is started, nil if it is started once.
func (e effective) meshes() (all []map[string]float64) {
	p, program := e.method.Configured.(*External)
	if !program {
		return nil
	}
	names := p.swept()
	for _, a := range e.spec.Abscissae {
		for k, v := range a.Values {
			if !slices.Contains(names, a.Name) {
				break
			}
			if k == len(all) {
				all = append(all, map[string]float64{})
			}
			all[k][a.Name] = v
		}
	}
	return all
}

// Meshes returns the values of the placeholders for each time that the cell's program is started, from the coarsest mesh to the finest;
// nil if it is started once.
func (c *Cell) Meshes() []map[string]float64 { return c.effective().meshes() }

// Meshed reports whether a name is that of a discretisation parameter.
func (s *Spec) Meshed(name string) bool { return s.abscissa(name) != nil }

// Printed lists the discretisation parameters that a program prints.
func (s *Spec) Printed() (all []records.Abscissa) {
	for _, a := range s.Abscissae {
		if a.From == "" {
			all = append(all, a.described())
		}
	}
	return all
}

// Derived returns the discretisation parameters that are computed from others, which of returns: a width from a number of a mesh in d
// dimensions, h = N^(-1/d), or the other way.
func (s *Spec) Derived(of func(name string) (float64, bool)) map[string]float64 {
	values := map[string]float64{}
	for _, a := range s.Abscissae {
		if v, ok := of(a.From); ok && a.From != "" {
			power := -a.Dimension
			if a.Finer == records.FinerSmaller {
				power = -1 / a.Dimension
			}
			values[a.Name] = exact.Pow(v, power)
		}
	}
	return values
}

// abscissaSettings returns what decides the discretisation parameters of a method's points.
func (s *Spec) abscissaSettings() (all []any) {
	for _, a := range s.Abscissae {
		set := strict.EncodeSet(a)
		delete(set, "words")
		delete(set, "unit")
		all = append(all, set)
	}
	return all
}

// deterministic reports whether nothing of a method is random: because the spec says so, or because one run of it is a mesh study.
func (s *Spec) deterministic(m *Method) bool {
	e := s.effective(m)
	_, mesh := s.Curves.Axis()
	p, program := m.Configured.(*External)
	switch {
	case m.Deterministic != nil:
		return *m.Deterministic
	case e.seedsAsked() > 1:
		return false
	case m.imported():
		return mesh
	case program:
		return e.meshed() && len(p.Command.Serve) == 0 && !strings.Contains(fmt.Sprint(p.Command.All()), "{seed}")
	}
	return false
}
