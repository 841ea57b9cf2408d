package experiments

import (
	"fmt"
	"slices"

	"repro/experiments/spectree"
	"repro/results/records"
)

// curves checks where the curves of imported methods are, and that the file can tell them apart.
func (c checker) curves() {
	o, table := &c.spec.Curves, c.tree.Find("curves")
	first := -1
	for i, n := range c.tree.Find("method").Items() {
		m, path := &c.spec.Methods[i], spectree.Entry("method", n, i)
		switch {
		case !m.imported():
		case table == nil:
			c.Add(spectree.At(n, "algorithm"), path+".algorithm", "imported needs the file of the curve; write [curves] with file = \"curves.csv\"")
		case first >= 0 && !o.TellsMethods():
			c.Add(n.Place, path, "the file has no name for methods, and method %q has its only curve; name the column in curves.method", c.spec.Methods[first].ID)
		case first < 0:
			first = i
		}
		if b := n.Find("budget"); b != nil && m.imported() {
			c.Add(b.Place, path+".budget", "has no effect on an imported curve; remove it")
		}
	}
	if table == nil {
		return
	}
	if first < 0 {
		c.Add(table.Place, "curves", "no method is imported; write [[method]] with algorithm = %q, or remove the table", importedName)
		return
	}
	if key, wrong := o.Check(); wrong != "" {
		c.Add(spectree.At(table, key), "curves."+key, "%s", wrong)
	}
	seeds := c.spec.Repeat.Seeds
	switch {
	case seeds > 1 && !o.TellsSeeds():
		c.Add(spectree.At(c.tree, "repeat", "seeds"), "repeat.seeds", "is %d, and the file has no name for seeds; name the column in curves.seed, or write 1", seeds)
	case len(o.Seeds) > 0 && len(o.Seeds) != seeds:
		c.Add(spectree.At(table, "seeds"), "curves.seeds", "lists %d, and %s is %d; give both the same number", len(o.Seeds), spectree.Beside("repeat.seeds", c.tree.Find("repeat", "seeds")), seeds)
	}
}

// onAxis says why the points of imported curves have no place on an abscissa, empty if they have one.
func (c checker) onAxis(x string) string {
	a, known := records.AbscissaOf(x)
	o := c.spec.Curves.Filled(nil)
	key := ""
	switch {
	case !known || !slices.ContainsFunc(c.spec.Methods, func(m Method) bool { return m.imported() }):
	case x == "epoch" && o.Epoch == "", x == "step" && o.Step == "" && o.Epoch+o.Seconds+o.Clock != "":
		key = x
	case a.Source == records.Clock && o.Seconds+o.Clock == "":
		key = "seconds"
	case a.Source == records.Counts || x == "seen":
		return "imported curves have no counts of work; choose step, epoch or seconds"
	}
	if key != "" {
		return fmt.Sprintf("the imported curves have no %s; name their column in curves.%s, or choose another x", x, key)
	}
	return ""
}
