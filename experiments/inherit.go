package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A source is the text of a spec and where it comes from.
type source struct {
	file string // as errors name it
	text string

	catalog bool // a registered spec: its folder names its paper and is not on disk
	ci      bool // it has [profile.ci]
}

// A laid is a spec, rows made entries, laid over the one that its key base names.
type laid struct {
	root  *node
	files []source // that it consists of, its own first
}

// whole reads a spec and its base.
func whole(src source, found *mistakes) (laid, error) {
	root, err := parse(src.file, src.text)
	if err != nil {
		return laid{}, err
	}
	expandRows(root, found)
	name := root.find("base")
	if name == nil {
		if n := root.find("without"); n != nil {
			found.add(n.place, "without", "lists what is left out of a base, but the spec has no base; remove it, or name a base")
		}
		return laid{root: root, files: []source{src}}, found.err()
	}
	under, err := src.base(name)
	if err != nil {
		found.add(name.place, "base", "%v", err)
		return laid{}, found.err()
	}
	base, err := parse(under.file, under.text)
	if err != nil {
		return laid{}, fmt.Errorf("%w (inherited by %s)", err, src.file)
	}
	if n := base.find("base"); n != nil {
		wrong := "%s has a base itself, %s; name that one, or one without a base"
		if back, err := under.base(n); err == nil && back.file == src.file {
			wrong = "%s has this spec, %s, as its base; write one of them without a base"
		}
		found.add(name.place, "base", wrong, quote(name.text()), quote(n.text()))
		return laid{}, found.err()
	}
	expandRows(base, found)
	base.walk(func(n *node) { n.file = under.file })
	methods, claims := idsOf(base.find("method")), idsOf(base.find("claim"))
	base.leaveOut(root.find("without"), found)
	base.forget(missing(methods, base.find("method")), missing(claims, base.find("claim")))
	root.table().remove("base")
	root.table().remove("without")
	base.inherit(root, found)
	return laid{base, []source{src, under}}, found.err()
}

// missing lists those of ids that no entry of an array has any more.
func missing(ids []string, array *node) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return findID(array, id) >= 0 })
}

// base returns the spec that the key base names: a sister by its name, a spec of the catalog by its id, or a file below the
// spec's folder by its path.
func (src source) base(n *node) (source, error) {
	name := n.text()
	if name == "" {
		return source{}, fmt.Errorf(`want the name of a spec, got %s; write "ridge" for a sister, "dai2014/ridge" for one of the catalog, or a path`, describe(n))
	}
	var ref Ref
	switch {
	case src.catalog && strings.HasSuffix(name, ".toml"):
		return source{}, fmt.Errorf("a spec of the catalog has no folder on disk; name its base without .toml")
	case strings.HasSuffix(name, ".toml") || !src.catalog && !strings.Contains(name, "/"):
		name = filepath.FromSlash(strings.TrimSuffix(name, ".toml") + ".toml")
		if !filepath.IsLocal(name) {
			return source{}, fmt.Errorf("%s is not below the spec's folder; copy it there, or name a spec of the catalog", quote(n.text()))
		}
		ref.Path = filepath.Join(filepath.Dir(src.file), name)
	case !strings.Contains(name, "/"):
		ref.ID = path.Dir(src.file) + "/" + name
	default:
		ref.ID = name
	}
	of, err := ref.source()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("there is no file %s; name a spec beside this one, or one of the catalog by its id, such as dai2014/ridge", ref.Path)
	case err == nil && of.file == src.file && of.catalog == src.catalog:
		err = fmt.Errorf("is this spec itself; name another, or remove it")
	}
	return of, err
}

// leaveOut removes from a base what the entries of a key without name, and what its profiles change there.
func (n *node) leaveOut(without *node, found *mistakes) {
	if without != nil && without.items() == nil {
		found.add(without.place, "without", `want an array, got %s; write ["method.dsg", "evaluate.at"]`, describe(without))
	}
	for _, w := range without.items() {
		keys := parseKey(w.text())
		if keys == nil {
			found.add(w.place, "without", `%s is not a dotted key; write one such as "method.dsg" or "evaluate.at"`, describe(w))
			continue
		}
		if wrong := n.remove(keys); wrong != "" {
			found.add(w.place, "without", "the base has no %s; %s", quote(w.text()), wrong)
		}
		if t := n.find("profile").table(); t != nil && keys[0] != "profile" {
			for _, over := range t.nodes {
				over.remove(keys)
			}
		}
	}
}

// forget removes methods and claims that are left out from what names them: claims, figures and tables, and those of them that
// name nothing else.
func (n *node) forget(methods, claims []string) {
	var gone []string
	n.filter("claim", func(c *node) bool {
		drop := slices.Contains(methods, c.find("method").text()) || c.drop("against", "", methods)
		if drop {
			gone = append(gone, idOf(c))
		}
		return drop
	})
	n.filter("figure", func(f *node) bool {
		return f.drop("series", "method", methods) || f.drop("methods", "", methods) || f.drop("claims", "", append(gone, claims...))
	})
	n.filter("table", func(t *node) bool { return t.drop("methods", "", methods) })
}

// filter removes the entries of the array under a key that drop chooses.
func (n *node) filter(key string, drop func(*node) bool) {
	if array := n.find(key); array.items() != nil {
		array.value = slices.DeleteFunc(slices.Clone(array.items()), drop)
	}
}

// drop removes ids from the array under a key, whose entries have them as name if that is not empty. It reports whether nothing
// is left.
func (n *node) drop(key, name string, ids []string) (empty bool) {
	before := len(n.find(key).items())
	n.filter(key, func(e *node) bool {
		if name != "" {
			e = e.find(name)
		}
		return slices.Contains(ids, e.text())
	})
	return before > 0 && len(n.find(key).items()) == 0
}

// remove removes what a path of keys and of ids of entries names, or returns what there is instead.
func (n *node) remove(path []string) (instead string) {
	last := len(path) == 1
	if items := n.items(); items != nil {
		ids := idsOf(n)
		named := matching(ids, path[0])
		if len(named) == 0 {
			return Suggest(path[0], ids)
		}
		n.value = slices.DeleteFunc(slices.Clone(items), func(e *node) bool {
			hit := slices.Contains(named, idOf(e))
			if hit && !last {
				instead = e.remove(path[1:])
			}
			return hit && last
		})
		return instead
	}
	t := n.table()
	if t == nil {
		return "it has no keys there"
	}
	named := matching(t.keys, path[0])
	if len(named) == 0 {
		return Suggest(path[0], t.keys)
	}
	for _, k := range named {
		if last {
			t.remove(k)
		} else {
			instead = t.nodes[k].remove(path[1:])
		}
	}
	return instead
}

// inherit lays a spec over this one, its base. Grids, and tables that name something else, are the spec's alone. The changes of
// a profile are those of the base and then those of the spec.
func (n *node) inherit(own *node, found *mistakes) {
	base := n.find("profile")
	over := own.find("profile")
	own.table().remove("profile")
	supplant(n, own)
	overlayRoot(n, own, found)
	if base.table() == nil || over != nil && over.table() == nil {
		if over != nil {
			n.table().set("profile", over)
		}
		return
	}
	for _, name := range base.table().keys {
		p, q := base.find(name), over.find(name)
		if p.table() == nil {
			continue
		}
		spell(n, p, found)
		for _, k := range keyed {
			if t := p.find(k).table(); t != nil {
				for _, id := range missing(slices.Clone(t.keys), n.find(k)) {
					t.remove(id)
				}
			}
		}
		if q.table() != nil {
			spell(n, q, found)
			overlay(p, q)
			over.table().remove(name)
		}
	}
	overlay(base, cmp.Or(over, &node{value: newTable()}))
}

// supplant puts the grids of over, and its tables that name something else, in place of those of n.
func supplant(n, over *node) {
	for i, e := range over.items() {
		if j := findID(n, idOf(e)); j >= 0 {
			supplant(n.items()[j], over.items()[i])
		}
	}
	t, o := n.table(), over.table()
	if t == nil || o == nil {
		if o != nil && n.items() != nil { // entries by id
			for _, id := range o.keys {
				if j := findID(n, id); j >= 0 {
					supplant(n.items()[j], o.nodes[id])
				}
			}
		}
		return
	}
	for _, k := range o.keys {
		old, e := t.nodes[k], o.nodes[k]
		switch {
		case old == nil:
		case k == "grid" || old.table() != nil && e.table() != nil && differs(old.table(), e.table(), "name"):
			t.nodes[k] = e.clone()
		default:
			supplant(old, e)
		}
	}
}
