package experiments

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"repro/experiments/spectree"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
)

// A text is a title, label, caption or statement of a spec. It speaks of the runs that are laid out and takes their
// settings by placeholder: the name of a setting in braces, such as {features}, with the id of a method before it if several
// have their own, such as {dsg.features}. A number in braces, such as {2^10}, is no setting of these runs but the paper's, and
// stands for itself.
type text struct {
	spectree.Place
	path    string
	to      *string
	methods []string // and grids, of which it speaks; all if empty
}

// textsOf lists the texts of a spec that is laid out as tree.
func (s *Spec) textsOf(tree *spectree.Node) (all []text) {
	add := func(n *spectree.Node, path, key string, to *string, methods []string) {
		if e := n.Find(key); e != nil {
			all = append(all, text{e.Place, spectree.Join(path, key), to, methods})
		}
	}
	add(tree, "", "title", &s.Title, nil)
	for i, n := range tree.Find("method").Items() {
		add(n, spectree.Entry("method", n, i), "label", &s.Methods[i].Label, []string{cmp.Or(s.Methods[i].Group, s.Methods[i].ID)})
	}
	for i, n := range tree.Find("claim").Items() {
		c := &s.Claims[i]
		add(n, spectree.Entry("claim", n, i), "statement", &c.Statement, c.Methods())
	}
	for i, n := range tree.Find("figure").Items() {
		f, path := &s.Figures[i], spectree.Entry("figure", n, i)
		drawn := s.drawnBy(f)
		add(n, path, "title", &f.Title, drawn)
		add(n, path, "caption", &f.Caption, drawn)
		add(n, path, "x_label", &f.XLabel, drawn)
		add(n, path, "y_label", &f.YLabel, drawn)
		for j, e := range n.Find("series").Items() {
			add(e, spectree.Entry(path+".series", e, j), "label", &f.Series[j].Label, []string{f.Series[j].Method})
		}
		for j, e := range n.Find("guides").Items() {
			add(e, spectree.Entry(path+".guides", e, j), "label", &f.Guides[j].Label, drawn)
		}
	}
	for i, n := range tree.Find("table").Items() {
		t := &s.Tables[i]
		add(n, spectree.Entry("table", n, i), "title", &t.Title, t.Methods)
	}
	return all
}

// drawnBy lists the methods and grids of which a figure shows something; it is empty if it shows all.
func (s *Spec) drawnBy(f *claims.Figure) (names []string) {
	for _, x := range f.Series {
		if x.Method != figures.Truth {
			names = append(names, x.Method)
		}
	}
	for _, c := range s.Claims {
		if !figures.KindOf(f.Kind).Takes("series") && slices.Contains(f.Claims, c.ID) {
			names = append(names, c.Methods()...)
		}
	}
	return names
}

// fill puts the settings in place of the placeholders of the texts. original is the spec at profile paper.
func (s *Spec) fill(original *Spec, found *spectree.Mistakes) {
	known := map[string]string{} // the combinations of a grid have one label
	for _, t := range s.texts {
		*t.to = spectree.ReplaceBraces(*t.to, func(inside string) string {
			if _, number := printed.Numeral(inside); number {
				return inside
			}
			asked := strings.Join(append(slices.Clone(t.methods), inside), "\n")
			if v, ok := known[asked]; ok {
				return v
			}
			names, key := t.methods, inside
			for i := range s.Methods {
				id := cmp.Or(s.Methods[i].Group, s.Methods[i].ID)
				if own, ok := strings.CutPrefix(inside, id+"."); ok {
					names, key = []string{id}, own
				}
			}
			of := s.speaksOf(names)
			if len(of) == 0 {
				of = original.speaksOf(names) // which the profile removes
			}
			v, wrong := of.value(key)
			if wrong != "" {
				found.Add(t.Place, t.path, "{%s} %s", inside, wrong)
			}
			known[asked] = v
			return v
		})
	}
}

// A scope is the settings of the methods of which a text speaks.
type scope []ofMethod

type ofMethod struct {
	id, name string             // name is that of the grid, if the method is a combination of one
	numbers  map[string]float64 // by dotted key
}

// speaksOf returns the settings of the methods and grids of those names that the spec has, of all if there are no names. They
// are worked out once while a spec is loaded.
func (s *Spec) speaksOf(names []string) (of scope) {
	if s.scope == nil {
		for i := range s.Methods {
			m := &s.Methods[i]
			s.scope = append(s.scope, ofMethod{id: m.ID, name: cmp.Or(m.Group, m.ID)})
		}
	}
	share := map[string]map[string]any{}
	for i := range s.scope {
		if m := &s.scope[i]; len(names) == 0 || slices.Contains(names, m.id) || slices.Contains(names, m.name) {
			if m.numbers == nil {
				m.numbers = s.numbers(&s.Methods[i], share)
			}
			of = append(of, *m)
		}
	}
	return of
}

// numbers returns the settings of a method that are numbers, with the numbers of rows that the data has if none is asked for.
func (s *Spec) numbers(m *Method, share map[string]map[string]any) map[string]float64 {
	all := map[string]float64{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				walk(spectree.Join(path, k), e)
			}
		case int:
			all[path] = float64(v)
		case float64:
			all[path] = v
		}
	}
	settings, _ := s.settings(*m, share)
	walk("", settings)
	train, test, _ := s.effective(m).data().Shape()
	for key, v := range map[string]int{"data.train": train, "data.test": test} {
		if v > 0 {
			all[key] = float64(v)
		}
	}
	return all
}

// shortName is the placeholder of a key.
func shortName(key string) string {
	if key == "data.train" {
		return "n" // as in the papers, and in the commands of external methods
	}
	return key[strings.LastIndexByte(key, '.')+1:]
}

// means reports whether a placeholder means a key: its short name, the whole key, or the parts at its end.
func means(name, key string) bool {
	return name == shortName(key) || name == key || strings.HasSuffix(key, "."+name)
}

// value returns the number that a placeholder stands for, as texts show it, or what is wrong with it.
func (of scope) value(name string) (value, wrong string) {
	values := map[string][]string{} // methods by value
	var keys []string
	for _, m := range of {
		for key, v := range m.numbers {
			if means(name, key) {
				keys = append(keys, key)
				values[printed.Exact(v)] = append(values[printed.Exact(v)], m.name)
			}
		}
	}
	slices.Sort(keys)
	switch keys = slices.Compact(keys); {
	case len(keys) == 0:
		return "", "names no setting of these methods; use one of {" + strings.Join(of.names(), "}, {") + "}"
	case len(keys) > 1:
		return "", "names several settings; write one of {" + strings.Join(keys, "}, {") + "}"
	case len(values) == 1:
		return slices.Collect(maps.Keys(values))[0], ""
	}
	var each []string
	one := true // grid
	for _, v := range slices.Sorted(maps.Keys(values)) {
		each = append(each, v+" of "+strings.Join(slices.Compact(values[v]), ", "))
		one = one && !slices.ContainsFunc(values[v], func(name string) bool { return name != of[0].name })
	}
	if one {
		return "", fmt.Sprintf("is varied by the grid of %s; leave it out", of[0].name)
	}
	return "", fmt.Sprintf("is not the same for all: %s; name one of them, as in {%s.%s}", strings.Join(each, "; "), of[0].name, name)
}

// names lists the placeholders that have one value.
func (of scope) names() (names []string) {
	all := map[string][]float64{}
	for _, m := range of {
		for key, v := range m.numbers {
			all[key] = append(all[key], v)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if len(slices.Compact(all[key])) > 1 {
			continue
		}
		name := shortName(key)
		for other := range all {
			if other != key && means(name, other) {
				name = key
			}
		}
		names = append(names, name)
	}
	return names
}
