package experiments

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// keyed lists the arrays of tables whose entries profiles and edits address by id; an ambiguity, by its item.
var keyed = []string{"method", "claim", "figure", "table", "ambiguity"}

// idsOf lists what the entries of an array of tables are addressed by.
func idsOf(array *node) (ids []string) {
	for _, e := range array.items() {
		ids = append(ids, idOf(e))
	}
	return ids
}

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

// profiles are the profiles that every spec has. A profile that the spec does not change is the spec as it stands.
var profiles = []string{"smoke", "quick", "paper"}

// CI is the profile of continuous integration: problems that are small, with seeds enough that every claim can change its
// verdict. A spec has it only if it has the table [profile.ci].
const CI = "ci"

// LeastSeedsCI is the least number of seeds, at profile ci, of the methods that a claim compares or fits a line to.
const LeastSeedsCI = 10

// profileNames lists the profiles of a spec.
func profileNames(root *node) []string {
	names := slices.Clone(profiles)
	if t := root.find("profile").table(); t != nil {
		for _, k := range t.keys {
			if !slices.Contains(names, k) {
				names = append(names, k)
			}
		}
	}
	return names
}

// withProfile returns a copy of the tree with a profile's changes applied and the profiles taken
// out.
func withProfile(root *node, profile string, found *mistakes) *node {
	tree := root.clone()
	tree.table().remove("profile")
	over := root.find("profile", profile)
	if over == nil {
		return tree
	}
	over = over.clone()
	over.walk(func(n *node) { n.origin = "profile." + profile })
	if over.table() == nil {
		found.add(place{line: over.line, file: over.file}, "profile."+profile, "want a table, got %s; write [profile.%s]", describe(over), profile)
		return tree
	}
	overlayRoot(tree, over, found)
	return tree
}

// spell puts the ids of a tree's entries in place of the patterns that stand for them in the changes to it.
func spell(tree, over *node, found *mistakes) {
	for _, k := range keyed {
		t := over.find(k).table()
		if t == nil || !strings.Contains(strings.Join(t.keys, ""), "*") {
			continue
		}
		spelt := newTable()
		for _, pattern := range t.keys {
			change, ids := t.nodes[pattern], []string{pattern}
			if strings.Contains(pattern, "*") && findID(tree.find(k), pattern) < 0 {
				ids = matching(idsOf(tree.find(k)), pattern)
				if len(ids) == 0 && change.file == "" {
					found.add(change.place, k+" "+quote(pattern), "matches no %s; %s", k, Suggest(pattern, idsOf(tree.find(k))))
				}
			}
			for _, id := range ids {
				if spelt.nodes[id] == nil {
					spelt.set(id, change.clone())
				} else {
					overlay(spelt.nodes[id], change.clone())
				}
			}
		}
		over.find(k).value = spelt
	}
}

// overlayRoot changes a whole spec: arrays of tables with ids entry by entry, anything else as overlay does.
func overlayRoot(tree, over *node, found *mistakes) {
	spell(tree, over, found)
	for _, k := range over.table().keys {
		base, o := tree.find(k), over.find(k)
		switch {
		case slices.Contains(keyed, k) && o.table() != nil:
			for _, id := range o.table().keys {
				overlayEntry(base, k, id, o.find(id), found)
			}
		case slices.Contains(keyed, k) && o.items() != nil && base.items() != nil:
			for _, e := range o.items() {
				if i := findID(base, idOf(e)); i >= 0 {
					overlay(base.items()[i], e)
				} else {
					base.value = append(base.items(), e)
				}
			}
		case base == nil:
			tree.table().set(k, o)
		default:
			overlay(base, o)
		}
	}
}

// overlayEntry changes the entry of an array of tables that has the id, or removes it.
func overlayEntry(array *node, key, id string, over *node, found *mistakes) {
	path := key + " " + quote(id)
	i := findID(array, id)
	if i < 0 {
		found.add(over.place, path, "there is no such %s to change; %s", key, Suggest(id, idsOf(array)))
		return
	}
	if over.table() == nil {
		found.add(over.place, path, "want a table, got %s", describe(over))
		return
	}
	if r := over.find("remove"); r != nil {
		drop, ok := r.value.(bool)
		if !ok {
			found.add(r.place, join(path, "remove"), "want true or false, got %s", describe(r))
		}
		if drop {
			array.value = slices.Delete(slices.Clone(array.items()), i, i+1)
			return
		}
		over.table().remove("remove")
	}
	if n := over.find("id"); n != nil && n.text() != id {
		found.add(n.place, join(path, "id"), "an id cannot be changed; leave it out")
		return
	}
	overlay(array.items()[i], over)
}

// findID returns the position of the entry with an id, -1 if there is none.
func findID(array *node, id string) int {
	return slices.IndexFunc(array.items(), func(e *node) bool { return id != "" && idOf(e) == id })
}

// overlay changes n in place: tables merge key by key, anything else is replaced. A table that
// names another schedule replaces the old table, whose parameters belong to the old schedule.
func overlay(n, over *node) {
	t, o := n.table(), over.table()
	if t == nil || o == nil || differs(t, o, "schedule") {
		n.place, n.value = over.place, over.value
		return
	}
	for _, k := range o.keys {
		if base := t.nodes[k]; base != nil {
			overlay(base, o.nodes[k])
		} else {
			t.set(k, o.nodes[k])
		}
	}
}

// differs reports whether both tables have a key, with different strings.
func differs(t, o *table, key string) bool {
	a, b := t.nodes[key], o.nodes[key]
	return a != nil && b != nil && a.text() != b.text()
}

// override applies an edit "path=value" to the tree. A path is dotted keys, with the id of an entry
// after method, claim, figure or table; the value is TOML, or a bare word for a string.
func override(tree *node, edit string, found *mistakes) {
	origin := "--set " + edit
	at := place{origin: origin}
	left, right, ok := strings.Cut(edit, "=")
	path := parseKey(left)
	if !ok || path == nil {
		found.add(at, "", "not of the form path=value; for example problem.nu=1e-4 or method.dsg.batch=64")
		return
	}
	if len(path) > maxDepth {
		found.add(at, "", "names a key %d tables deep; no key lies deeper than %d", len(path)-1, maxDepth)
		return
	}
	value := editValue(right)
	over := &node{place: value.place, value: value.value}
	for i := len(path) - 1; i >= 0; i-- {
		t := newTable()
		t.set(path[i], over)
		over = &node{place: at, value: t}
	}
	over.walk(func(n *node) { n.place = place{origin: origin, digits: n.digits} })
	if path[0] == "profile" {
		found.add(at, "", "a profile cannot be edited here; edit the values themselves")
		return
	}
	if slices.Contains(keyed, path[0]) && len(path) < 2 {
		found.add(at, "", "say which %s; for example %s.ID.key=value", path[0], path[0])
		return
	}
	overlayRoot(tree, over, found)
}

// editValue parses the value of an edit.
func editValue(text string) *node {
	text = strings.TrimSpace(text)
	tree, err := parse("", "v = "+text)
	if err == nil && len(tree.table().keys) == 1 {
		return tree.find("v")
	}
	return &node{value: text}
}

// describe names a value for a message.
func describe(n *node) string {
	switch v := n.value.(type) {
	case *table:
		return "a table"
	case []*node:
		return "an array"
	case string:
		return "the string " + quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	default:
		return "a date or time"
	}
}
