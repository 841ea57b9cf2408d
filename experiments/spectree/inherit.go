package spectree

import (
	"cmp"
	"slices"

	"repro/results/printed"
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
