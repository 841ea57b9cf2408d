package experiments

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repro/algos/metrics"
	"repro/experiments/spectree"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

func (c checker) claims() {
	c.publishedIs(c.tree.Find("published", "is"), "published.is", c.spec.Published.Is, false)
	for i, n := range c.tree.Find("claim").Items() {
		claim, path := &c.spec.Claims[i], spectree.Entry("claim", n, i)
		kind := claims.KindOf(claim.Kind)
		for _, k := range kind.Needs {
			if n.Find(k) == nil {
				c.Add(n.Place, spectree.Join(path, k), "missing; a claim of kind %q needs it", claim.Kind)
			}
		}
		for _, k := range n.Table().Keys {
			if !kind.Takes(k) {
				c.Add(spectree.At(n, k), spectree.Join(path, k), "has no effect on a claim of kind %q; remove it", claim.Kind)
			}
		}
		c.claim(n, claim, kind, path)
	}
}

func (c checker) claim(n *spectree.Node, claim *claims.Claim, kind *claims.Kind, path string) {
	c.number(n, claim, kind, path)
	if e := n.Find("tolerance"); e != nil && claim.Why == "" && kind.Takes("tolerance") {
		c.Add(e.Place, path+".why", "missing; say why the tolerance has this width")
	}
	if e := n.Find("against"); e != nil && len(claim.Against) == 0 {
		c.Add(e.Place, path+".against", "is empty; name the methods compared with")
	}
	if e := n.Find("target"); e != nil && claim.Target == 0 {
		c.Add(e.Place, path+".target", "must be > 0, got 0")
	}
	if kind.Check != nil {
		kind.Check(claim, claimKeys{c, n, path})
	}
	c.varies(n, claim, kind, path)
	if kind.Takes("cells") {
		c.column(n, claim, path)
	}
	if w := claim.Window; n.Find("window") != nil && !(0 < w[0] && w[0] < w[1]) {
		c.Add(spectree.At(n, "window"), path+".window", "want [low, high] with 0 < low < high, got [%v, %v]", w[0], w[1])
	}
	c.readAt(n.Find("at"), path+".at", claim.At)

	named := c.method(spectree.At(n, "method"), path+".method", claim.Method)
	for _, id := range claim.Against {
		named = c.method(spectree.At(n, "against"), path+".against", id) && named
		if id == claim.Method {
			c.Add(spectree.At(n, "against"), path+".against", "names %q, the method the claim is about; remove it", id)
		}
	}
	if named {
		c.metric(spectree.At(n, "metric"), path+".metric", claim.Metric, append([]string{claim.Method}, claim.Against...))
	}
	if named && claim.Bound != "" {
		c.metric(spectree.At(n, "measured_bound"), path+".measured_bound", claim.Bound, []string{claim.Method})
	}
	c.rated(spectree.At(n, "metric"), path+".metric", claim, kind)
	c.legible(n, claim, kind, path)
}

// claimKeys are the keys of a claim at its node, which its kind checks.
type claimKeys struct {
	checker
	node *spectree.Node
	path string
}

// Has implements claims.Keys.
func (k claimKeys) Has(key string) bool { return k.node.Find(key) != nil }

// Place implements claims.Keys.
func (k claimKeys) Place(key string) string { return spectree.Beside(key, k.node.Find(key)) }

// Wrong implements claims.Keys.
func (k claimKeys) Wrong(key, format string, args ...any) {
	k.Add(spectree.At(k.node, key), spectree.Join(k.path, key), format, args...)
}

// varies checks the keys of a grid that a claim names, and that its method has seeds enough for its statistic.
func (c checker) varies(n *spectree.Node, claim *claims.Claim, kind *claims.Kind, path string) {
	if n.Find("across") != nil && (claim.Across != "" || slices.Contains(kind.Needs, "across")) {
		c.across(spectree.At(n, "across"), path+".across", claim.Across, claim.Method)
		if e := n.Find("best"); e != nil {
			c.across(e.Place, path+".best", claim.Best, claim.Method)
		}
	}
	if kind.Takes("statistic") {
		c.statistic(spectree.At(n, "statistic"), path+".statistic", claim)
	}
}

// legible checks that what a claim reads of its methods' curves can be there: the place, or points enough for a line. At reduced
// profiles a claim that is not is inconclusive.
func (c checker) legible(n *spectree.Node, claim *claims.Claim, kind *claims.Kind, path string) {
	if !c.full {
		return
	}
	read := append([]string{claim.Method}, claim.Against...)
	for i := range c.spec.Methods {
		m := &c.spec.Methods[i]
		if !slices.Contains(read, m.ID) && !slices.Contains(read, m.Group) {
			continue
		}
		if wrong := c.spec.effective(m).beyond(claim.At); wrong != "" {
			c.Add(spectree.At(n, "at"), path+".at", "%s", wrong)
			return
		}
		if kind.Line == nil {
			continue
		}
		if form := kind.Line(claim); form != nil {
			key := "x"
			if n.Find("window") != nil {
				key = "window"
			}
			if wrong := c.spec.effective(m).pointless(form, claim.X, claim.Window); wrong != "" {
				c.Add(spectree.At(n, key), spectree.Join(path, key), "%s", wrong)
				return
			}
		}
	}
}

// beyond returns what is wrong with a place on the curve of a method, empty if nothing is or only a run can tell.
func (e effective) beyond(a records.At) string {
	if x, ok := records.AbscissaOf(a.X); !ok || x.Source != records.Place || a.Value == 0 {
		return ""
	}
	places, ok := e.places(a.X)
	switch {
	case !ok:
	case places[len(places)-1] < a.Value*(1-records.Slack):
		return fmt.Sprintf("the curve of %q ends at %s %s; name a place on it, or raise the budget", e.method.ID, a.X, printed.Number(places[len(places)-1]))
	case places[0] > a.Value*(1+records.Slack):
		return fmt.Sprintf("%q is first evaluated at %s %s; name a later place, or set evaluate.at", e.method.ID, a.X, printed.Number(places[0]))
	}
	return ""
}

// pointless returns why the curve of a method cannot have a line of a form against x, empty if it can or only a run can tell.
func (e effective) pointless(form *stats.Form, x string, window [2]float64) string {
	abscissa, known := records.AbscissaOf(x)
	if !known || window[0] > window[1] && window[1] != 0 {
		return ""
	}
	places, ok := e.places(x)
	if !ok {
		return ""
	}
	points, where := len(places), ""
	if abscissa.Source == records.Place {
		points, window = form.PointsIn(window, places)
		where = fmt.Sprintf(" between %s %s and %s", x, printed.Number(window[0]), printed.Number(window[1]))
	}
	switch {
	case points >= stats.RatePoints:
		return ""
	case len(places) == 1:
		return fmt.Sprintf("the curve of %q has one point, and a line needs %d; claim a value, or a rate across the settings of a grid", e.method.ID, stats.RatePoints)
	}
	return fmt.Sprintf("the curve of %q has %s%s, and a line needs %d; widen the window, evaluate more often or raise the budget",
		e.method.ID, printed.Count(points, "point"), where, stats.RatePoints)
}

// number checks that a claim of a kind with a number has one, and that it or the spec for it says what the number is.
func (c checker) number(n *spectree.Node, claim *claims.Claim, kind *claims.Kind, path string) {
	published := n.Find("published")
	if kind.Number && published == nil && n.Find("derived") == nil {
		c.Add(n.Place, path+".published", "missing; a claim of kind %q needs it, or derived", claim.Kind)
	}
	for key, text := range map[string]string{"published": claim.Published, "derived": claim.Derived} {
		if e := n.Find(key); e != nil {
			if _, _, _, err := printed.Parse(text); err != nil {
				c.Add(e.Place, spectree.Join(path, key), "%s is not a number as papers print them; write one such as \"3.1\"", printed.Quote(text))
			}
		}
	}
	is := n.Find("published_is")
	c.publishedIs(is, path+".published_is", claim.PublishedIs, claim.Curve != "")
	if (published != nil || n.Find("cells") != nil || n.Find("curve") != nil) && is == nil && c.tree.Find("published") == nil {
		c.Add(n.Place, path+".published_is", `missing; say here, or for all claims in [published], whether the printed number is "run", "mean of K" or "theorem"`)
	}
}

// publishedIs checks a word for what a printed number is, or a curve, at a node that may be nil.
func (c checker) publishedIs(n *spectree.Node, path, is string, curve bool) {
	switch _, ok := claims.RunsOf(is); {
	case n == nil:
	case !ok:
		c.Add(n.Place, path, `%s is unknown; choose one of "run", "mean of K" with the number of runs for K, of a curve also "median of K", "theorem"`, printed.Quote(is))
	case strings.HasPrefix(is, "median ") && !curve:
		c.Add(n.Place, path, "a median is compared in claims of kind \"curve\" only; no interval here is of a median")
	}
}

// statistic checks that the method of a rate of a statistic has seeds enough for an interval at profile paper. At reduced
// profiles such a claim is inconclusive.
func (c checker) statistic(where spectree.Place, path string, claim *claims.Claim) {
	i := slices.IndexFunc(c.spec.Methods, func(m Method) bool { return m.ID == claim.Method || m.Group == claim.Method })
	if claim.Statistic == "" || !c.full || i < 0 || !slices.Contains(stats.Statistics, claim.Statistic) {
		return
	}
	m, need := &c.spec.Methods[i], stats.LeastSeeds(claim.Statistic)
	if n := c.spec.effective(m).seedsAsked(); n < need {
		c.Add(where, path, "the %s of %s has no 95 %% interval, so the claim would be inconclusive; give %q %d seeds or more",
			stats.StatisticName(claim.Statistic), printed.Count(n, "seed"), m.ID, need)
	}
}

// across checks that a method has a grid, that the grid varies the key, and that its values are numbers. A key of the problem may
// have the name of that table before it.
func (c checker) across(where spectree.Place, path, key, method string) {
	asked := [2]string{method, key}
	wrong, known := c.varied[asked]
	if !known {
		wrong = c.acrossGrid(key, method)
		c.varied[asked] = wrong
	}
	if wrong != "" {
		c.Add(where, path, "%s", wrong)
	}
}

// acrossGrid returns what is wrong with a key across the grid of a method, empty if nothing is.
func (c checker) acrossGrid(key, method string) string {
	found := false
	for i := range c.spec.Methods {
		m := &c.spec.Methods[i]
		if m.Group != method {
			continue
		}
		found = true
		if !slices.Contains(m.axes, strings.TrimPrefix(key, "problem.")) {
			return fmt.Sprintf("the grid of %q does not vary %s; choose one of %s", method, printed.Quote(key), strings.Join(m.axes, ", "))
		}
		settings := c.settings[m.ID]
		if settings == nil {
			settings, _ = c.spec.settings(*m, map[string]map[string]any{})
			c.settings[m.ID] = settings
		}
		if _, err := (records.Header{Settings: settings}).Setting(key); err != nil {
			return fmt.Sprintf("%s is not a number that decides a run of %q, so nothing can be compared across it; choose another key of the grid", printed.Quote(key), m.ID)
		}
	}
	if !found && c.known.methods[method] {
		return fmt.Sprintf("%q has no grid; name a method with one that varies %s", method, printed.Quote(key))
	}
	return ""
}

// readAt checks where on a curve to read.
func (c checker) readAt(n *spectree.Node, path string, a records.At) {
	if n == nil {
		return
	}
	if (a.X == "") != (a.Value == 0) || a == (records.At{}) {
		c.Add(n.Place, path, `want both x and value; for example { x = "epoch", value = 1 }, or one of last and best`)
	}
}

// method checks a reference to a method or to a grid.
func (c checker) method(where spectree.Place, path, id string) bool {
	if c.known.methods[id] {
		return true
	}
	c.Add(where, path, "unknown method %s; %s", printed.Quote(id), printed.Suggest(id, slices.Sorted(maps.Keys(c.known.methods))))
	return false
}

// metric checks that a metric is measured (costs always are), that the methods predict what it needs, and that they
// keep an average if the metric is of the averaged iterate.
func (c checker) metric(where spectree.Place, path, name string, methods []string) {
	if slices.Contains(records.AbscissaNames(), name) {
		return
	}
	metric, average := baseMetric(name)
	if !slices.Contains(c.spec.Evaluate.Names(), metric) {
		c.Add(where, path, "%q is not measured; add it to %s", metric,
			spectree.Beside("evaluate.metrics", c.tree.Find("evaluate", "metrics")))
		return
	}
	for i := range c.spec.Methods {
		m := &c.spec.Methods[i]
		if !slices.Contains(methods, m.ID) && !slices.Contains(methods, m.Group) {
			continue
		}
		if !c.spec.effective(m).measures(metric) {
			c.Add(where, path, "%q is not measured of %q; add the method to its methods in %s, or remove it here", metric, m.ID,
				spectree.Beside("evaluate.metrics", c.tree.Find("evaluate", "metrics")))
		}
		c.labelled(where, path, metric, m)
		if hint := averageHint(m); average && hint != "" {
			c.Add(where, path, "method %q keeps no average; %s", m.ID, hint)
		}
	}
}

// rated checks that the metric of a claim that some value is better than another is one of which smaller or larger
// values are better.
func (c checker) rated(where spectree.Place, path string, claim *claims.Claim, kind *claims.Kind) {
	if kind.Sided == nil {
		return
	}
	base, _ := baseMetric(claim.Metric)
	if m, wrong := c.spec.Metric(base), kind.Sided(claim); wrong != "" && m != nil && m.Better == metrics.Neither {
		c.Add(where, path, "neither smaller nor larger values of %q are better, so %s; claim a match or a value", base, wrong)
	}
}

// averageHint says what to do about a method that does not keep the average of its iterates, empty if it does.
func averageHint(m *Method) string {
	keeps := reflect.ValueOf(m.Configured).Elem().FieldByName("Average")
	switch {
	case !keeps.IsValid() || keeps.Kind() != reflect.Bool:
		return "algorithm " + strconv.Quote(m.Algorithm) + " cannot keep one"
	case !keeps.Bool():
		return "set its average = true"
	}
	return ""
}

// column checks the rows and the printed numbers of a column.
func (c checker) column(n *spectree.Node, claim *claims.Claim, path string) {
	c.rows(n, path, claim.X, claim.Rows)
	cells := n.Find("cells")
	if cells == nil {
		return
	}
	if len(claim.Cells) != len(claim.Rows) {
		c.Add(cells.Place, path+".cells", "has %s for %s of %s; give one for each, empty where none is printed",
			printed.Count(len(claim.Cells), "number"), printed.Count(len(claim.Rows), "place"), spectree.Beside("rows", n.Find("rows")))
	}
	for i, cell := range claim.Cells {
		if _, _, _, err := printed.Parse(cell); cell != "" && err != nil {
			c.Add(cells.Items()[i].Place, path+".cells", "%s is not a number as papers print them; write one such as \"3.1\"", printed.Quote(cell))
		}
	}
	if len(claim.Cells) > 0 && !slices.ContainsFunc(claim.Cells, func(s string) bool { return s != "" }) {
		c.Add(cells.Place, path+".cells", "holds no number; remove the claim")
	}
}

// rows checks the places along x of a claim or a table: there are some, they increase unless they are meshes, and if evaluate.at lists
// places they are among these.
func (c checker) rows(n *spectree.Node, path, x string, rows []float64) {
	e := n.Find("rows")
	if e == nil || x == "" {
		return
	}
	if len(rows) == 0 {
		c.Add(e.Place, path+".rows", "is empty; name places along x")
	}
	unit := "step"
	if c.spec.Budget.Epochs > 0 {
		unit = "epoch"
	}
	for i, v := range rows {
		where := e.Items()[i].Place
		switch {
		case i > 0 && v <= rows[i-1] && !c.spec.Meshed(x):
			c.Add(where, path+".rows", "want increasing places, got %v after %v", v, rows[i-1])
		case x == unit && len(c.spec.Evaluate.At) > 0 && !slices.Contains(c.spec.Evaluate.At, v) && v < slices.Max(c.spec.Evaluate.At):
			c.Add(where, path+".rows", "nothing is evaluated at %s %v; add it to %s", x, v,
				spectree.Beside("evaluate.at", c.tree.Find("evaluate", "at")))
		}
	}
}
