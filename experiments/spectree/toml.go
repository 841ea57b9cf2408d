package spectree

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"repro/results/printed"
)

// TOML writes the tree of a spec: keys, then tables, then the entries of arrays of tables.
func (n *Node) TOML() []byte {
	var keys, tables, entries bytes.Buffer
	pairs := func(b *bytes.Buffer, header string, n *Node) {
		fmt.Fprintf(b, "\n%s\n", header)
		for _, k := range n.Table().Keys {
			fmt.Fprintf(b, "%s = %s\n", QuoteKey(k), Inline(n.Find(k)))
		}
	}
	for _, k := range n.Table().Keys {
		e := n.Find(k)
		items := e.Items()
		switch {
		case k == "profile":
			for _, name := range e.Table().Keys {
				pairs(&entries, "[profile."+QuoteKey(name)+"]", e.Find(name))
			}
		case e.Table() != nil:
			pairs(&tables, "["+QuoteKey(k)+"]", e)
		case len(items) > 0 && items[0].Table() != nil:
			for _, entry := range items {
				pairs(&entries, "[["+QuoteKey(k)+"]]", entry)
			}
		default:
			fmt.Fprintf(&keys, "%s = %s\n", QuoteKey(k), Inline(e))
		}
	}
	return append(append(keys.Bytes(), tables.Bytes()...), entries.Bytes()...)
}

// Inline writes a value as TOML on one line.
func Inline(n *Node) string {
	var parts []string
	switch v := n.Value.(type) {
	case *Table:
		for _, k := range v.Keys {
			parts = append(parts, QuoteKey(k)+" = "+Inline(v.Nodes[k]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []*Node:
		for _, e := range v {
			parts = append(parts, Inline(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return printed.TOML(v)
	case float64:
		if n.Digits != "" {
			return n.Digits
		}
		if v == math.Trunc(v) && math.Abs(v) < 1e6 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e-0", "e-", 1)
	}
	return fmt.Sprint(n.Value)
}
