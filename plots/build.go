package plots

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// Kinds of claims.Figure.
const (
	kindCurves  = "curves"
	kindHeatmap = "heatmap"
	kindLines   = "functions"
)

// scaleReach is by how much of its length the range of the generating function may grow on either
// side to show more of what methods learnt; one that diverged must not flatten the rest.
const scaleReach = 0.25

// A builder makes the figures of one experiment.
type builder struct {
	exp      claims.Experiment
	fig      claims.Figure
	recs     []*records.Record
	verdicts []claims.Verdict
	dir      string // output folder, for surfaces
	percent  bool   // y is shown in per cent
}

// Build makes the model of a figure from the records and verdicts of its experiment; others are
// passed over. Surfaces of heat maps are read below dir; a missing one becomes a warning. It fails if
// nothing can be drawn.
func Build(dir string, exp claims.Experiment, fig claims.Figure, recs []*records.Record, verdicts []claims.Verdict) (Figure, error) {
	b := builder{exp: exp, fig: fig, dir: dir, recs: exp.Records(recs)}
	for _, v := range verdicts {
		if v.Experiment == exp.ID {
			b.verdicts = append(b.verdicts, v)
		}
	}
	f := Figure{ID: fig.ID, Title: fig.Title}
	if f.Title == "" {
		f.Title = exp.Title
	}
	if fig.Source != "" {
		f.Title += " (" + fig.Source + ")"
	}
	var err error
	switch fig.Kind {
	case "", kindCurves:
		err = b.curves(&f)
	case kindHeatmap:
		err = b.heat(&f)
	case kindLines:
		err = b.functions(&f)
	default:
		err = fmt.Errorf("unknown kind %q: want %s, %s or %s", fig.Kind, kindCurves, kindHeatmap, kindLines)
	}
	if err != nil {
		return f, fmt.Errorf("figure %s of %s: %w", fig.ID, exp.ID, err)
	}
	return f, nil
}

// series returns what to draw: what the figure lists, or every method, for functions learnt after the
// generating function.
func (b *builder) series() []claims.Series {
	if len(b.fig.Series) > 0 {
		return b.fig.Series
	}
	var all []claims.Series
	if b.fig.Kind == kindHeatmap || b.fig.Kind == kindLines {
		all = append(all, claims.Series{Method: truthMethod})
	}
	for _, m := range b.exp.Methods {
		all = append(all, claims.Series{Method: m.ID})
	}
	return all
}

// label returns a method's name in legends.
func (b *builder) label(method string) string {
	for _, m := range b.exp.Methods {
		if m.ID == method && m.Label != "" {
			return m.Label
		}
	}
	if method == truthMethod {
		return "generating function"
	}
	return method
}

// figureClaims returns the claims that the figure names, in its order.
func (b *builder) figureClaims() []claims.Claim {
	var out []claims.Claim
	for _, id := range b.fig.Claims {
		for _, c := range b.exp.Claims {
			if c.ID == id {
				out = append(out, c)
			}
		}
	}
	return out
}

// curves builds a panel of curves.
func (b *builder) curves(f *Figure) error {
	logX, logY, err := scales(b.fig.Scale)
	if err != nil {
		return err
	}
	b.percent = b.exp.InPercent(b.fig.Y)
	c := &Curves{
		X: Axis{Label: abscissaName(b.fig.X + b.fig.Across), Log: logX},
		Y: Axis{Label: b.yLabel(), Log: logY, Decimal: b.percent, Min: b.scaled(b.fig.YRange[0]), Max: b.scaled(b.fig.YRange[1])},
	}
	var drawn []stats.Curve
	var levels []int // of c.Lines
	styles := b.styles()
	for i, s := range b.series() {
		metric := s.Metric
		if metric == "" {
			metric = b.fig.Y
		}
		curve := b.curve(s, metric)
		for _, w := range curve.Warnings {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %v", b.label(s.Method), w))
		}
		if len(curve.X) == 0 && len(curve.Diverged) == 0 {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s has no curve of %s: it was not run, or this was not measured", b.label(s.Method), curveName(b.exp, metric)))
			continue
		}
		line := b.line(curve, b.seriesLabel(s, metric), styles[i])
		if n := unplaced(line, c.Y); n > 0 {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %s not positive, without a place on the logarithmic axis", line.Label, arePoints(n)))
		}
		if s.Level && len(line.X) > 0 {
			levels = append(levels, len(c.Lines))
		}
		c.Lines = append(c.Lines, line)
		drawn = append(drawn, curve)
		c.Marks = append(c.Marks, b.marks(s.Method, metric, styles[i])...)
	}
	if len(c.Lines) == 0 {
		return fmt.Errorf("%w: no method has a curve yet; run the experiment", ErrNoData)
	}
	levelOut(c.Lines, levels)
	if len(c.Marks) == 1 {
		_, c.Marks[0].Label, _ = strings.Cut(c.Marks[0].Label, ": ")
	}
	if len(b.fig.Guides) > 0 && !(logX && logY) {
		f.Warnings = append(f.Warnings, "guides are drawn on two logarithmic axes only")
	} else {
		c.Guides = guides(b.fig.Guides)
	}
	f.Curves = c
	f.Caption = b.curvesCaption(c, drawn)
	return nil
}

// levelOut makes the chosen lines level at the height of their last points, from the first to the last point of all.
func levelOut(lines []Line, chosen []int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, x := range l.X {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	twice := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		end := v[len(v)-1]
		return []float64{end, end}
	}
	for _, i := range chosen {
		l := &lines[i]
		l.X, l.Y, l.Low, l.High = []float64{lo, hi}, twice(l.Y), twice(l.Low), twice(l.High)
	}
}

// curve returns the curve of a series.
func (b *builder) curve(s claims.Series, metric string) stats.Curve {
	if b.fig.Across == "" {
		return stats.CurveOf(records.Select(b.recs, s.Method), metric, b.fig.X, s.Statistic)
	}
	var recs []*records.Record
	for _, id := range s.Members {
		recs = append(recs, records.Select(b.recs, id)...)
	}
	c := stats.AcrossCurve(recs, metric, b.fig.Across)
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

// yLabel returns the vertical axis in words with its unit. A metric drawn on training and on test rows belongs to
// neither.
func (b *builder) yLabel() string {
	name, base := curveName(b.exp, b.fig.Y), baseMetric(b.fig.Y)
	for _, s := range b.fig.Series {
		if s.Metric != "" && s.Metric != b.fig.Y && baseMetric(s.Metric) == base {
			name = strings.NewReplacer("test ", "", "training ", "").Replace(name)
			break
		}
	}
	if b.percent {
		name += " (%)"
	}
	return name
}

// baseMetric returns a metric without the rows it is taken on.
func baseMetric(metric string) string {
	for _, rows := range []string{"train-", "test-"} {
		if base, ok := strings.CutPrefix(metric, rows); ok {
			return base
		}
	}
	return metric
}

// scaled converts a value of the metric to the unit it is shown in.
func (b *builder) scaled(v float64) float64 {
	if b.percent {
		return 100 * v
	}
	return v
}

// styles returns the look of every series: that of its method, the same in all figures of the
// experiment, and a free one where a method occurs again or its colour would come back although
// there are colours enough.
func (b *builder) styles() []int {
	used := map[int]bool{}
	next := len(b.exp.Methods)
	var out []int
	for _, s := range b.series() {
		i := slices.IndexFunc(b.exp.Methods, func(m claims.Method) bool { return m.ID == s.Method })
		if i < 0 || used[i] {
			i = next
			next++
		}
		used[i] = true
		out = append(out, i)
	}
	colours := len(curveColours)
	for k, i := range out {
		if i < colours || len(out) > colours {
			continue
		}
		for free := range colours {
			if !used[free] {
				delete(used, i)
				used[free], out[k] = true, free
				break
			}
		}
	}
	return out
}

// seriesLabel names a series in the legend: with its metric if that is not the figure's.
func (b *builder) seriesLabel(s claims.Series, metric string) string {
	if s.Statistic != "" && s.Label == "" {
		words := stats.StatisticName(s.Statistic)
		s.Statistic = ""
		return b.seriesLabel(s, metric) + ", " + words
	}
	switch {
	case s.Label != "":
		return s.Label
	case metric == b.fig.Y:
		return b.label(s.Method)
	case metric == b.fig.Y+records.AverageSuffix:
		return b.label(s.Method) + ", averaged"
	}
	return b.label(s.Method) + ": " + curveName(b.exp, metric)
}

// line draws a curve: medians with their band, none for a single seed.
func (b *builder) line(c stats.Curve, label string, style int) Line {
	l := Line{Label: label, X: c.X, Style: style}
	for i := range c.X {
		l.Y = append(l.Y, b.scaled(c.Median[i]))
		if c.Seeds > 1 && c.Low != nil {
			l.Low, l.High = append(l.Low, b.scaled(c.Low[i])), append(l.High, b.scaled(c.High[i]))
		}
	}
	for _, d := range c.Diverged {
		l.Breaks = append(l.Breaks, d.X)
	}
	if k := len(c.Diverged); k > 0 {
		l.Label += fmt.Sprintf(" (%d of %s diverged)", k, count(c.Seeds, "seed"))
	}
	return l
}

// unplaced counts the finite values that a logarithmic axis cannot show.
func unplaced(l Line, a Axis) int {
	n := 0
	for _, y := range l.Y {
		if !math.IsNaN(y) && !math.IsInf(y, 0) && math.IsNaN(a.at(y)) {
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

// guides converts guides, naming those without a name by their slope.
func guides(from []claims.Guide) []Guide {
	var out []Guide
	for _, g := range from {
		label := g.Label
		if label == "" {
			label = "slope " + number(g.Slope)
		}
		out = append(out, Guide{Slope: g.Slope, Label: label})
	}
	return out
}

// heat builds a row of heat maps.
func (b *builder) heat(f *Figure) error {
	h := &Heat{X: Axis{Label: "x_{1}"}, Y: Axis{Label: "x_{2}"}, Label: "f(x)"}
	shown, all := nothing, nothing
	for _, s := range b.series() {
		cell, title := truthMethod, s.Label
		if title == "" {
			title = b.label(s.Method)
		}
		if s.Method != truthMethod {
			recs := records.Select(b.recs, s.Method)
			if len(recs) == 0 {
				f.Warnings = append(f.Warnings, title+": not run")
				continue
			}
			cell = recs[0].Header.Cell
			title += ", " + after(recs[0])
		}
		p, err := ReadSurface(SurfacePath(b.dir, b.exp.ID, cell))
		if errors.Is(err, fs.ErrNotExist) {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: no surface was written; run it with evaluate.surface set", b.label(s.Method)))
			continue
		}
		if err != nil {
			return err
		}
		p.Title = title
		h.Panels = append(h.Panels, p)
		r := p.valueRange()
		if !r.empty() {
			all = all.with(r.lo).with(r.hi)
		}
		if s.Method == truthMethod {
			shown = r
		}
	}
	if len(h.Panels) == 0 {
		return fmt.Errorf("%w: no surface was written; run the experiment with evaluate.surface set", ErrNoData)
	}
	if shown.empty() {
		shown = all
	}
	h.Min, h.Max = colourScale(shown.toward(all, scaleReach*shown.length()))
	if r := b.fig.YRange; r[0] < r[1] {
		h.Min, h.Max = r[0], r[1]
	}
	f.Heat = h
	f.Caption = b.heatCaption(h)
	return nil
}

// after says how far a cell ran.
func after(r *records.Record) string {
	steps := 0
	if k := len(r.Points); k > 0 {
		steps = r.Points[k-1].Step
	}
	if r.End != nil {
		steps = r.End.Steps
	}
	s := count(steps, "iteration")
	if status := r.Status(); status != records.Done && status != records.Budget {
		s += " (" + string(status) + ")"
	}
	return s
}

// colourScale returns the ends of a colour scale for values in r: round numbers, symmetric about zero
// if the values have both signs, never empty.
func colourScale(r interval) (lo, hi float64) {
	switch {
	case r.empty():
		return -1, 1
	case r.lo == r.hi:
		return r.lo - 0.5, r.hi + 0.5
	case r.lo < 0 && r.hi > 0:
		m := math.Max(-r.lo, r.hi)
		r = interval{-m, m}
	}
	_, minor := linearStep(r.length(), maxIntervals)
	return minor * math.Floor(r.lo/minor+slack), minor * math.Ceil(r.hi/minor-slack)
}
