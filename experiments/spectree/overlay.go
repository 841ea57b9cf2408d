package spectree

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"repro/results/printed"
)

// matching lists those of ids that a name or a pattern such as *-eigenpro stands for.
func matching(ids []string, pattern string) []string {
	if slices.Contains(ids, pattern) {
		return []string{pattern}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		ok, err := path.Match(pattern, id)
		return err != nil || !ok
	})
}

// Profile returns a copy of the tree with a profile's changes applied and the profiles taken
// out.
func (n *Node) Profile(profile string, found *Mistakes) *Node {
	tree := n.Clone()
	tree.Table().Remove("profile")
	over := n.Find("profile", profile)
	if over == nil {
		return tree
	}
	over = over.Clone()
	over.Walk(func(n *Node) { n.Origin = "profile." + profile })
	if over.Table() == nil {
		found.Add(Place{Line: over.Line, File: over.File}, "profile."+profile, "want a table, got %s; write [profile.%s]", Describe(over), profile)
		return tree
	}
	overlayRoot(tree, over, found)
	return tree
}

// spell puts the ids of a tree's entries in place of the patterns that stand for them in the changes to it.
func spell(tree, over *Node, found *Mistakes) {
	for _, k := range Keyed {
		t := over.Find(k).Table()
		if t == nil || !strings.Contains(strings.Join(t.Keys, ""), "*") {
			continue
		}
		spelt := NewTable()
		for _, pattern := range t.Keys {
			change, ids := t.Nodes[pattern], []string{pattern}
			if strings.Contains(pattern, "*") && findID(tree.Find(k), pattern) < 0 {
				ids = matching(IDs(tree.Find(k)), pattern)
				if len(ids) == 0 && change.File == "" {
					found.Add(change.Place, k+" "+printed.Quote(pattern), "matches no %s; %s", k, printed.Suggest(pattern, IDs(tree.Find(k))))
				}
			}
			for _, id := range ids {
				if spelt.Nodes[id] == nil {
					spelt.Set(id, change.Clone())
				} else {
					overlay(spelt.Nodes[id], change.Clone())
				}
			}
		}
		over.Find(k).Value = spelt
	}
}

// overlayRoot changes a whole spec: arrays of tables with ids entry by entry, anything else as overlay does.
func overlayRoot(tree, over *Node, found *Mistakes) {
	spell(tree, over, found)
	for _, k := range over.Table().Keys {
		base, o := tree.Find(k), over.Find(k)
		switch {
		case slices.Contains(Keyed, k) && o.Table() != nil:
			for _, id := range o.Table().Keys {
				overlayEntry(base, k, id, o.Find(id), found)
			}
		case slices.Contains(Keyed, k) && o.Items() != nil && base.Items() != nil:
			for _, e := range o.Items() {
				if i := findID(base, IDOf(e)); i >= 0 {
					overlay(base.Items()[i], e)
				} else {
					base.Value = append(base.Items(), e)
				}
			}
		case base == nil:
			tree.Table().Set(k, o)
		default:
			overlay(base, o)
		}
	}
}

// overlayEntry changes the entry of an array of tables that has the id, or removes it.
func overlayEntry(array *Node, key, id string, over *Node, found *Mistakes) {
	path := key + " " + printed.Quote(id)
	i := findID(array, id)
	if i < 0 {
		found.Add(over.Place, path, "there is no such %s to change; %s", key, printed.Suggest(id, IDs(array)))
		return
	}
	if over.Table() == nil {
		found.Add(over.Place, path, "want a table, got %s", Describe(over))
		return
	}
	if r := over.Find("remove"); r != nil {
		drop, ok := r.Value.(bool)
		if !ok {
			found.Add(r.Place, Join(path, "remove"), "want true or false, got %s", Describe(r))
		}
		if drop {
			array.Value = slices.Delete(slices.Clone(array.Items()), i, i+1)
			return
		}
		over.Table().Remove("remove")
	}
	if n := over.Find("id"); n != nil && n.Text() != id {
		found.Add(n.Place, Join(path, "id"), "an id cannot be changed; leave it out")
		return
	}
	overlay(array.Items()[i], over)
}

// overlay changes n in place: tables merge key by key, anything else is replaced. A table that
// names another schedule replaces the old table, whose parameters belong to the old schedule.
func overlay(n, over *Node) {
	t, o := n.Table(), over.Table()
	if t == nil || o == nil || differs(t, o, "schedule") {
		n.Place, n.Value = over.Place, over.Value
		return
	}
	for _, k := range o.Keys {
		if base := t.Nodes[k]; base != nil {
			overlay(base, o.Nodes[k])
		} else {
			t.Set(k, o.Nodes[k])
		}
	}
}

// differs reports whether both tables have a key, with different strings.
func differs(t, o *Table, key string) bool {
	a, b := t.Nodes[key], o.Nodes[key]
	return a != nil && b != nil && a.Text() != b.Text()
}

// Edit applies an edit "path=value" to the tree. A path is dotted keys, with the id of an entry
// after method, claim, figure or table; the value is TOML, or a bare word for a string.
func (n *Node) Edit(edit string, found *Mistakes) {
	origin := "--set " + edit
	at := Place{Origin: origin}
	left, right, ok := strings.Cut(edit, "=")
	path := parseKey(left)
	if !ok || path == nil {
		found.Add(at, "", "not of the form path=value; for example problem.nu=1e-4 or method.dsg.batch=64")
		return
	}
	if len(path) > maxDepth {
		found.Add(at, "", "names a key %d tables deep; no key lies deeper than %d", len(path)-1, maxDepth)
		return
	}
	value := editValue(right)
	over := &Node{Place: value.Place, Value: value.Value}
	for i := len(path) - 1; i >= 0; i-- {
		t := NewTable()
		t.Set(path[i], over)
		over = &Node{Place: at, Value: t}
	}
	over.Walk(func(n *Node) { n.Place = Place{Origin: origin, Digits: n.Digits} })
	if path[0] == "profile" {
		found.Add(at, "", "a profile cannot be edited here; edit the values themselves")
		return
	}
	if slices.Contains(Keyed, path[0]) && len(path) < 2 {
		found.Add(at, "", "say which %s; for example %s.ID.key=value", path[0], path[0])
		return
	}
	overlayRoot(n, over, found)
}

// editValue parses the value of an edit.
func editValue(text string) *Node {
	text = strings.TrimSpace(text)
	tree, err := Parse("", "v = "+text)
	if err == nil && len(tree.Table().Keys) == 1 {
		return tree.Find("v")
	}
	return &Node{Value: text}
}

// Describe names a value for a message.
func Describe(n *Node) string {
	switch v := n.Value.(type) {
	case *Table:
		return "a table"
	case []*Node:
		return "an array"
	case string:
		return "the string " + printed.Quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	default:
		return "a date or time"
	}
}

// LeaveOut removes from a base what the entries of a key without name, and what its profiles change there.
func (n *Node) LeaveOut(without *Node, found *Mistakes) {
	if without != nil && without.Items() == nil {
		found.Add(without.Place, "without", `want an array, got %s; write ["method.dsg", "evaluate.at"]`, Describe(without))
	}
	for _, w := range without.Items() {
		keys := parseKey(w.Text())
		if keys == nil {
			found.Add(w.Place, "without", `%s is not a dotted key; write one such as "method.dsg" or "evaluate.at"`, Describe(w))
			continue
		}
		if wrong := n.remove(keys); wrong != "" {
			found.Add(w.Place, "without", "the base has no %s; %s", printed.Quote(w.Text()), wrong)
		}
		if t := n.Find("profile").Table(); t != nil && keys[0] != "profile" {
			for _, over := range t.Nodes {
				over.remove(keys)
			}
		}
	}
}

// Missing lists those of ids that no entry of an array has any more.
func Missing(ids []string, array *Node) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return findID(array, id) >= 0 })
}

// remove removes what a path of keys and of ids of entries names, or returns what there is instead.
func (n *Node) remove(path []string) (instead string) {
	if n.Table() == nil && n.Items() == nil {
		return "it has no keys there"
	}
	named := matching(n.names(), path[0])
	if len(named) == 0 {
		return printed.Suggest(path[0], n.names())
	}
	for _, name := range named {
		switch t := n.Table(); {
		case len(path) > 1:
			instead = n.child(name).remove(path[1:])
		case t != nil:
			t.Remove(name)
		default:
			n.Value = slices.DeleteFunc(slices.Clone(n.Items()), func(e *Node) bool { return IDOf(e) == name })
		}
	}
	return instead
}

// Inherit lays a spec over this one, its base. Grids, and tables that name something else, are the spec's alone. The changes of
// a profile are those of the base and then those of the spec.
func (n *Node) Inherit(own *Node, found *Mistakes) {
	base := n.Find("profile")
	over := own.Find("profile")
	own.Table().Remove("profile")
	supplant(n, own)
	overlayRoot(n, own, found)
	if base.Table() == nil || over != nil && over.Table() == nil {
		if over != nil {
			n.Table().Set("profile", over)
		}
		return
	}
	for _, name := range base.Table().Keys {
		p, q := base.Find(name), over.Find(name)
		if p.Table() == nil {
			continue
		}
		spell(n, p, found)
		for _, k := range Keyed {
			if t := p.Find(k).Table(); t != nil {
				for _, id := range Missing(slices.Clone(t.Keys), n.Find(k)) {
					t.Remove(id)
				}
			}
		}
		if q.Table() != nil {
			spell(n, q, found)
			overlay(p, q)
			over.Table().Remove(name)
		}
	}
	overlay(base, cmp.Or(over, &Node{Value: NewTable()}))
}

// supplant puts the grids of over, and its tables that name something else, in place of those of n.
func supplant(n, over *Node) {
	for _, k := range over.names() {
		switch old, e := n.child(k), over.child(k); {
		case old == nil || e == nil:
		case k == "grid" || old.Table() != nil && e.Table() != nil && differs(old.Table(), e.Table(), "name"):
			*old = *e.Clone()
		default:
			supplant(old, e)
		}
	}
}
