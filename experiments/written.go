package experiments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// Written returns the text of a spec in full: that of its file or, if it has a base, all of it laid out, without comments. It can
// be loaded without any other spec. files are the texts that it was made of, by their paths from the spec's folder; those of
// specs of the catalog by their ids.
func Written(ref Ref) (text []byte, files map[string][]byte, err error) {
	src, err := ref.source()
	if err != nil {
		return nil, nil, err
	}
	spec, err := whole(src, &mistakes{file: src.file})
	if err != nil {
		return nil, nil, err
	}
	files = map[string][]byte{}
	var names []string
	for _, s := range spec.files {
		name := filepath.Base(s.file)
		if rel, err := filepath.Rel(filepath.Dir(src.file), s.file); s.catalog {
			name = s.file
		} else if err == nil {
			name = filepath.ToSlash(rel)
		}
		files[name] = []byte(s.text)
		names = append(names, name)
	}
	if len(spec.files) == 1 {
		return []byte(src.text), files, nil
	}
	return append([]byte("# "+strings.Join(names, " over ")+", laid out\n"), spec.root.toml()...), files, nil
}

// toml writes the tree of a spec: keys, then tables, then the entries of arrays of tables.
func (n *node) toml() []byte {
	var keys, tables, entries bytes.Buffer
	pairs := func(b *bytes.Buffer, header string, n *node) {
		fmt.Fprintf(b, "\n%s\n", header)
		for _, k := range n.table().keys {
			fmt.Fprintf(b, "%s = %s\n", quoteKey(k), inline(n.find(k)))
		}
	}
	for _, k := range n.table().keys {
		e := n.find(k)
		items := e.items()
		switch {
		case k == "profile":
			for _, name := range e.table().keys {
				pairs(&entries, "[profile."+quoteKey(name)+"]", e.find(name))
			}
		case e.table() != nil:
			pairs(&tables, "["+quoteKey(k)+"]", e)
		case len(items) > 0 && items[0].table() != nil:
			for _, entry := range items {
				pairs(&entries, "[["+quoteKey(k)+"]]", entry)
			}
		default:
			fmt.Fprintf(&keys, "%s = %s\n", quoteKey(k), inline(e))
		}
	}
	return append(append(keys.Bytes(), tables.Bytes()...), entries.Bytes()...)
}

// inline writes a value as TOML on one line.
func inline(n *node) string {
	var parts []string
	switch v := n.value.(type) {
	case *table:
		for _, k := range v.keys {
			parts = append(parts, quoteKey(k)+" = "+inline(v.nodes[k]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []*node:
		for _, e := range v {
			parts = append(parts, inline(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		var b bytes.Buffer
		e := json.NewEncoder(&b) // its escapes are those of TOML
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic("experiments: a string is not JSON: " + err.Error())
		}
		return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
	case float64:
		if n.digits != "" {
			return n.digits
		}
		if v == math.Trunc(v) && math.Abs(v) < 1e6 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e-0", "e-", 1)
	}
	return fmt.Sprint(n.value)
}
