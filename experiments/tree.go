package experiments

import (
	"cmp"
	"slices"
)

// Bounds on a text, as no spec needs more: its bytes, and how deep tables and arrays lie in each other.
const (
	maxSpecBytes = 1 << 20
	maxDepth     = 32
)

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
	made  int      // how it came about
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
