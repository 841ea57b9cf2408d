package experiments

import (
	"path"
	"strings"

	"repro/experiments/spectree"
	"repro/results/printed"
)

func (c checker) check() {
	for _, k := range []string{"base", "without"} {
		if n := c.tree.Find(k); n != nil {
			c.Add(n.Place, k, "belongs to a spec, which is laid over its base before its profiles and edits; write it at the top of the file")
		}
	}
	c.paper()
	c.withoutCI()
	c.reported()
	c.abscissae()
	c.task()
	c.evaluate()
	c.targets()
	for _, key := range []string{"method", "published_curve", "claim", "figure", "table"} {
		c.ids(key, "id")
	}
	c.ids("ambiguity", "item")
	c.budgets()
	c.externals()
	c.curves()
	c.adversary()
	c.cells()
	if len(c.List) > 0 {
		return
	}
	c.publishedCurves()
	c.claims()
	c.figures()
	c.tables()
}

// cells checks that the methods and their seeds make no more cells than can be planned and kept.
func (c checker) cells() {
	if wrong := c.spec.tooManyCells(); wrong != "" {
		c.Add(spectree.At(c.tree, "repeat", "seeds"), "repeat.seeds", "%s", wrong)
	}
}

func (c checker) paper() {
	where, key := spectree.At(c.tree, "paper"), c.spec.Paper
	if !spectree.ValidID(key) {
		c.Add(where, "paper", "%s cannot be part of a file name; %s", printed.Quote(key), spectree.IDRule)
		return
	}
	if folder := path.Dir(c.source.File); c.source.Catalog && key != folder {
		c.Add(where, "paper", "is %s, and the folder of the spec is %s; give them the same name", printed.Quote(key), printed.Quote(folder))
	}
}

// withoutCI checks that a spec with a reason to be without [profile.ci] has no such table.
func (c checker) withoutCI() {
	if c.spec.NoCI != "" && c.source.ci {
		c.Add(spectree.At(c.tree, "no_ci"), "no_ci", "says why there is no [profile.ci], and there is one; remove one of them")
	}
}

func (c checker) evaluate() {
	e := &c.spec.Evaluate
	where := spectree.At(c.tree, "evaluate", "metrics")
	switch names := c.metricNames(); {
	case len(e.Metrics) > 0:
	case len(names) == 0:
		c.Add(where, "evaluate.metrics", "is empty; declare by [[metric]] what the methods report")
	default:
		c.Add(where, "evaluate.metrics", "is empty; choose some of %s", strings.Join(names, ", "))
	}
	if i := firstDouble(e.Names()); i >= 0 {
		c.Add(where, "evaluate.metrics", "names %q twice; remove one", e.Metrics[i].Name)
	}
	for i, v := range e.At {
		if v <= 0 || i > 0 && v <= e.At[i-1] {
			c.Add(spectree.At(c.tree, "evaluate", "at"), "evaluate.at", "%v are not increasing positive numbers", e.At)
			break
		}
	}
	c.metrics()
}
