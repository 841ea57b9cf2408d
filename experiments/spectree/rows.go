package spectree

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"repro/results/printed"
)

// maxMade bounds the values, and the characters of their strings, that the rows of a spec may make.
const maxMade = 1 << 23

// A rower makes entries of the rows of a spec.
type rower struct {
	*Mistakes
	isKey func(path []string) bool
	made  int // values and characters so far
}

// Rows makes one entry of each row of an entry with the key each, in all arrays of tables of a spec: the row laid over the
// rest of the entry. {key} in a string of the entry stands for the row's value of that key. A key that only stands for text,
// because isKey says of its path that there is none, is taken out again.
func (n *Node) Rows(isKey func(path []string) bool, found *Mistakes) {
	(&rower{Mistakes: found, isKey: isKey}).expand(n, nil)
}

func (r *rower) expand(n *Node, path []string) {
	if items := n.Items(); items != nil {
		var all []*Node
		for i, e := range items {
			if each := e.Find("each"); each == nil {
				all = append(all, e)
			} else {
				all = append(all, r.entries(e, each, path, Join(Entry(strings.Join(path, "."), e, i), "each"))...)
			}
		}
		n.Value = all
	}
	for _, e := range n.Items() {
		r.expand(e, path)
	}
	if t := n.Table(); t != nil {
		for _, k := range t.Keys {
			r.expand(t.Nodes[k], append(path[:len(path):len(path)], k))
		}
	}
}

// entries makes the entries of the rows of e.
func (r *rower) entries(e, each *Node, path []string, name string) (made []*Node) {
	if len(each.Items()) == 0 {
		r.Add(each.Place, name, `want an array with a table for each entry, got %s; write [ { id = "a" }, { id = "b" } ]`, describeEmpty(each))
	}
	e.Table().Remove("each")
	keys := map[string]bool{}
	for _, row := range each.Items() {
		if row.Table() == nil {
			r.Add(row.Place, name, "want a table for each entry, got %s", Describe(row))
			return nil
		}
		for _, k := range row.Table().Keys {
			keys[k] = true
		}
	}
	for _, row := range each.Items() {
		if r.made += e.size(); r.made > maxMade {
			r.Add(each.Place, name, "makes more than %d values and characters; give fewer rows or shorter strings", maxMade)
			return nil
		}
		c := e.Clone()
		c.Place = row.Place
		overlay(c, row)
		used := r.fill(c, keys, name)
		if id := c.Find("id"); strings.Contains(id.Text(), "{") {
			r.Add(id.Place, name, "%s in id is not a key of a row; the rows have %s", printed.Quote(id.Text()), strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
		}
		for k := range used {
			if !r.isKey(append(path[:len(path):len(path)], k)) {
				c.Table().Remove(k)
			}
		}
		made = append(made, c)
	}
	return made
}

// fill replaces {key} in the strings of an entry by the entry's value, for the keys of its rows, and returns those used. Other
// names in braces are left to the texts of the spec.
func (r *rower) fill(entry *Node, keys map[string]bool, name string) (used map[string]bool) {
	used = map[string]bool{}
	values := map[string]string{}
	for k := range keys {
		if n := entry.Find(k); n != nil && n.Table() == nil && n.Items() == nil {
			values[k] = cmp.Or(n.Digits, fmt.Sprint(n.Value))
		}
	}
	entry.Walk(func(n *Node) {
		if _, ok := n.Value.(string); !ok {
			return
		}
		n.Value = ReplaceBraces(n.Text(), func(inside string) string {
			v, ok := values[inside]
			switch {
			case !keys[inside]:
				return "{" + inside + "}"
			case ok:
				used[inside] = true
			case entry.Find(inside) == nil:
				r.Add(entry.Place, name, "{%s} is in %s, and the row has no key %[1]s; add it to the row", inside, printed.Quote(n.Text()))
			default:
				r.Add(entry.Place, name, "{%s} is %s, and stands in a string; give it a string or a number", inside, Describe(entry.Find(inside)))
			}
			if r.made += len(v); r.made > maxMade {
				r.Add(entry.Place, name, "makes more than %d values and characters; give fewer rows or shorter strings", maxMade)
				return ""
			}
			return v
		})
	})
	return used
}

// ReplaceBraces replaces what is in braces, with the braces. Braces after ^ and _ mark what is raised and lowered.
func ReplaceBraces(s string, with func(inside string) string) string {
	var b strings.Builder
	for i := strings.IndexByte(s, '{'); i >= 0; i = strings.IndexByte(s, '{') {
		n, depth := i+1, 1
		for ; n < len(s) && depth > 0; n++ {
			switch s[n] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		b.WriteString(s[:i])
		if part := s[i:n]; depth > 0 || i > 0 && (s[i-1] == '^' || s[i-1] == '_') {
			b.WriteString(part)
		} else {
			b.WriteString(with(part[1 : n-i-1]))
		}
		s = s[n:]
	}
	return b.String() + s
}
