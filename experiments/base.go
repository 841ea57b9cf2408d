package experiments

import (
	"fmt"
	"slices"
	"sync"

	"repro/experiments/spectree"
	"repro/results/printed"
)

// A laid is a spec, rows made entries, laid over the one that its key base names.
type laid struct {
	root  *spectree.Node
	files []Source // that it consists of, its own first
	read  bool     // files of published curves are in it
}

// whole reads a spec and its base.
func whole(src Source, found *spectree.Mistakes) (laid, error) {
	root, err := spectree.Parse(src.File, src.Text)
	if err != nil {
		return laid{}, err
	}
	root.Rows(isKey, found)
	name := root.Find("base")
	if name == nil {
		if n := root.Find("without"); n != nil {
			found.Add(n.Place, "without", "lists what is left out of a base, but the spec has no base; remove it, or name a base")
		}
		return laid{root: root, files: []Source{src}, read: readCurves(src, root, found)}, found.Err()
	}
	under, err := src.base(name)
	if err != nil {
		found.Add(name.Place, "base", "%v", err)
		return laid{}, found.Err()
	}
	base, err := parseBase(under)
	if err != nil {
		return laid{}, fmt.Errorf("%w (inherited by %s)", err, src.File)
	}
	if n := base.Find("base"); n != nil {
		wrong := "%s has a base itself, %s; name that one, or one without a base"
		if back, err := under.base(n); err == nil && back.File == src.File {
			wrong = "%s has this spec, %s, as its base; write one of them without a base"
		}
		found.Add(name.Place, "base", wrong, printed.Quote(name.Text()), printed.Quote(n.Text()))
		return laid{}, found.Err()
	}
	base.Rows(isKey, found)
	base.Walk(func(n *spectree.Node) { n.File = under.File })
	read := under.Catalog && readCurves(under, base, found)
	methods, claims := spectree.IDs(base.Find("method")), spectree.IDs(base.Find("claim"))
	base.LeaveOut(root.Find("without"), found)
	forget(base, spectree.Missing(methods, base.Find("method")), spectree.Missing(claims, base.Find("claim")))
	root.Table().Remove("base")
	root.Table().Remove("without")
	base.Inherit(root, found)
	read = readCurves(src, base, found) || read
	return laid{base, []Source{src, under}, read}, found.Err()
}

// bases holds the trees of specs of the catalog that others were laid over, by their text.
var bases sync.Map

// parseBase parses a spec that another is laid over; those of the catalog once.
func parseBase(under Source) (*spectree.Node, error) {
	if known, ok := bases.Load(under.Text); ok && under.Catalog {
		return known.(*spectree.Node).Clone(), nil
	}
	tree, err := spectree.Parse(under.File, under.Text)
	if err == nil && under.Catalog {
		bases.Store(under.Text, tree.Clone())
	}
	return tree, err
}

// forget removes methods and claims that are left out from what names them: claims, figures and tables, and those of them that
// name nothing else.
func forget(n *spectree.Node, methods, claims []string) {
	var gone []string
	filter(n, "claim", func(c *spectree.Node) bool {
		drop := slices.Contains(methods, c.Find("method").Text()) || drop(c, "against", "", methods)
		if drop {
			gone = append(gone, spectree.IDOf(c))
		}
		return drop
	})
	filter(n, "figure", func(f *spectree.Node) bool {
		return drop(f, "series", "method", methods) || drop(f, "methods", "", methods) || drop(f, "claims", "", append(gone, claims...))
	})
	filter(n, "table", func(t *spectree.Node) bool { return drop(t, "methods", "", methods) })
}

// filter removes the entries of the array under a key that drop chooses.
func filter(n *spectree.Node, key string, drop func(*spectree.Node) bool) {
	if array := n.Find(key); array.Items() != nil {
		array.Value = slices.DeleteFunc(slices.Clone(array.Items()), drop)
	}
}

// drop removes ids from the array under a key, whose entries have them as name if that is not empty. It reports whether nothing
// is left.
func drop(n *spectree.Node, key, name string, ids []string) (empty bool) {
	before := len(n.Find(key).Items())
	filter(n, key, func(e *spectree.Node) bool {
		if name != "" {
			e = e.Find(name)
		}
		return slices.Contains(ids, e.Text())
	})
	return before > 0 && len(n.Find(key).Items()) == 0
}
