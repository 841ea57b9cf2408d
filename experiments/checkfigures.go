package experiments

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"repro/experiments/spectree"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

func (c checker) figures() {
	for i, n := range c.tree.Find("figure").Items() {
		f, path := &c.spec.Figures[i], spectree.Entry("figure", n, i)
		kind, keys := figures.KindOf(f.Kind), figureKeys{claimKeys{c, n, path}}
		for _, k := range kind.Needs {
			if n.Find(k) == nil {
				c.Add(n.Place, spectree.Join(path, k), "missing; %s", c.wanted(kind, k))
			}
		}
		for _, k := range n.Table().Keys {
			if !kind.Takes(k) {
				c.Add(spectree.At(n, k), spectree.Join(path, k), "has no effect on a figure of kind %q; remove it", kind.Name)
			}
		}
		if kind.Check != nil {
			kind.Check(f, keys)
		}
		c.series(n, path, f, kind)
		for _, id := range f.Claims {
			if !c.known.claims[id] {
				c.Add(spectree.At(n, "claims"), path+".claims", "unknown claim %s; %s", printed.Quote(id), printed.Suggest(id, slices.Sorted(maps.Keys(c.known.claims))))
			}
		}
		c.looks(n, path, f)
	}
}

// wanted says what a key can be that a figure needs.
func (c checker) wanted(kind *figures.Kind, key string) string {
	switch key {
	case "y":
		return "choose one of " + strings.Join(c.spec.Evaluate.Names(), ", ")
	case "across", "by":
		return fmt.Sprintf("a figure of kind %q needs it, a key of the grid of its series", kind.Name)
	}
	return fmt.Sprintf("a figure of kind %q needs it", kind.Name)
}

// figureKeys are the keys of a figure at its node, which its kind checks.
type figureKeys struct{ claimKeys }

// Measured implements figures.Keys.
func (k figureKeys) Measured(key, metric, method string) {
	k.metric(spectree.At(k.node, key), spectree.Join(k.path, key), metric, []string{method})
}

// Varied implements figures.Keys.
func (k figureKeys) Varied(key, setting, method string) {
	k.across(spectree.At(k.node, key), spectree.Join(k.path, key), setting, method)
}

// looks checks the keys that say how a figure looks.
func (c checker) looks(n *spectree.Node, path string, f *claims.Figure) {
	for i, e := range n.Find("guides").Items() {
		if e.Find("slope") == nil && e.Find("factor") == nil {
			c.Add(e.Place, spectree.Entry(path+".guides", e, i)+".slope", "missing; give it or, with scale = \"semilogy\", a factor")
		}
		if at := e.Find("factor"); at != nil && f.Guides[i].Factor == 0 {
			c.Add(at.Place, spectree.Entry(path+".guides", e, i)+".factor", "must be > 0, got 0")
		}
	}
	if e := n.Find("y_range"); e != nil && !(f.YRange[0] < f.YRange[1]) {
		c.Add(e.Place, path+".y_range", "want [low, high] with low < high, got [%v, %v]", f.YRange[0], f.YRange[1])
	}
}

// series checks what a figure draws: that its methods are there, that they measure what is drawn, and that their grids vary what
// it is drawn across.
func (c checker) series(n *spectree.Node, path string, f *claims.Figure, kind *figures.Kind) {
	if kind.Learnt && c.spec.Evaluate.Surface == 0 {
		c.Add(n.Place, path+".kind", "a %s figure needs the learnt functions on a grid; set evaluate.surface = 101", f.Kind)
	}
	if len(f.Series) == 0 && f.Across != "" {
		c.Add(spectree.At(n, "across"), path+".across", "needs series; name the grids")
	}
	if len(f.Series) == 0 && f.Y != "" {
		c.metric(spectree.At(n, "y"), path+".y", f.Y, spectree.IDs(c.tree.Find("method")))
	}
	for i, x := range f.Series {
		sn := n.Find("series").Items()[i]
		sp := spectree.Entry(path+".series", sn, i)
		switch {
		case x.Method != figures.Truth:
			if c.method(spectree.At(sn, "method"), sp+".method", x.Method) {
				c.measured(n, sn, path, sp, f, x, kind)
			}
		case !kind.Learnt:
			c.Add(spectree.At(sn, "method"), sp+".method", `"truth" can only be shown in a figure of learnt functions; set kind = %s, or remove it`, learntKinds())
		}
	}
}

// measured checks that a method of a series has what the figure draws.
func (c checker) measured(n, sn *spectree.Node, path, sp string, f *claims.Figure, x claims.Series, kind *figures.Kind) {
	if kind.Learnt {
		c.drawn(spectree.At(sn, "method"), sp+".method", x.Method)
		return
	}
	grid := slices.ContainsFunc(c.spec.Methods, func(m Method) bool { return m.Group == x.Method })
	if f.Across != "" && (grid || !x.Level || f.By != "") {
		c.across(spectree.At(n, "across"), path+".across", f.Across, x.Method)
	}
	metric, where := x.Metric, spectree.At(sn, "metric")
	if metric == "" {
		metric, where = f.Y, spectree.At(n, "y")
	}
	if metric != "" {
		c.metric(where, sp+".metric", metric, []string{x.Method})
	}
}

// learntKinds names the kinds of figure that show learnt functions.
func learntKinds() string {
	var names []string
	for _, name := range figures.Kinds() {
		if figures.KindOf(name).Learnt {
			names = append(names, printed.Quote(name))
		}
	}
	return strings.Join(names, " or ")
}

func (c checker) tables() {
	for i, n := range c.tree.Find("table").Items() {
		t, path := &c.spec.Tables[i], spectree.Entry("table", n, i)
		if len(t.Metrics) == 0 {
			c.Add(spectree.At(n, "metrics"), path+".metrics", "is empty; name the columns")
		}
		for _, name := range t.Metrics {
			metric, _ := baseMetric(name)
			before := len(c.List)
			c.metric(spectree.At(n, "metrics"), path+".metrics", metric, nil)
			shown := func(m Method) bool {
				return len(t.Methods) == 0 || slices.Contains(t.Methods, m.ID) || slices.Contains(t.Methods, m.Group)
			}
			measured := func(m Method) bool { return shown(m) && c.spec.effective(&m).measures(metric) }
			if _, cost := records.AbscissaOf(metric); !cost && len(c.List) == before && !slices.ContainsFunc(c.spec.Methods, measured) && slices.ContainsFunc(c.spec.Methods, shown) {
				c.Add(spectree.At(n, "metrics"), path+".metrics", "%q is not measured of any of its methods; remove it, or show others", metric)
			}
		}
		for _, id := range t.Methods {
			c.method(spectree.At(n, "methods"), path+".methods", id)
		}
		c.readAt(n.Find("at"), path+".at", t.At)
		if t.X != "" && n.Find("rows") == nil && !c.spec.Meshed(t.X) {
			c.Add(spectree.At(n, "x"), path+".rows", "missing; name places along x, as in rows = [1, 10]")
		}
		c.rows(n, path, t.X, t.Rows)
	}
}
