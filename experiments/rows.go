package experiments

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// maxMade bounds the values, and the characters of their strings, that the rows of a spec may make.
const maxMade = 1 << 23

// A rower makes entries of the rows of a spec.
type rower struct {
	*mistakes
	made int // values and characters so far
}

// expandRows makes one entry of each row of an entry with the key each, in all arrays of tables of a spec: the row laid over the
// rest of the entry. {key} in a string of the entry stands for the row's value of that key. A key that only stands for text,
// because entries have no such key, is taken out again.
func expandRows(root *node, found *mistakes) { (&rower{mistakes: found}).expand(root, nil) }

func (r *rower) expand(n *node, path []string) {
	if items := n.items(); items != nil {
		var all []*node
		for i, e := range items {
			if each := e.find("each"); each == nil {
				all = append(all, e)
			} else {
				all = append(all, r.entries(e, each, path, join(entry(strings.Join(path, "."), e, i), "each"))...)
			}
		}
		n.value = all
	}
	for _, e := range n.items() {
		r.expand(e, path)
	}
	if t := n.table(); t != nil {
		for _, k := range t.keys {
			r.expand(t.nodes[k], append(path[:len(path):len(path)], k))
		}
	}
}

// entries makes the entries of the rows of e.
func (r *rower) entries(e, each *node, path []string, name string) (made []*node) {
	if len(each.items()) == 0 {
		r.add(each.place, name, `want an array with a table for each entry, got %s; write [ { id = "a" }, { id = "b" } ]`, describeEmpty(each))
	}
	e.table().remove("each")
	keys := map[string]bool{}
	for _, row := range each.items() {
		if row.table() == nil {
			r.add(row.place, name, "want a table for each entry, got %s", describe(row))
			return nil
		}
		for _, k := range row.table().keys {
			keys[k] = true
		}
	}
	for _, row := range each.items() {
		if r.made += e.size(); r.made > maxMade {
			r.add(each.place, name, "makes more than %d values and characters; give fewer rows or shorter strings", maxMade)
			return nil
		}
		c := e.clone()
		c.place = row.place
		overlay(c, row)
		used := r.fill(c, keys, name)
		if id := c.find("id"); strings.Contains(id.text(), "{") {
			r.add(id.place, name, "%s in id is not a key of a row; the rows have %s", quote(id.text()), strings.Join(sortedKeys(keys), ", "))
		}
		for k := range used {
			if !isKey(append(path[:len(path):len(path)], k)) {
				c.table().remove(k)
			}
		}
		made = append(made, c)
	}
	return made
}

// fill replaces {key} in the strings of an entry by the entry's value, for the keys of its rows, and returns those used. Other
// names in braces are left to the texts of the spec.
func (r *rower) fill(entry *node, keys map[string]bool, name string) (used map[string]bool) {
	used = map[string]bool{}
	values := map[string]string{}
	for k := range keys {
		if n := entry.find(k); n != nil && n.table() == nil && n.items() == nil {
			values[k] = cmp.Or(n.digits, fmt.Sprint(n.value))
		}
	}
	entry.walk(func(n *node) {
		if _, ok := n.value.(string); !ok {
			return
		}
		n.value = replaceBraces(n.text(), func(inside string) string {
			v, ok := values[inside]
			switch {
			case !keys[inside]:
				return "{" + inside + "}"
			case ok:
				used[inside] = true
			case entry.find(inside) == nil:
				r.add(entry.place, name, "{%s} is in %s, and the row has no key %[1]s; add it to the row", inside, quote(n.text()))
			default:
				r.add(entry.place, name, "{%s} is %s, and stands in a string; give it a string or a number", inside, describe(entry.find(inside)))
			}
			if r.made += len(v); r.made > maxMade {
				r.add(entry.place, name, "makes more than %d values and characters; give fewer rows or shorter strings", maxMade)
				return ""
			}
			return v
		})
	})
	return used
}

// isKey reports whether a spec may have a key under a path of keys; below a method, with any algorithm.
func isKey(path []string) bool {
	if len(path) > 2 && path[0] == "profile" {
		path = path[2:]
	}
	t := reflect.TypeFor[Spec]()
	for _, k := range path {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Map || t == scheduleType {
			return true
		}
		if t = typeOfKey(t, k); t == nil {
			return false
		}
	}
	return true
}

// typeOfKey returns the type of a key in tables of type t, nil if they have no such key.
func typeOfKey(t reflect.Type, key string) reflect.Type {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fields(t) {
		if f.key == key {
			return f.typ
		}
	}
	if t == methodType {
		for _, name := range AlgorithmNames() {
			if own := typeOfKey(newSettings(name).Type(), key); own != nil {
				return own
			}
		}
	}
	return nil
}
