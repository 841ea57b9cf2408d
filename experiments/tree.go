package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
)

// maxSpecBytes bounds the size of a spec; the longest in the catalog is a few kilobytes.
const maxSpecBytes = 1 << 20

// A place says where a value was given.
type place struct {
	line   int    // in the file; 0 for an edit on the command line
	file   string // of the base that it stands in; empty for the spec's own file
	origin string // "profile.quick" or "--set path=value"; empty for the spec's own values
	digits string // of a number, as written
}

// A node is a value of a spec with the place it was given at: a *table, a []*node, or a scalar of
// the toml package.
type node struct {
	place
	value any
}

// A table keeps its keys in the order of the file.
type table struct {
	keys  []string
	nodes map[string]*node
	group string   // id of the grid method this table is a combination of
	axes  []string // keys that the grid varies
}

func newTable() *table { return &table{nodes: map[string]*node{}} }

func (t *table) set(key string, n *node) {
	if t.nodes[key] == nil {
		t.keys = append(t.keys, key)
	}
	t.nodes[key] = n
}

func (t *table) remove(key string) {
	delete(t.nodes, key)
	t.keys = slices.DeleteFunc(t.keys, func(k string) bool { return k == key })
}

// table returns the node's table, nil if it is none.
func (n *node) table() *table {
	if n == nil {
		return nil
	}
	t, _ := n.value.(*table)
	return t
}

// items returns the node's array, nil if it is none.
func (n *node) items() []*node {
	if n == nil {
		return nil
	}
	s, _ := n.value.([]*node)
	return s
}

// text returns the node's string, empty if it is none.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	s, _ := n.value.(string)
	return s
}

// find returns the node under a path of keys, nil if there is none.
func (n *node) find(path ...string) *node {
	for _, k := range path {
		t := n.table()
		if t == nil {
			return nil
		}
		n = t.nodes[k]
	}
	return n
}

// idOf returns what an entry of an array of tables is addressed by, empty if there is none.
func idOf(e *node) string { return cmp.Or(e.find("id").text(), e.find("item").text()) }

// clone returns a deep copy.
func (n *node) clone() *node {
	c := &node{place: n.place, value: n.value}
	switch v := n.value.(type) {
	case *table:
		t := newTable()
		t.group, t.axes = v.group, v.axes
		for _, k := range v.keys {
			t.set(k, v.nodes[k].clone())
		}
		c.value = t
	case []*node:
		s := make([]*node, len(v))
		for i, e := range v {
			s[i] = e.clone()
		}
		c.value = s
	}
	return c
}

// walk calls do with a node and with all below it.
func (n *node) walk(do func(*node)) {
	do(n)
	for _, e := range n.items() {
		e.walk(do)
	}
	if t := n.table(); t != nil {
		for _, e := range t.nodes {
			e.walk(do)
		}
	}
}

// size returns the number of nodes of the tree below n, n included.
func (n *node) size() (size int) {
	n.walk(func(*node) { size++ })
	return size
}

// parse reads a TOML text into a tree whose nodes know their lines.
func parse(file, text string) (*node, error) {
	if len(text) > maxSpecBytes {
		return nil, fmt.Errorf("%s: %d bytes long, more than the %d a spec may have; is it a data file?", file, len(text), maxSpecBytes)
	}
	if line := tooDeep(text); line > 0 {
		return nil, fmt.Errorf("%s:%d: tables and arrays more than %d deep in each other; is it a spec?", file, line, maxDepth)
	}
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return nil, syntaxError(file, err)
	}
	index := indexLines(text)
	if index.lost != "" {
		return nil, fmt.Errorf("%s:%s is nearer to 0 than every other number; write 0, or a larger number", file, index.lost)
	}
	return annotate(values, "", place{line: 1}, index), nil
}

// syntaxError writes a parse error in the form of the other errors of this package.
func syntaxError(file string, err error) error {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", file, err)
	}
	message := strings.TrimSuffix(pe.Message, ".")
	if message == "" {
		message = strings.TrimPrefix(pe.Error(), "toml: ")
	}
	r := []rune(message)
	if len(r) > 1 && unicode.IsLower(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	where := fmt.Sprintf("%s:%d", file, max(1, pe.Position.Line))
	if pe.LastKey != "" {
		where += ": " + pe.LastKey
	}
	return fmt.Errorf("%s: %s; not valid TOML, see https://toml.io", where, string(r))
}

// annotate turns a decoded value into a tree, looking its lines up under path.
func annotate(v any, path keyPath, at place, index *lineIndex) *node {
	if line, ok := index.line[path]; ok {
		at.line = line
	}
	n := &node{place: at, value: v}
	n.digits = index.digits[path]
	switch v := v.(type) {
	case map[string]any:
		t := newTable()
		for k, e := range v {
			t.set(k, annotate(e, path.key(k), at, index))
		}
		slices.SortFunc(t.keys, func(a, b string) int {
			if d := index.rank(path.key(a)) - index.rank(path.key(b)); d != 0 {
				return d
			}
			return strings.Compare(a, b)
		})
		n.value = t
	case []map[string]any:
		s := make([]*node, len(v))
		for i, e := range v {
			s[i] = annotate(e, path.at(i), at, index)
		}
		n.value = s
	case []any:
		s := make([]*node, len(v))
		for i, e := range v {
			s[i] = annotate(e, path.at(i), at, index)
		}
		n.value = s
	}
	return n
}

// rank orders keys by first appearance, those not in the index last.
func (x *lineIndex) rank(p keyPath) int {
	if r, ok := x.order[p]; ok {
		return r
	}
	return len(x.order)
}

// at returns the place of a key under n; if there is no such key, of its nearest ancestor.
func at(n *node, keys ...string) place {
	where := n.place
	for _, k := range keys {
		if n = n.find(k); n == nil {
			break
		}
		where = n.place
	}
	return where
}
