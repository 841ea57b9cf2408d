package experiments

import (
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/records"
)

// truth names the function that generated the data, as a series of a figure of learnt functions.
const truth = "truth"

func (c checker) figures() {
	for i, n := range c.tree.find("figure").items() {
		f, path := &c.spec.Figures[i], entry("figure", n, i)
		switch f.Kind {
		case "heatmap", "functions":
			c.learnt(n, path, f)
		case "exponents":
			c.exponents(n, path, f)
		default:
			c.mapped(n, path, f)
			c.curves(n, path, f)
		}
		for _, id := range f.Claims {
			if !c.known.claims[id] {
				c.add(at(n, "claims"), path+".claims", "unknown claim %s; %s", quote(id), Suggest(id, sortedKeys(c.known.claims)))
			}
		}
		c.looks(n, path, f)
		if e := n.find("y_range"); e != nil && !(f.YRange[0] < f.YRange[1]) {
			c.add(e.place, path+".y_range", "want [low, high] with low < high, got [%v, %v]", f.YRange[0], f.YRange[1])
		}
	}
}

// looks checks the keys that say how a figure looks.
func (c checker) looks(n *node, path string, f *claims.Figure) {
	if e := n.find("size"); e != nil {
		if _, _, err := f.Centimetres(); err != nil {
			c.add(e.place, path+".size", "%v", err)
		}
	}
	if e := n.find("font_size"); e != nil && !(f.FontSize >= claims.SmallestFont && f.FontSize <= claims.LargestFont) {
		c.add(e.place, path+".font_size", "want %d to %d points, got %v", claims.SmallestFont, claims.LargestFont, f.FontSize)
	}
	if e := n.find("levels"); e != nil && f.Kind != "heatmap" {
		c.add(e.place, path+".levels", `has no effect on a figure of another kind than "heatmap"; remove it`)
	}
	e := n.find("classes")
	switch {
	case e == nil:
	case f.Kind != "heatmap" && f.Kind != "functions":
		c.add(e.place, path+".classes", `has no effect on a figure of another kind than "heatmap" or "functions"; remove it`)
	case f.Kind == "functions" && len(f.Classes) != 2:
		c.add(e.place, path+".classes", "want the names of the rows with y < 0 and with y > 0, got %d names", len(f.Classes))
	case len(f.Classes) < 2:
		c.add(e.place, path+".classes", "want the names of two classes or more, got %d", len(f.Classes))
	}
	if e := n.find("legend"); e != nil && (f.Kind == "heatmap" || f.Kind == "map") {
		c.add(e.place, path+".legend", "has no effect on a figure of maps, whose legend is right of them; remove it")
	}
}

// curves checks a figure of curves.
func (c checker) curves(n *node, path string, f *claims.Figure) {
	if e := n.find("x"); f.Across != "" && e != nil {
		c.add(e.place, path+".x", "contradicts %s; keep one", beside("across", n.find("across")))
	}
	if f.Across != "" && len(f.Series) == 0 {
		c.add(at(n, "across"), path+".across", "needs series; name the grids")
	}
	if f.X == "" && f.Across == "" {
		c.add(n.place, path+".x", "missing; choose one of %s", strings.Join(records.AbscissaNames(), ", "))
	}
	if f.Y == "" {
		c.add(n.place, path+".y", "missing; choose one of %s", strings.Join(c.spec.Evaluate.Metrics, ", "))
		return
	}
	if len(f.Series) == 0 {
		c.metric(at(n, "y"), path+".y", f.Y, idsOf(c.tree.find("method")))
	}
	for i, x := range f.Series {
		sn := n.find("series").items()[i]
		sp := entry(path+".series", sn, i)
		if x.Method == truth {
			c.add(at(sn, "method"), sp+".method", `"truth" can only be shown in a figure of learnt functions; set kind = "heatmap" or "functions", or remove it`)
			continue
		}
		metric, where := x.Metric, at(sn, "metric")
		if metric == "" {
			metric, where = f.Y, at(n, "y")
		}
		if f.Across != "" {
			c.across(at(n, "across"), path+".across", f.Across, x.Method)
		}
		if c.method(at(sn, "method"), sp+".method", x.Method) {
			c.metric(where, sp+".metric", metric, []string{x.Method})
		}
	}
}

// exponents checks a figure of exponents: its claims are of slopes, and it has nothing that belongs to curves.
func (c checker) exponents(n *node, path string, f *claims.Figure) {
	for _, k := range []string{"x", "across", "y", "scale", "series", "guides"} {
		if e := n.find(k); e != nil {
			c.add(e.place, join(path, k), "has no effect on a figure of exponents; remove it")
		}
	}
	kinds := slices.DeleteFunc(claims.Kinds(), func(name string) bool { return claims.KindOf(name).Quantity != claims.Slope })
	slopes := quote(strings.Join(kinds, `" or "`))
	if len(f.Claims) == 0 {
		c.add(at(n, "claims"), path+".claims", "a figure of exponents needs claims of kind %s; name them", slopes)
	}
	for _, id := range f.Claims {
		i := slices.IndexFunc(c.spec.Claims, func(k claims.Claim) bool { return k.ID == id })
		if i >= 0 && !slices.Contains(kinds, c.spec.Claims[i].Kind) {
			c.add(at(n, "claims"), path+".claims", "%s is not of kind %s; remove it", quote(id), slopes)
		}
	}
}

// mapped checks the keys of a map, and that other figures do not have its own.
func (c checker) mapped(n *node, path string, f *claims.Figure) {
	if f.Kind != "map" {
		c.needless(n, path, `kind = "map"`, "by", "limit")
		return
	}
	for _, k := range []string{"across", "by"} {
		if n.find(k) == nil {
			c.add(n.place, join(path, k), "missing; a map needs it, a key of the grid of its series")
		}
	}
	c.needless(n, path, `another kind than "map"`, "scale", "guides")
	for _, s := range f.Series {
		if f.Limit != "" {
			c.metric(at(n, "limit"), path+".limit", f.Limit, []string{s.Method})
		}
		if f.By != "" {
			c.across(at(n, "by"), path+".by", f.By, s.Method)
		}
	}
}

// learnt checks a figure of learnt functions.
func (c checker) learnt(n *node, path string, f *claims.Figure) {
	if c.spec.Evaluate.Surface == 0 {
		c.add(n.place, path+".kind", "a %s figure needs the learnt functions on a grid; set evaluate.surface = 101", f.Kind)
	}
	for i, x := range f.Series {
		sn := n.find("series").items()[i]
		if x.Method != truth {
			c.method(at(sn, "method"), entry(path+".series", sn, i)+".method", x.Method)
			c.drawn(at(sn, "method"), entry(path+".series", sn, i)+".method", x.Method)
		}
	}
}

func (c checker) tables() {
	for i, n := range c.tree.find("table").items() {
		t, path := &c.spec.Tables[i], entry("table", n, i)
		if len(t.Metrics) == 0 {
			c.add(at(n, "metrics"), path+".metrics", "is empty; name the columns")
		}
		for _, name := range t.Metrics {
			metric, _ := baseMetric(name)
			c.metric(at(n, "metrics"), path+".metrics", metric, nil)
		}
		for _, id := range t.Methods {
			c.method(at(n, "methods"), path+".methods", id)
		}
		c.readAt(n.find("at"), path+".at", t.At)
		c.places(n, path, t)
	}
}

// places checks a table whose rows are places on the curves.
func (c checker) places(n *node, path string, t *claims.Table) {
	x, rows := n.find("x"), n.find("rows")
	switch {
	case x == nil && rows == nil:
		return
	case x == nil:
		c.add(rows.place, path+".rows", `needs x, the abscissa of the rows; add x = "epoch"`)
	case rows == nil:
		c.add(x.place, path+".x", "needs rows; add rows = [1, 10]")
	}
	if e := n.find("at"); e != nil {
		c.add(e.place, path+".at", "contradicts %s; keep one", beside("rows", rows))
	}
	c.rows(n, path, t.X, t.Rows)
}
