package figures

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
		X: Axis{Label: b.xLabel(AbscissaName(b.fig.X + b.fig.Across)), Log: logX},
		Y: Axis{Label: b.yLabel(b.metricLabel()), Log: logY, Decimal: b.unit.Sign == "%", Min: b.unit.Of(b.fig.YRange[0]), Max: b.unit.Of(b.fig.YRange[1])},
	}
	var drawn []stats.Curve
	var levels []int // of c.Lines
	styles := Styles(b.exp, b.series())
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
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s has no curve of %s: it was not run, or did not measure this", b.label(s.Method), CurveName(b.exp, metric)))
			continue
		}
		line := b.line(curve, b.seriesLabel(s, metric), styles[i])
		if b.fig.Across == "" {
			line.Method, line.Metric, line.Statistic = s.Method, metric, s.Statistic
		}
		if n := unplaced(line, c.Y); n > 0 {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %s not positive and cannot be shown on the logarithmic axis", line.Label, arePoints(n)))
		}
		if n := unseen(line, c.Y); n == len(line.X) && n > 0 {
			f.Warnings = append(f.Warnings, line.Label+": outside the range of y that is shown")
		}
		if (s.Level || len(line.X) == 1 && b.fig.Across == "") && len(line.X) > 0 {
			levels = append(levels, len(c.Lines))
		}
		c.Lines = append(c.Lines, line)
		drawn = append(drawn, curve)
		c.Marks = append(c.Marks, b.marks(s.Method, metric, styles[i])...)
	}
	if len(c.Lines) == 0 {
		if slices.ContainsFunc(b.series(), b.ended) {
			return fmt.Errorf("no curve can be drawn: %s", strings.Join(f.Warnings, "; "))
		}
		return fmt.Errorf("%w: no method has a curve yet; run the experiment", ErrNoData)
	}
	levelOut(c.Lines, levels)
	joinColumns(c.Marks)
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
		l.X = slices.Compact([]float64{r.Lo, l.At, r.Hi})
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
func (b *builder) records(s claims.Series) (recs []*records.Record) {
	if b.fig.Across == "" {
		return records.Select(b.recs, s.Method)
	}
	for _, id := range s.Members {
		recs = append(recs, records.Select(b.recs, id)...)
	}
	return recs
}

// ended reports whether a run of a series has ended.
func (b *builder) ended(s claims.Series) bool {
	return slices.ContainsFunc(b.records(s), func(r *records.Record) bool { return r.Status().Complete() })
}

// curve returns the curve of a series.
func (b *builder) curve(s claims.Series, metric string) stats.Curve {
	if b.fig.Across == "" {
		return stats.CurveOf(b.records(s), metric, b.fig.X, s.Statistic)
	}
	c := stats.AcrossCurve(b.records(s), metric, b.fig.Across)
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
func (b *builder) metricLabel() string {
	name, base := CurveName(b.exp, b.fig.Y), baseMetric(b.fig.Y)
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

// seriesLabel returns the name of a series in the legend. It includes the metric if that is not the figure's.
func (b *builder) seriesLabel(s claims.Series, metric string) string {
	if s.Statistic != "" && s.Label == "" {
		words := stats.StatisticName(s.Statistic)
		s.Statistic = ""
		return b.seriesLabel(s, metric) + ", " + words
	}
	switch {
	case s.Label != "":
		return Typeset(s.Label)
	case metric == b.fig.Y:
		return b.label(s.Method)
	case metric == b.fig.Y+records.AverageSuffix:
		return b.label(s.Method) + ", averaged"
	}
	return b.label(s.Method) + ": " + CurveName(b.exp, metric)
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

// guides converts guides. It names a guide without a label by its slope.
func guides(from []claims.Guide) []Guide {
	var out []Guide
	for _, g := range from {
		label := Typeset(g.Label)
		if label == "" {
			label = "slope " + Number(g.Slope)
		}
		out = append(out, Guide{Slope: g.Slope, Label: label})
	}
	return out
}
