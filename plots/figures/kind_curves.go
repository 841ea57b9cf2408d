package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

var _ = Register(Kind{
	Name: curvesName, Doc: "a metric over the abscissa x, or at the end of the runs of grids over their key `across`",
	Needs: []string{"y"}, May: []string{"x", "across", "scale", "series", "guides"},
	Check: func(f *claims.Figure, keys Keys) {
		switch {
		case f.Across != "" && keys.Has("x"):
			keys.Wrong("x", "contradicts %s; keep one", keys.Place("across"))
		case f.X == "" && f.Across == "":
			keys.Wrong("x", "missing; choose one of %s", strings.Join(records.AbscissaNames(), ", "))
		}
	},
	Build: (*Builder).curves,
})

// curves builds a figure of curves.
func (b *Builder) curves(f *Figure) error {
	logX, logY, err := scales(b.Spec.Scale)
	if err != nil {
		return err
	}
	if _, cost := records.AbscissaOf(b.Spec.Y); !cost { // the words for a cost have its unit
		b.unit = b.Experiment.Unit(b.Spec.Y)
	}
	c := &Curves{
		X: Axis{Label: b.XLabel(AbscissaOf(b.Experiment, b.Spec.X+b.Spec.Across)), Log: logX},
		Y: Axis{Label: b.YLabel(b.metricLabel()), Log: logY, Decimal: b.unit.Sign == "%", Min: b.unit.Of(b.Spec.YRange[0]), Max: b.unit.Of(b.Spec.YRange[1])},
	}
	f.Curves = c
	var drawn []stats.Curve
	var levels []int // of c.Lines
	styles := Styles(b.Experiment, b.Series())
	for i, s := range b.Series() {
		curve, ok := b.addCurve(f, s, styles[i])
		if !ok {
			continue
		}
		drawn = append(drawn, curve)
		if line := c.Lines[len(c.Lines)-1]; (s.Level || len(line.X) == 1 && b.Spec.Across == "") && len(line.X) > 0 {
			levels = append(levels, len(c.Lines)-1)
		}
	}
	if len(c.Lines) == 0 {
		if slices.ContainsFunc(b.Series(), b.ended) {
			return fmt.Errorf("no curve can be drawn: %s", strings.Join(f.Warnings, "; "))
		}
		return fmt.Errorf("%w: no method has a curve yet; run the experiment", ErrNoData)
	}
	levelOut(c.Lines, levels)
	f.Warnings = append(f.Warnings, b.unmarked(c.Marks)...)
	joinColumns(c.Marks)
	if len(c.Marks) == 1 {
		_, c.Marks[0].Label, _ = strings.Cut(c.Marks[0].Label, ": ")
	}
	c.Marks = joinLevels(c.Marks)
	drawable := slices.DeleteFunc(slices.Clone(b.Spec.Guides), func(g claims.Guide) bool { return !logY || logX != (g.Factor == 0) })
	if len(drawable) < len(b.Spec.Guides) {
		f.Warnings = append(f.Warnings, "guides of a slope are drawn on two logarithmic axes, those of a factor where the vertical one alone is logarithmic")
	}
	c.Guides = guides(drawable)
	if logX && logY {
		b.study(f)
	}
	b.curvesCaption(f, drawn)
	return nil
}

// addCurve adds the line of a series, its marks and what is wrong with it. ok is false if it has no line.
func (b *Builder) addCurve(f *Figure, s claims.Series, style int) (curve stats.Curve, ok bool) {
	metric := cmp.Or(s.Metric, b.Spec.Y)
	curve = b.curve(s, metric)
	warn := func(format string, args ...any) { f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...)) }
	for _, w := range curve.Warnings {
		warn("%s: %v", b.Label(s.Method), w)
	}
	if len(curve.X) == 0 && len(curve.Diverged) == 0 {
		warn("%s has no curve of %s: it was not run, or did not measure this", b.Label(s.Method), CurveName(b.Experiment, metric))
		return curve, false
	}
	line := b.line(curve, b.seriesLabel(s, metric), style)
	if b.Spec.Across == "" {
		line.Method, line.Metric, line.Statistic = s.Method, metric, s.Statistic
	}
	if n := unplaced(line, f.Curves.Y); n > 0 {
		warn("%s: %s not positive and cannot be shown on the logarithmic axis", line.Label, arePoints(n))
	}
	if n := unseen(line, f.Curves.Y); n == len(line.X) && n > 0 {
		warn("%s: outside the range of y that is shown", line.Label)
	}
	f.Curves.Lines = append(f.Curves.Lines, line)
	f.Curves.Marks = append(f.Curves.Marks, b.marks(s, metric, line.Label, style)...)
	return curve, true
}

// joinColumns gives the marks of several columns of tables one label.
func joinColumns(marks []Mark) {
	var columns []int
	for i, m := range marks {
		if m.Column && m.Label != "" {
			columns = append(columns, i)
		}
	}
	for n, i := range columns {
		switch {
		case len(columns) == 1:
		case n == 0:
			marks[i].Label, marks[i].Common = marks[i].Origin+", in the colour of the method", true
		default:
			marks[i].Label = ""
		}
	}
}

// joinLevels makes one mark of those across the panel that are at the same values, such as a bound on several methods.
func joinLevels(marks []Mark) (joined []Mark) {
	for _, m := range marks {
		i := slices.IndexFunc(joined, func(o Mark) bool {
			return math.IsNaN(o.X) && math.IsNaN(m.X) && o.Y == m.Y && o.Low == m.Low && o.High == m.High && o.Origin == m.Origin
		})
		if i < 0 {
			joined = append(joined, m)
			continue
		}
		joined[i].Common, joined[i].Label = true, joined[i].Label[max(0, strings.LastIndex(joined[i].Label, m.Origin)):]
	}
	return joined
}

// levelOut makes the chosen lines horizontal at the height of their last points. Each keeps its last point between its ends,
// for its marker. It leaves the lines as they are if all are single points.
func levelOut(lines []Line, chosen []int) {
	if !slices.ContainsFunc(lines, func(l Line) bool { return len(l.X) > 1 }) {
		return
	}
	for _, i := range chosen {
		lines[i].Level, lines[i].At = true, lines[i].X[len(lines[i].X)-1]
	}
	spanLevels(lines)
}

// spanLevels makes horizontal lines as long as all lines together.
func spanLevels(lines []Line) {
	r := Nothing
	for _, l := range lines {
		for _, x := range l.X {
			r = r.With(x)
		}
	}
	for i := range lines {
		l := &lines[i]
		if !l.Level {
			continue
		}
		l.X = slices.DeleteFunc(slices.Compact([]float64{r.Lo, l.At, r.Hi}), math.IsNaN)
		all := func(v []float64) []float64 {
			if v == nil {
				return nil
			}
			return slices.Repeat(v[len(v)-1:], len(l.X))
		}
		l.Y, l.Low, l.High = all(l.Y), all(l.Low), all(l.High)
	}
}

// unseen counts the points of a line outside the range of a fixed axis.
func unseen(l Line, a Axis) (n int) {
	if !a.Fixed() {
		return 0
	}
	for _, y := range l.Y {
		if !(y >= a.Min && y <= a.Max) {
			n++
		}
	}
	return n
}

// records returns the records of a series.
func (b *Builder) recordsOf(s claims.Series) (recs []*records.Record) {
	if b.Spec.Across == "" || len(s.Members) == 0 {
		return records.Select(b.Records, s.Method)
	}
	for _, id := range s.Members {
		recs = append(recs, records.Select(b.Records, id)...)
	}
	return recs
}

// ended reports whether a run of a series has ended.
func (b *Builder) ended(s claims.Series) bool {
	return slices.ContainsFunc(b.recordsOf(s), func(r *records.Record) bool { return r.Status().Complete() })
}

// curve returns the curve of a series.
func (b *Builder) curve(s claims.Series, metric string) stats.Curve {
	if b.Spec.Across == "" {
		return stats.DrawnCurve(b.recordsOf(s), metric, b.Spec.X, s.Statistic)
	}
	key := b.Spec.Across
	if len(s.Members) == 0 { // a level of a method without the grid
		key = ""
	}
	c := stats.AcrossCurve(b.recordsOf(s), metric, key)
	c.Method = s.Method
	return c
}

// scales reads a figure's scale.
func scales(scale string) (logX, logY bool, err error) {
	switch scale {
	case "", "loglog":
		return true, true, nil
	case "semilogx":
		return true, false, nil
	case "semilogy":
		return false, true, nil
	case "linear":
		return false, false, nil
	}
	return false, false, fmt.Errorf("unknown scale %q: want loglog, semilogx, semilogy or linear", scale)
}

// metricLabel returns the words for the figure's y, with the unit. If the figure draws a metric on training and on test rows,
// the label names neither.
func (b *Builder) metricLabel() string {
	name, base := CurveName(b.Experiment, b.Spec.Y), baseMetric(b.Spec.Y)
	for _, s := range b.Spec.Series {
		if s.Metric != "" && s.Metric != b.Spec.Y && baseMetric(s.Metric) == base {
			name = strings.NewReplacer("test ", "", "training ", "").Replace(name)
			break
		}
	}
	return b.unit.Label(name)
}

// baseMetric returns the name of a metric without the prefix that says on which rows it is taken.
func baseMetric(metric string) string {
	for _, rows := range []string{"train-", "test-"} {
		if base, ok := strings.CutPrefix(metric, rows); ok {
			return base
		}
	}
	return metric
}

// seriesLabel returns the name of a series in the legend. It includes the metric if that is not the figure's.
func (b *Builder) seriesLabel(s claims.Series, metric string) string {
	if s.Statistic != "" && s.Label == "" {
		words := stats.StatisticName(s.Statistic)
		s.Statistic = ""
		return b.seriesLabel(s, metric) + ", " + words
	}
	switch {
	case s.Label != "":
		return Typeset(s.Label)
	case metric == b.Spec.Y:
		return b.Label(s.Method)
	case metric == b.Spec.Y+records.AverageSuffix:
		return b.Label(s.Method) + ", averaged"
	}
	return b.Label(s.Method) + ": " + CurveName(b.Experiment, metric)
}

// line returns a curve as a line: medians, with a band unless there is a single seed.
func (b *Builder) line(c stats.Curve, label string, style int) Line {
	l := Line{Label: label, X: c.X, Style: style}
	for i := range c.X {
		l.Y = append(l.Y, b.unit.Of(c.Median[i]))
		if c.Seeds > 1 && c.Low != nil {
			l.Low, l.High = append(l.Low, b.unit.Of(c.Low[i])), append(l.High, b.unit.Of(c.High[i]))
		}
	}
	for _, d := range c.Diverged {
		l.Breaks = append(l.Breaks, d.X)
	}
	if k := len(c.Diverged); k > 0 {
		l.Label += fmt.Sprintf(" (%d of %s diverged)", k, printed.Count(c.Seeds, "seed"))
	}
	return l
}

// unplaced counts the finite values of a line that the axis cannot show.
func unplaced(l Line, a Axis) int {
	n := 0
	for _, y := range l.Y {
		if !math.IsNaN(y) && !math.IsInf(y, 0) && math.IsNaN(a.At(y)) {
			n++
		}
	}
	return n
}

func arePoints(n int) string {
	if n == 1 {
		return "1 point is"
	}
	return fmt.Sprintf("%d points are", n)
}

// guides converts guides. It names a guide without a label by its slope or its factor.
func guides(from []claims.Guide) []Guide {
	var out []Guide
	for _, g := range from {
		guide := Guide{Slope: g.Slope, Name: "slope " + Number(g.Slope)}
		if g.Factor != 0 {
			guide = Guide{Slope: math.Log10(g.Factor), Name: "factor " + Number(g.Factor)}
		}
		guide.Label = cmp.Or(Typeset(g.Label), guide.Name)
		out = append(out, guide)
	}
	return out
}

// curvesCaption says what a figure of curves shows: axes, seeds, bands, guides, published values, and runs that diverged.
func (b *Builder) curvesCaption(f *Figure, curves []stats.Curve) {
	m, c := f.Curves, &f.Caption
	banded := slices.DeleteFunc(slices.Clone(curves), func(k stats.Curve) bool { return k.Statistic != "" })
	if len(banded) > 0 {
		c.Add("%s", b.bandSentence(banded))
	}
	c.Add("%s", statisticSentence(curves, len(banded) > 0))
	c.Add(AxesSentence+"%s%s; vertical: %s%s", m.X.Label, logarithmic(m.X), m.Y.Label, logarithmic(m.Y))
	left, all := 0, 0
	for _, k := range curves {
		left, all = left+k.Left, all+k.Left+len(k.X)
	}
	if left > 0 {
		c.Add("%d of %d points are drawn; records.csv has all", all-left, all)
	}
	if m.Orders != nil {
		c.Add("Below: the order between successive points, log(e_{k+1}/e_{k}) / log(x_{k+1}/x_{k})")
		if len(m.Orders.Marks) > 0 {
			c.Add("Dotted there is the order that a claim gives, in a band of those that it accepts")
		}
	}
	var names []string
	for _, g := range m.Guides {
		names = AppendNew(names, g.Name)
	}
	switch list := strings.Join(names, " and "); {
	case len(names) == 0:
	case m.Guides[0].Triangle:
		c.Add("Triangles have %s, as the theory says; they are not fitted", list)
	default:
		c.Add("Grey lines are guides of %s; they are not fitted", list)
	}
	if len(m.Marks) > 0 {
		var origins []string
		read := false
		for _, k := range m.Marks {
			if read = read || k.Read; !k.Read {
				origins = AppendNew(origins, k.Origin)
			}
		}
		if len(origins) > 0 {
			c.Add("Dotted lines and rings mark numbers %s; their bars and bands show the interval of numbers that round to them", strings.Join(origins, " and "))
		}
		if read {
			c.Add("Rings on a published curve are points read from the paper's figure; their bars show the error of reading")
		}
	}
	if across := b.divergedSentence(curves); across != "" {
		c.Add("%s", across)
	}
}

func logarithmic(a Axis) string {
	if a.Log {
		return " (logarithmic)"
	}
	return ""
}

// statisticSentence names the statistics over seeds that are drawn. beside is true if medians with bands are drawn too.
func statisticSentence(curves []stats.Curve, beside bool) string {
	var names []string
	seeds := 0
	for _, k := range curves {
		if k.Statistic != "" {
			names, seeds = AppendNew(names, stats.StatisticName(k.Statistic)), max(seeds, k.Seeds)
		}
	}
	list := strings.Join(names, " and the ")
	switch {
	case len(names) == 0:
		return ""
	case !beside:
		return fmt.Sprintf("Lines are the %s over %s", list, printed.Count(seeds, "seed"))
	case len(names) == 1:
		return fmt.Sprintf("The %s has no band", list)
	}
	return fmt.Sprintf("The %s have no band", list)
}

// bandSentence says what lines and bands show. If bands differ between methods, it names the methods.
func (b *Builder) bandSentence(curves []stats.Curve) string {
	var kinds []string
	of := map[string][]string{}
	for _, k := range curves {
		kind := k.Band
		if k.Seeds == 1 {
			kind = "none for a single seed"
		}
		kinds = AppendNew(kinds, kind)
		of[kind] = append(of[kind], b.Label(k.Method))
	}
	if len(kinds) == 1 {
		if curves[0].Seeds == 1 {
			return "Every line is a single run, so there are no bands"
		}
		return fmt.Sprintf("Lines are medians over %s; bands: %s", printed.Count(curves[0].Seeds, "seed"), kinds[0])
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s (%s)", kind, strings.Join(of[kind], ", "))
	}
	return "Lines are medians over seeds; bands: " + strings.Join(kinds, "; ")
}

// divergedSentence names the methods that diverged, with the number of seeds.
func (b *Builder) divergedSentence(curves []stats.Curve) string {
	var parts []string
	for _, k := range curves {
		if n := len(k.Diverged); n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s of %s", n, printed.Count(k.Seeds, "seed"), b.Label(k.Method)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "A cross marks where a run diverged: " + strings.Join(parts, ", ") + ". A seed that diverged counts as infinite from there on"
}
