package experiments

import (
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

// whole reads the tree of a spec: rows made entries, and the spec laid over the one that its key base names. files are the files
// that it consists of, its own first.
func whole(src source, found *mistakes) (root *node, files []source, err error) {
	root, err = parse(src.file, src.text)
	if err != nil {
		return nil, nil, err
	}
	files = []source{src}
	expandRows(root, found)
	name := root.find("base")
	if name == nil {
		if n := root.find("without"); n != nil {
			found.add(n.place, "without", "says what is left out of a base, and there is none; remove it, or name a base")
		}
		return root, files, found.err()
	}
	under, err := src.base(name)
	if err != nil {
		found.add(name.place, "base", "%v", err)
		return nil, nil, found.err()
	}
	base, err := parse(under.file, under.text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (inherited by %s)", err, src.file)
	}
	if n := base.find("base"); n != nil {
		wrong := "%s has a base itself, %s; name that one, or one without a base"
		if back, err := under.base(n); err == nil && back.file == src.file {
			wrong = "%s has this spec, %s, as its base; write one of them without a base"
		}
		found.add(name.place, "base", wrong, quote(name.text()), quote(n.text()))
		return nil, nil, found.err()
	}
	expandRows(base, found)
	base.walk(func(n *node) { n.file = under.file })
	base.leaveOut(root.find("without"), found)
	root.table().remove("base")
	root.table().remove("without")
	base.inherit(root, found)
	return base, append(files, under), found.err()
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
		s := &scanner{text: w.text(), index: &lineIndex{}}
		keys := s.key()
		if s.pos < len(s.text) || len(keys) == 0 || slices.Contains(keys, "") {
			found.add(w.place, "without", `%s is no dotted key; write one such as "method.dsg" or "evaluate.at"`, describe(w))
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
	switch t := n.table(); {
	case t == nil:
		return "it has no keys there"
	case t.nodes[path[0]] == nil:
		return Suggest(path[0], t.keys)
	case last:
		t.remove(path[0])
		return ""
	}
	return n.find(path[0]).remove(path[1:])
}

// inherit lays a spec over this one, its base. Grids, and tables that name something else, are the spec's alone. The changes of
// a profile are those of the base and then those of the spec.
func (n *node) inherit(own *node, found *mistakes) {
	base := n.find("profile")
	over := own.find("profile")
	own.table().remove("profile")
	supplant(n, own)
	overlayRoot(n, own, found)
	if over == nil || over.table() == nil || base.table() == nil {
		if over != nil {
			n.table().set("profile", over)
		}
		return
	}
	for _, name := range over.table().keys {
		p, q := base.find(name), over.find(name)
		if p.table() == nil || q.table() == nil {
			base.table().set(name, q)
			continue
		}
		spell(n, p, found)
		spell(n, q, found)
		overlay(p, q)
	}
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
