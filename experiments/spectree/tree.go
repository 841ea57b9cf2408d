// Package spectree holds specs as they are written: a TOML text as a tree whose nodes know their places, the layers that are laid
// over it (a base, a profile, an edit), the entries that rows and grids make, and the mistakes found on the way. It does not know
// what keys mean: the rest is decoding.
package spectree

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds on a text, as no spec needs more: its bytes, and how deep tables and arrays lie in each other, because a TOML decoder
// takes time and memory that grow with the square of the depth.
const (
	MaxSpecBytes = 1 << 20
	maxDepth     = 32
)

// A Place says where a value was given.
type Place struct {
	Line   int    // in the file; 0 for an edit on the command line
	File   string // of the base that it stands in; empty for the spec's own file
	Origin string // "profile.quick" or "--set path=value"; empty for the spec's own values
	Digits string // of a number, as written
}

// A Node is a value of a spec with the place it was given at: a *Table, a []*Node, or a scalar of
// the toml package.
type Node struct {
	Place
	Value any
}

// A Table keeps its keys in the order of the file.
type Table struct {
	Keys  []string
	Nodes map[string]*Node
	Group string   // id of the grid method this table is a combination of
	Axes  []string // keys that the grid varies
}

// NewTable returns a table without keys.
func NewTable() *Table { return &Table{Nodes: map[string]*Node{}} }

// Set gives a key a value; a new key is the last.
func (t *Table) Set(key string, n *Node) {
	if t.Nodes[key] == nil {
		t.Keys = append(t.Keys, key)
	}
	t.Nodes[key] = n
}

// Remove takes a key out, if it is there.
func (t *Table) Remove(key string) {
	delete(t.Nodes, key)
	t.Keys = slices.DeleteFunc(t.Keys, func(k string) bool { return k == key })
}

// Table returns the node's table, nil if it is none.
func (n *Node) Table() *Table {
	if n == nil {
		return nil
	}
	t, _ := n.Value.(*Table)
	return t
}

// Items returns the node's array, nil if it is none.
func (n *Node) Items() []*Node {
	if n == nil {
		return nil
	}
	s, _ := n.Value.([]*Node)
	return s
}

// Text returns the node's string, empty if it is none.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	s, _ := n.Value.(string)
	return s
}

// names lists the keys of a table, or what the entries of an array are addressed by.
func (n *Node) names() []string {
	if t := n.Table(); t != nil {
		return t.Keys
	}
	return IDs(n)
}

// child returns what one of the names stands for, nil if there is none.
func (n *Node) child(name string) *Node {
	if i := findID(n, name); i >= 0 {
		return n.Items()[i]
	}
	return n.Find(name)
}

// Find returns the node under a path of keys, nil if there is none.
func (n *Node) Find(path ...string) *Node {
	for _, k := range path {
		t := n.Table()
		if t == nil {
			return nil
		}
		n = t.Nodes[k]
	}
	return n
}

// Keyed lists the arrays of tables whose entries profiles and edits address by id; an ambiguity, by its item; a metric or an
// abscissa, by its name.
var Keyed = []string{"method", "claim", "figure", "table", "ambiguity", "metric", "published_curve", "abscissa"}

// IDOf returns what an entry of an array of tables is addressed by, empty if there is none.
func IDOf(e *Node) string {
	return cmp.Or(e.Find("id").Text(), e.Find("item").Text(), e.Find("name").Text())
}

// Clone returns a deep copy.
func (n *Node) Clone() *Node {
	c := &Node{Place: n.Place, Value: n.Value}
	switch v := n.Value.(type) {
	case *Table:
		t := NewTable()
		t.Group, t.Axes = v.Group, v.Axes
		for _, k := range v.Keys {
			t.Set(k, v.Nodes[k].Clone())
		}
		c.Value = t
	case []*Node:
		s := make([]*Node, len(v))
		for i, e := range v {
			s[i] = e.Clone()
		}
		c.Value = s
	}
	return c
}

// Walk calls do with a node and with all below it.
func (n *Node) Walk(do func(*Node)) {
	do(n)
	for _, e := range n.Items() {
		e.Walk(do)
	}
	if t := n.Table(); t != nil {
		for _, e := range t.Nodes {
			e.Walk(do)
		}
	}
}

// size returns the number of nodes of the tree below n, n included.
func (n *Node) size() (size int) {
	n.Walk(func(*Node) { size++ })
	return size
}

// At returns the place of a key under n; if there is no such key, of its nearest ancestor.
func At(n *Node, keys ...string) Place {
	where := n.Place
	for _, k := range keys {
		if n = n.Find(k); n == nil {
			break
		}
		where = n.Place
	}
	return where
}

// IDs lists what the entries of an array of tables are addressed by.
func IDs(array *Node) (ids []string) {
	for _, e := range array.Items() {
		ids = append(ids, IDOf(e))
	}
	return ids
}

// findID returns the position of the entry with an id, -1 if there is none.
func findID(array *Node, id string) int {
	return slices.IndexFunc(array.Items(), func(e *Node) bool { return id != "" && IDOf(e) == id })
}

// IDRule tells the user what an id may be.
const IDRule = "use up to 100 letters, digits and . _ + , = -, starting with a letter or digit"

// idRune reports whether an id may hold r: file names may hold it on any system.
func idRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._+,=-", r)
}

// ValidID reports whether a text can be one part of an id, such as the name of a spec or a method.
func ValidID(id string) bool {
	return id != "" && len(id) <= 100 &&
		strings.IndexFunc(id, func(r rune) bool { return !idRune(r) }) < 0 &&
		!strings.ContainsRune("._+,=-", rune(id[0])) && id[len(id)-1] != '.'
}
