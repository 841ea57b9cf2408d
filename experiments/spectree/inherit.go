package spectree

import (
	"cmp"
	"repro/results/printed"
	"slices"
)

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
	last := len(path) == 1
	if items := n.Items(); items != nil {
		ids := IDs(n)
		named := matching(ids, path[0])
		if len(named) == 0 {
			return printed.Suggest(path[0], ids)
		}
		n.Value = slices.DeleteFunc(slices.Clone(items), func(e *Node) bool {
			hit := slices.Contains(named, IDOf(e))
			if hit && !last {
				instead = e.remove(path[1:])
			}
			return hit && last
		})
		return instead
	}
	t := n.Table()
	if t == nil {
		return "it has no keys there"
	}
	named := matching(t.Keys, path[0])
	if len(named) == 0 {
		return printed.Suggest(path[0], t.Keys)
	}
	for _, k := range named {
		if last {
			t.Remove(k)
		} else {
			instead = t.Nodes[k].remove(path[1:])
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
	for i, e := range over.Items() {
		if j := findID(n, IDOf(e)); j >= 0 {
			supplant(n.Items()[j], over.Items()[i])
		}
	}
	t, o := n.Table(), over.Table()
	if t == nil || o == nil {
		if o != nil && n.Items() != nil { // entries by id
			for _, id := range o.Keys {
				if j := findID(n, id); j >= 0 {
					supplant(n.Items()[j], o.Nodes[id])
				}
			}
		}
		return
	}
	for _, k := range o.Keys {
		old, e := t.Nodes[k], o.Nodes[k]
		switch {
		case old == nil:
		case k == "grid" || old.Table() != nil && e.Table() != nil && differs(old.Table(), e.Table(), "name"):
			t.Nodes[k] = e.clone()
		default:
			supplant(old, e)
		}
	}
}
