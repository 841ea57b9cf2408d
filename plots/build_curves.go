package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// curves builds a figure of curves.
func (b *builder) curves(f *Figure) error {
	logX, logY, err := scales(b.fig.Scale)
	if err != nil {
		return err
	}
	b.unit = claims.Unit{Factor: 1}
	if _, cost := records.AbscissaOf(b.fig.Y); !cost { // the words for a cost have its unit
		b.unit = b.exp.Unit(b.fig.Y)
	}
	c := &Curves{
		X: Axis{Label: abscissaName(b.fig.X + b.fig.Across), Log: logX},
		Y: Axis{Label: b.yLabel(), Log: logY, Decimal: b.unit.Sign == "%", Min: b.unit.Of(b.fig.YRange[0]), Max: b.unit.Of(b.fig.YRange[1])},
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
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s has no curve of %s: it was not run, or did not measure this", b.label(s.Method), curveName(b.exp, metric)))
			continue
		}
		line := b.line(curve, b.seriesLabel(s, metric), styles[i])
		if b.fig.Across == "" {
			line.Method, line.Metric, line.Statistic = s.Method, metric, s.Statistic
		}
		if n := unplaced(line, c.Y); n > 0 {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %s not positive and cannot be shown on the logarithmic axis", line.Label, arePoints(n)))
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
		f.Warnings = append(f.Warnings, "no guides are drawn, because an axis is not logarithmic")
	} else {
		c.Guides = guides(b.fig.Guides)
	}
	f.Curves = c
	f.Caption = b.curvesCaption(c, drawn)
	return nil
}

// levelOut makes the chosen lines horizontal at the height of their last points, as long as all lines together.
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
		l.Level = true
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

// yLabel returns the label of the vertical axis, with its unit. If the figure draws a metric on training and on test rows,
// the label names neither.
func (b *builder) yLabel() string {
	name, base := curveName(b.exp, b.fig.Y), baseMetric(b.fig.Y)
	for _, s := range b.fig.Series {
		if s.Metric != "" && s.Metric != b.fig.Y && baseMetric(s.Metric) == base {
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

// styles returns the number of the style of every series. A method has the same style in all figures of the experiment.
// A series gets a free style instead if its method occurs before it, or if its colour would repeat although the figure
// has no more series than there are colours.
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

// seriesLabel returns the name of a series in the legend. It includes the metric if that is not the figure's.
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

// line returns a curve as a line: medians, with a band unless there is a single seed.
func (b *builder) line(c stats.Curve, label string, style int) Line {
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

// guides converts guides. It names a guide without a label by its slope.
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
