package experiments

import (
	"repro/algos/metrics"
	"repro/experiments/spectree"
	"repro/plots/figures"
)

// glyphs checks that the figures can show their texts and the words for their metrics. Every text of a figure counts but its
// caption, which is on the page beside it, and of a metric all but the column that holds it in somebody's file.
func (s *Spec) glyphs(tree *spectree.Node, found *spectree.Mistakes) {
	drawn := tree.Find("figure").Items()
	if len(drawn) == 0 {
		return
	}
	for i, n := range tree.Find("method").Items() {
		drawable(n.Find("label"), spectree.Join(spectree.Entry("method", n, i), "label"), found)
	}
	for i, n := range drawn {
		path := spectree.Entry("figure", n, i)
		if n.Find("title") == nil {
			drawable(tree.Find("title"), "title", found)
		}
		drawableBut("caption", n, path, found)
	}
	for i, n := range tree.Find("metric").Items() {
		drawableBut("column", n, spectree.Entry("metric", n, i), found)
	}
	for _, name := range s.Evaluate.Names() {
		if m := metrics.Lookup(name); m != nil {
			if err := figures.Drawable(m.Words + m.Unit); err != nil {
				found.Add(spectree.At(tree, "evaluate", "metrics"), "evaluate.metrics", "the words for %s cannot be drawn: %v where it is registered", name, err)
			}
		}
	}
}

// drawable checks the texts of a key of the spec, with those below it.
func drawable(n *spectree.Node, path string, found *spectree.Mistakes) {
	if err := figures.Drawable(n.Text()); err != nil {
		found.Add(n.Place, path, "%v", err)
	}
	for i, e := range n.Items() {
		drawable(e, spectree.Entry(path, e, i), found)
	}
	drawableBut("", n, path, found)
}

// drawableBut checks the texts of the keys of a table, but for the one that is not drawn.
func drawableBut(but string, n *spectree.Node, path string, found *spectree.Mistakes) {
	if t := n.Table(); t != nil {
		for _, key := range t.Keys {
			if key != but {
				drawable(t.Nodes[key], spectree.Join(path, key), found)
			}
		}
	}
}
