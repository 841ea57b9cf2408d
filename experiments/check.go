package experiments

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"repro/algos/metrics"
)

func (c checker) check() {
	for _, k := range []string{"base", "without"} {
		if n := c.tree.find(k); n != nil {
			c.add(n.place, k, "belongs to a spec, which is laid over its base before its profiles and edits; write it at the top of the file")
		}
	}
	c.paper()
	c.withoutCI()
	c.data()
	c.problem()
	c.evaluate()
	c.targets()
	c.ids("method")
	c.ids("claim")
	c.ids("figure")
	c.ids("table")
	c.items()
	c.budgets()
	c.externals()
	c.adversary()
	c.cells()
	if len(c.list) > 0 {
		return
	}
	c.claims()
	c.figures()
	c.tables()
}

// checkBound looks for contradictions in what is valid key by key in a spec of which something is not, so that all mistakes of a
// file show at once. Entries with a mistake are left out, and so is what would follow from one.
func (c checker) checkBound() {
	if nameless := c.known.methods[""]; nameless || slices.ContainsFunc([]string{"data", "problem", "evaluate", "repeat", "method"}, c.in) {
		return
	}
	all := c.mistakes
	c.spec.Methods = valid(c, "method", c.spec.Methods)
	c.spec.Claims = valid(c, "claim", c.spec.Claims)
	c.spec.Figures = valid(c, "figure", c.spec.Figures)
	c.spec.Tables = valid(c, "table", c.spec.Tables)
	c.mistakes = &mistakes{file: c.file}
	c.data()
	c.problem()
	c.evaluate()
	c.targets()
	if !all.in("budget") {
		c.budgets()
	}
	if !all.in("published") {
		c.claims()
	}
	c.figures()
	c.tables()
	all.list = append(all.list, c.list...)
}

// maxCells bounds the cells of a spec, each of which is a run with a record of its own.
const maxCells = 20_000

// cells checks that the methods and their seeds make no more cells than can be planned and kept.
func (c checker) cells() {
	if wrong := c.spec.tooManyCells(); wrong != "" {
		c.add(at(c.tree, "repeat", "seeds"), "repeat.seeds", "%s", wrong)
	}
}

// tooManyCells returns what is wrong with the number of cells, empty if nothing is.
func (s *Spec) tooManyCells() string {
	n := 0
	for i := range s.Methods {
		n += s.effective(&s.Methods[i]).seedsAsked()
	}
	if n <= maxCells {
		return ""
	}
	return fmt.Sprintf("makes %d cells with %d methods, more than %d; give fewer seeds", n, len(s.Methods), maxCells)
}

func (c checker) paper() {
	where, key := at(c.tree, "paper"), c.spec.Paper
	if !validID(key) {
		c.add(where, "paper", "%s cannot be part of a file name; %s", quote(key), idRule)
		return
	}
	if folder := path.Dir(c.source.file); c.source.catalog && key != folder {
		c.add(where, "paper", "is %s, and the folder of the spec is %s; give them the same name", quote(key), quote(folder))
	}
}

// withoutCI checks that a spec with a reason to be without [profile.ci] has no such table.
func (c checker) withoutCI() {
	if c.spec.NoCI != "" && c.source.ci {
		c.add(at(c.tree, "no_ci"), "no_ci", "says why there is no [profile.ci], and there is one; remove one of them")
	}
}

func (c checker) evaluate() {
	e, n := &c.spec.Evaluate, c.tree.find("evaluate")
	if len(e.Metrics) == 0 {
		c.add(at(n, "metrics"), "evaluate.metrics", "is empty; choose some of %s", strings.Join(metrics.Names(), ", "))
	}
	if i := firstDouble(e.Metrics); i >= 0 {
		c.add(at(n, "metrics"), "evaluate.metrics", "names %q twice; remove one", e.Metrics[i])
	}
	for i, v := range e.At {
		if v <= 0 || i > 0 && v <= e.At[i-1] {
			c.add(at(n, "at"), "evaluate.at", "%v are not increasing positive numbers", e.At)
			break
		}
	}
	c.exclusive(n, "at", "points")
	c.exclusive(n, "at", "spacing")
	c.metrics()
}
