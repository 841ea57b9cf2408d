package spectree

import (
	"fmt"
	"slices"
	"strings"

	"repro/results/printed"
)

// Bounds on what the grids of a spec may make: methods, and values of methods in all.
const (
	maxMethods = 1000
	maxValues  = 200_000
)

// fixedKeys are the keys of a method that a grid cannot vary.
var fixedKeys = []string{"id", "label", "algorithm", "grid"}

// An axis is one setting of a grid with its values, or several settings that vary together. A value of several settings is
// the same for all, or an array with one for each.
type axis struct {
	key    string     // as written: a dotted key, or several joined by &
	paths  [][]string // the parts of each setting's key
	name   string     // last part of the first key; the whole key if another axis ends in the same part
	values []*Node
}

// keys lists the dotted keys of the settings.
func (a axis) keys() (keys []string) {
	return printed.Each(a.paths, func(p []string) string { return strings.Join(p, ".") })
}

// Grid replaces every method with a grid by one method per combination of the grid's values,
// named id,setting=value,….
func (n *Node) Grid(found *Mistakes) {
	methods := n.Find("method")
	if methods.Items() == nil {
		return
	}
	var all []*Node
	values := 0
	for i, m := range methods.Items() {
		g := m.Find("grid")
		if g == nil {
			all = append(all, m)
			continue
		}
		axes, ok := gridAxes(g, Join(Entry("method", m, i), "grid"), found)
		if !ok {
			continue
		}
		combinations := 1
		for _, a := range axes {
			combinations = min(combinations*len(a.values), maxMethods+1)
		}
		if len(all)+combinations > maxMethods {
			found.Add(g.Place, Join(Entry("method", m, i), "grid"), "makes more than %d methods; give fewer values", maxMethods)
			continue
		}
		if values += combinations * m.size(); values > maxValues {
			found.Add(g.Place, Join(Entry("method", m, i), "grid"), "makes methods of more than %d values in all; give fewer or smaller ones", maxValues)
			continue
		}
		all = append(all, combine(m, axes)...)
	}
	methods.Value = all
}

// gridAxes checks a grid and lists its axes in order.
func gridAxes(g *Node, path string, found *Mistakes) (axes []axis, ok bool) {
	t := g.Table()
	if t == nil || len(t.Keys) == 0 {
		found.Add(g.Place, path, `want a table of settings, got %s; write { "step.gamma0" = [1.0, 5.0] }`, describeEmpty(g))
		return nil, false
	}
	ok = true
	for _, k := range t.Keys {
		n := t.Nodes[k]
		a := axis{key: k, values: n.Items()}
		wrong := ""
		for _, part := range strings.Split(k, "&") {
			part = strings.TrimSpace(part)
			path := parseKey(part)
			switch {
			case path == nil:
				wrong = `not a setting; write a dotted key in quotes, as in "step.gamma0"`
			case len(path) > maxDepth:
				wrong = fmt.Sprintf("lies %d tables deep; no key lies deeper than %d", len(path)-1, maxDepth)
			case slices.Contains(fixedKeys, path[0]):
				wrong = "cannot be varied in a grid; write another method"
			}
			a.paths = append(a.paths, path)
		}
		switch {
		case wrong != "":
		case n.Table() != nil:
			wrong = `want an array of values, got a table; put the dotted key in quotes, as in "step.gamma0"`
		case len(a.values) == 0:
			wrong = fmt.Sprintf("want an array of values, got %s; write [1.0, 5.0]", describeEmpty(n))
		}
		if wrong != "" {
			found.Add(n.Place, Join(path, QuoteKey(k)), "%s", wrong)
			ok = false
		}
		ok = a.checkTuples(Join(path, QuoteKey(k)), found) && ok
		axes = append(axes, a)
	}
	for i, a := range axes {
		axes[i].name = axisName(axes, i)
		for _, b := range axes {
			if n := t.Nodes[a.key]; a.key != b.key && a.within(b) {
				found.Add(n.Place, Join(path, QuoteKey(a.key)), "contradicts %s; keep one", Beside(printed.Quote(b.key), t.Nodes[b.key]))
				ok = false
			}
		}
	}
	return axes, ok
}

// tuple returns the values of the settings if v has one for each, nil if it is the same for all.
func (a axis) tuple(v *Node) []*Node {
	if len(a.paths) == 1 {
		return nil
	}
	return v.Items()
}

// checkTuples checks that a value with one for each setting has as many as there are settings.
func (a axis) checkTuples(path string, found *Mistakes) (ok bool) {
	ok = true
	for i, v := range a.values {
		if t := a.tuple(v); t != nil && len(t) != len(a.paths) {
			found.Add(v.Place, path, "value %d is an array of %d, and %d settings vary together; write one value for each of %s, or a single one for all",
				i+1, len(t), len(a.paths), strings.Join(a.keys(), ", "))
			ok = false
		}
	}
	return ok
}

// describeEmpty describes a value that should have had items.
func describeEmpty(n *Node) string {
	if n.Table() != nil && len(n.Table().Keys) == 0 || n.Items() != nil && len(n.Items()) == 0 {
		return "an empty one"
	}
	return Describe(n)
}

// within reports whether a sets part of what b sets.
func (a axis) within(b axis) bool {
	return slices.ContainsFunc(a.paths, func(p []string) bool {
		return slices.ContainsFunc(b.paths, func(q []string) bool { return len(q) < len(p) && slices.Equal(p[:len(q)], q) })
	})
}

// axisName is the last part of an axis' key if no other axis ends in it.
func axisName(axes []axis, i int) string {
	last := func(a axis) string {
		if len(a.paths) == 0 || len(a.paths[0]) == 0 {
			return a.key
		}
		return a.paths[0][len(a.paths[0])-1]
	}
	for j, a := range axes {
		if j != i && last(a) == last(axes[i]) {
			return axes[i].keys()[0]
		}
	}
	return last(axes[i])
}

// combine makes the methods of a grid, the last axis varying fastest.
func combine(m *Node, axes []axis) []*Node {
	base := m.Clone()
	base.Table().Remove("grid")
	base.Table().Group = m.Find("id").Text()
	for _, a := range axes {
		base.Table().Axes = append(base.Table().Axes, a.keys()...)
	}
	made := []*Node{base}
	label := m.Find("label").Text()
	if label == "" {
		label = m.Find("id").Text()
	}
	names := []string{""}
	for _, a := range axes {
		var next []*Node
		var nextNames []string
		for i, b := range made {
			for j, v := range a.values {
				c := b.Clone()
				first, tuple := v, a.tuple(v)
				for k, path := range a.paths {
					own := v
					if tuple != nil {
						own, first = tuple[k], tuple[0]
					}
					setPath(c, path, own.Clone())
				}
				next = append(next, c)
				nextNames = append(nextNames, names[i]+","+a.name+"="+valueName(first, j))
			}
		}
		made, names = next, nextNames
	}
	for i, c := range made {
		at := m.Find("id")
		if at == nil {
			continue
		}
		c.Table().Set("id", &Node{at.Place, at.Text() + names[i]})
		settings := strings.ReplaceAll(strings.ReplaceAll(names[i][1:], "=", " = "), ",", ", ")
		if l := m.Find("label"); l != nil {
			at = l
		}
		c.Table().Set("label", &Node{at.Place, fmt.Sprintf("%s (%s)", label, settings)})
	}
	return made
}

// setPath sets the value at a path of keys, making the tables on the way.
func setPath(n *Node, path []string, v *Node) {
	for _, k := range path[:len(path)-1] {
		next := n.Find(k)
		if next.Table() == nil {
			next = &Node{v.Place, NewTable()}
			n.Table().Set(k, next)
		}
		n = next
	}
	k := path[len(path)-1]
	if old := n.Find(k); old != nil {
		overlay(old, v)
		return
	}
	n.Table().Set(k, v)
}

// valueName names a value in the id of a combination, of several values the first; tables and arrays by their position
// from 1.
func valueName(v *Node, i int) string {
	switch x := v.Value.(type) {
	case string:
		return strings.Map(func(r rune) rune {
			if idRune(r) {
				return r
			}
			return '_'
		}, x)
	case bool, int64, float64:
		return fmt.Sprint(x)
	}
	return fmt.Sprint(i + 1)
}
