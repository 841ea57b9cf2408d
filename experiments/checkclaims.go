package experiments

import (
	"slices"
	"strconv"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// claimKeys lists the keys that claims of a kind need, and those they may have, apart from the keys
// of every claim.
var claimKeys = map[string]struct{ need, may []string }{
	claims.KindValue:  {[]string{"published"}, []string{"tolerance", "unit", "at", "at_most", "at_least"}},
	claims.KindValues: {[]string{"x", "rows", "cells"}, []string{"tolerance", "unit", "at_most"}},
	claims.KindRate:   {[]string{"published"}, []string{"x", "tolerance", "window", "at_most", "at_least", "statistic", "across", "at"}},
	claims.KindOrder:  {[]string{"against"}, []string{"at", "unit"}},
	claims.KindMatch:  {[]string{"against", "tolerance"}, []string{"unit", "relative", "at"}},
	claims.KindRatio:  {[]string{"published", "x", "against", "target"}, []string{"tolerance", "at_least"}},
	claims.KindReach:  {[]string{"published", "x", "target"}, []string{"tolerance", "at_most", "at_least"}},
}

// commonClaimKeys are the keys of every claim.
var commonClaimKeys = []string{"id", "kind", "statement", "source", "method", "metric"}

func (c checker) claims() {
	for i, n := range c.tree.find("claim").items() {
		claim, path := &c.spec.Claims[i], entry("claim", n, i)
		keys := claimKeys[claim.Kind]
		for _, k := range keys.need {
			if n.find(k) == nil {
				c.add(n.place, join(path, k), "missing; a claim of kind %q needs it", claim.Kind)
			}
		}
		for _, k := range n.table().keys {
			if !slices.Contains(slices.Concat(commonClaimKeys, keys.need, keys.may), k) {
				c.add(at(n, k), join(path, k), "has no effect on a claim of kind %q; remove it", claim.Kind)
			}
		}
		c.claim(n, claim, path)
	}
}

func (c checker) claim(n *node, claim *claims.Claim, path string) {
	if e := n.find("published"); e != nil {
		if _, _, _, err := printed.Parse(claim.Published); err != nil {
			c.add(e.place, path+".published", "%s is not a number as papers print them; write one such as \"3.1\"", quote(claim.Published))
		}
	}
	if e := n.find("against"); e != nil && len(claim.Against) == 0 {
		c.add(e.place, path+".against", "is empty; name the methods compared with")
	}
	if e := n.find("tolerance"); claim.Relative && claim.Tolerance < 1 {
		c.add(e.place, path+".tolerance", "a relative tolerance is a ratio >= 1, got %v", claim.Tolerance)
	} else if claim.Kind == claims.KindMatch && e != nil && claim.Tolerance == 0 {
		c.add(e.place, path+".tolerance", "must be > 0, got 0")
	}
	if e := n.find("at_least"); claim.AtMost && claim.AtLeast {
		c.add(e.place, path+".at_least", "contradicts %s; keep one", beside("at_most", n.find("at_most")))
	}
	if e := n.find("target"); e != nil && claim.Target == 0 {
		c.add(e.place, path+".target", "must be > 0, got 0")
	}
	if claim.Kind == claims.KindRate {
		c.rate(n, claim, path)
	}
	c.values(n, claim, path)
	if w := claim.Window; n.find("window") != nil && !(0 < w[0] && w[0] < w[1]) {
		c.add(at(n, "window"), path+".window", "want [low, high] with 0 < low < high, got [%v, %v]", w[0], w[1])
	}
	c.readAt(n.find("at"), path+".at", claim.At)

	named := c.method(at(n, "method"), path+".method", claim.Method)
	for _, id := range claim.Against {
		named = c.method(at(n, "against"), path+".against", id) && named
		if id == claim.Method {
			c.add(at(n, "against"), path+".against", "names %q, the method the claim is about; remove it", id)
		}
	}
	if named {
		c.metric(at(n, "metric"), path+".metric", claim.Metric, append([]string{claim.Method}, claim.Against...))
	}
	if claim.Kind == claims.KindOrder {
		c.ordered(at(n, "metric"), path+".metric", claim.Metric)
	}
}

// rate checks what a slope is fitted against.
func (c checker) rate(n *node, claim *claims.Claim, path string) {
	if claim.Across == "" {
		if claim.X == "" {
			c.add(n.place, path+".x", "missing; a claim of kind %q needs it, or across", claim.Kind)
		}
		if e := n.find("at"); e != nil {
			c.add(e.place, path+".at", "has no effect on a claim of kind %q against x; remove it", claim.Kind)
		}
		return
	}
	for _, k := range []string{"x", "window", "statistic"} {
		if e := n.find(k); e != nil {
			c.add(e.place, join(path, k), "contradicts %s; keep one", beside("across", n.find("across")))
		}
	}
	c.across(at(n, "across"), path+".across", claim.Across, claim.Method)
}

// across checks that a name is that of a grid which varies the key.
func (c checker) across(where place, path, key, method string) {
	for i := range c.spec.Methods {
		if m := &c.spec.Methods[i]; m.Group == method {
			if !slices.Contains(m.axes, key) {
				c.add(where, path, "the grid of %q does not vary %s; choose one of %s", method, quote(key), strings.Join(m.axes, ", "))
			}
			return
		}
	}
	if c.known.methods[method] {
		c.add(where, path, "%q has no grid; name a method with one that varies %s", method, quote(key))
	}
}

// readAt checks where on a curve to read.
func (c checker) readAt(n *node, path string, a records.At) {
	if n == nil {
		return
	}
	if a.X == "" || a.Value == 0 {
		c.add(n.place, path, `want both x and value; for example { x = "epoch", value = 1 }`)
	}
}

// method checks a reference to a method or to a grid.
func (c checker) method(where place, path, id string) bool {
	if c.known.methods[id] {
		return true
	}
	c.add(where, path, "unknown method %s; %s", quote(id), suggest(id, sortedKeys(c.known.methods)))
	return false
}

// metric checks that a metric is measured, as costs always are, that the methods named predict what
// it needs, and for the averaged iterate that they keep an average.
func (c checker) metric(where place, path, name string, methods []string) {
	if slices.Contains(records.AbscissaNames(), name) {
		return
	}
	metric, average := baseMetric(name)
	if !slices.Contains(c.spec.Evaluate.Metrics, metric) {
		c.add(where, path, "%q is not measured; add it to %s", metric,
			beside("evaluate.metrics", c.tree.find("evaluate", "metrics")))
		return
	}
	for i := range c.spec.Methods {
		m := &c.spec.Methods[i]
		if !slices.Contains(methods, m.ID) && !slices.Contains(methods, m.Group) {
			continue
		}
		c.labelled(where, path, metric, m)
		if average && !m.averages() {
			c.add(where, path, "method %q keeps no average; %s", m.ID, averageHint(m))
		}
	}
}

// averageHint says what to do about a method that keeps no average.
func averageHint(m *Method) string {
	if hasAverage(m) {
		return "set its average = true"
	}
	return "algorithm " + strconv.Quote(m.Algorithm) + " cannot keep one"
}

func (c checker) figures() {
	for i, n := range c.tree.find("figure").items() {
		f, path := &c.spec.Figures[i], entry("figure", n, i)
		if f.Kind == "heatmap" || f.Kind == "functions" {
			c.learnt(n, path, f)
		} else {
			c.curves(n, path, f)
		}
		for _, id := range f.Claims {
			if !c.known.claims[id] {
				c.add(at(n, "claims"), path+".claims", "unknown claim %s; %s", quote(id), suggest(id, sortedKeys(c.known.claims)))
			}
		}
		if e := n.find("y_range"); e != nil && !(f.YRange[0] < f.YRange[1]) {
			c.add(e.place, path+".y_range", "want [low, high] with low < high, got [%v, %v]", f.YRange[0], f.YRange[1])
		}
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
		c.metric(at(n, "y"), path+".y", f.Y, methodIDs(c.tree))
	}
	for i, x := range f.Series {
		sn := n.find("series").items()[i]
		sp := entry(path+".series", sn, i)
		if x.Method == truth {
			c.add(at(sn, "method"), sp+".method", `"truth" can only be shown among functions learnt; set kind = "heatmap" or "functions", or remove it`)
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

// learnt checks a figure of functions learnt.
func (c checker) learnt(n *node, path string, f *claims.Figure) {
	if c.spec.Evaluate.Surface == 0 {
		c.add(n.place, path+".kind", "a %s figure needs the functions learnt on a grid; set evaluate.surface, such as 101", f.Kind)
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
		c.add(rows.place, path+".rows", `needs x, along which the rows lie; add x = "epoch"`)
	case rows == nil:
		c.add(x.place, path+".x", "needs rows; add rows = [1, 10]")
	}
	if e := n.find("at"); e != nil {
		c.add(e.place, path+".at", "contradicts %s; keep one", beside("rows", rows))
	}
	c.rows(n, path, t.X, t.Rows)
}
