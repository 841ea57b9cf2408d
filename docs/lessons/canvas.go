package lessons

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A canvas is the figure on which a curve is drawn.
type canvas struct {
	figure     claims.Figure
	logX, logY bool
}

// axes reports which axes of a figure are logarithmic.
func axes(f claims.Figure) (logX, logY bool) {
	scale := cmp.Or(f.Scale, "loglog")
	return scale == "loglog" || scale == "semilogx", scale == "loglog" || scale == "semilogy"
}

// canvas checks the keys of a drawing and finds its figure.
func (b *builder) canvas(p *Predict) {
	spec := b.specs[p.run]
	i, ids := figureOf(spec, p.Figure)
	if i < 0 {
		b.mistake(at("figure"), "unknown figure %q of the run %s; %s", p.Figure, p.run, experiments.Suggest(p.Figure, ids))
		return
	}
	c := &canvas{figure: spec.Figures[i]}
	c.logX, c.logY = axes(c.figure)
	if !ofCurves(c.figure) {
		b.mistake(at("figure"), "is of kind %s; choose a figure of curves", c.figure.Kind)
	}
	names := []string{}
	for _, m := range spec.Methods {
		name := m.ID
		if c.figure.Across != "" {
			name = m.Group
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if !slices.Contains(names, p.Method) {
		b.mistake(at("method"), "unknown method %q; %s", p.Method, experiments.Suggest(p.Method, names))
	}
	if len(p.At) < 3 || !slices.IsSorted(p.At) || c.logX && p.At[0] <= 0 {
		b.mistake(at("at"), "want three or more rising numbers, above 0 on a logarithmic axis")
	}
	if p.Y[0] >= p.Y[1] || c.logY && p.Y[0] <= 0 {
		b.mistake(at("y"), "want the lower and the upper end of the axis, above 0 on a logarithmic one")
	}
	if p.Margin == 0 {
		b.mistake(at("margin"), "missing; give the mean distance up to which the drawing is right")
	}
	p.canvas = c
}

// x and y return a number as its place on an axis.
func (c *canvas) x(v float64) float64 { return place(c.logX, v) }
func (c *canvas) y(v float64) float64 { return place(c.logY, v) }

func place(log bool, v float64) float64 {
	if log {
		return math.Log10(v)
	}
	return v
}

// back returns the number at a place of the vertical axis.
func (c *canvas) back(y float64) float64 {
	if c.logY {
		return math.Pow(10, y)
	}
	return y
}

// A Line is a curve of a chart.
type Line struct {
	Label string    `json:"label"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
}

// A Chart is a figure to show: curves with the axes' words.
type Chart struct {
	Title      string
	X, Y       string // words of the axes
	LogX, LogY bool
	Lines      []Line
}

// ofCurves reports whether a figure has curves.
func ofCurves(f claims.Figure) bool { return f.Kind == "" || f.Kind == "curves" }

// chartOf returns the chart of a figure with the measured curves of some series, all if methods is empty. In
// place of a figure without curves it is that of the spec's first figure with some.
func (o *Outcome) chartOf(id string, methods []string) Chart {
	i := slices.IndexFunc(o.Experiment.Figures, func(f claims.Figure) bool { return f.ID == id && ofCurves(f) })
	if i < 0 {
		if i = slices.IndexFunc(o.Experiment.Figures, ofCurves); i < 0 {
			return Chart{}
		}
	}
	f := o.Experiment.Figures[i]
	c := Chart{Title: f.Title, X: o.words(f.X), Y: o.words(f.Y)}
	if f.Across != "" {
		c.X = f.Across
	}
	if f.XLabel != "" {
		c.X = f.XLabel
	}
	if f.YLabel != "" {
		c.Y = f.YLabel
	}
	c.LogX, c.LogY = axes(f)
	var level []bool
	for _, s := range o.series(f) {
		if len(methods) > 0 && !slices.Contains(methods, s.Method) {
			continue
		}
		if l := o.line(f, s).within(f.YRange); len(l.X) > 0 {
			if level = append(level, s.Level || len(l.X) == 1); s.Level {
				l.X, l.Y = l.X[len(l.X)-1:], l.Y[len(l.Y)-1:]
			}
			c.Lines = append(c.Lines, l)
		}
	}
	c.level(level)
	return c
}

// within returns the line without the points outside the range that a figure shows, if it has one: one that diverges leaves room
// for the others.
func (l Line) within(y [2]float64) Line {
	if y == [2]float64{} {
		return l
	}
	kept := Line{Label: l.Label}
	for i, v := range l.Y {
		if v >= y[0] && v <= y[1] {
			kept.X, kept.Y = append(kept.X, l.X[i]), append(kept.Y, v)
		}
	}
	return kept
}

// level draws lines that are a single point, such as an exact solution, across the chart.
func (c *Chart) level(which []bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for i, l := range c.Lines {
		if !which[i] {
			low, high = min(low, l.X[0]), max(high, l.X[len(l.X)-1])
		}
	}
	for i := range c.Lines {
		if l := &c.Lines[i]; which[i] && low < high {
			l.X, l.Y = []float64{low, high}, []float64{l.Y[0], l.Y[0]}
		}
	}
}

// words returns a metric or an abscissa in words.
func (o *Outcome) words(name string) string {
	if a, ok := records.AbscissaOf(name); ok {
		return a.Label()
	}
	m := o.Experiment.Metric(name)
	return strings.NewReplacer("_{", "", "^{", "^", "}", "").Replace(cmp.Or(m.Words, name))
}

// series lists the series of a figure: those that it names, else every method, or every grid of a figure across one.
func (o *Outcome) series(f claims.Figure) []claims.Series {
	if len(f.Series) > 0 {
		return f.Series
	}
	var all []claims.Series
	for _, m := range o.methods() {
		s := claims.Series{Method: m.ID}
		if f.Across != "" {
			s.Method = m.Group
		}
		if s.Method != "" && !slices.ContainsFunc(all, func(t claims.Series) bool { return t.Method == s.Method }) {
			all = append(all, s)
		}
	}
	return all
}

// line returns the measured curve of a series: medians over seeds, without values that are not finite.
func (o *Outcome) line(f claims.Figure, s claims.Series) Line {
	metric := cmp.Or(s.Metric, f.Y)
	recs, err := o.of(s.Method)
	if err != nil && f.Across != "" {
		recs, err = o.members(s.Method)
	}
	if err != nil {
		return Line{}
	}
	c := stats.CurveOf(recs, metric, f.X, s.Statistic)
	if f.Across != "" {
		c = stats.AcrossCurve(recs, metric, f.Across)
		c.Label = s.Method
	}
	logX, logY := axes(f)
	l := Line{Label: cmp.Or(s.Label, c.Label)}
	if k := len(c.Diverged); k > 0 {
		l.Label += fmt.Sprintf(" (%d of %s diverged)", k, printed.Count(c.Seeds, "seed"))
	}
	for i := range c.X {
		if v := c.Median[i]; !math.IsInf(v, 0) && !math.IsNaN(v) && (!logX || c.X[i] > 0) && (!logY || v > 0) {
			l.X, l.Y = append(l.X, c.X[i]), append(l.Y, v)
		}
	}
	return l
}

// read returns the height of a line at x, by linear interpolation on the canvas' axes. It is NaN beyond the line's ends.
func (c *canvas) read(l Line, x float64) float64 {
	k, found := slices.BinarySearch(l.X, x)
	switch {
	case found:
		return l.Y[k]
	case k == 0 && len(l.X) > 0 && math.Abs(l.X[0]-x) <= records.Slack*math.Abs(x):
		return l.Y[0]
	case k == 0 || k == len(l.X):
		return math.NaN()
	}
	part := (c.x(x) - c.x(l.X[k-1])) / (c.x(l.X[k]) - c.x(l.X[k-1]))
	return c.back(c.y(l.Y[k-1]) + part*(c.y(l.Y[k])-c.y(l.Y[k-1])))
}

// slope returns the least-squares slope of heights at the drawing's places, on the canvas' axes.
func (p *Predict) slope(heights []float64) float64 {
	var mx, my, xx, xy float64
	n := float64(len(heights))
	for i, h := range heights {
		mx, my = mx+p.canvas.x(p.At[i])/n, my+p.canvas.y(h)/n
	}
	for i, h := range heights {
		dx := p.canvas.x(p.At[i]) - mx
		xx, xy = xx+dx*dx, xy+dx*(p.canvas.y(h)-my)
	}
	return xy / xx
}

// straight returns the heights of a line of the given slope, on the canvas' axes, that begins at a height.
func (p *Predict) straight(slope, first float64) []float64 {
	heights := make([]float64, len(p.At))
	for i, x := range p.At {
		heights[i] = p.canvas.back(p.canvas.y(first) + slope*(p.canvas.x(x)-p.canvas.x(p.At[0])))
	}
	return heights
}

// distance returns the mean distance of drawn heights from the measured ones, on the canvas' axis; of the form alone if only
// the shape counts.
func (p *Predict) distance(drawn, measured []float64) float64 {
	gaps := make([]float64, len(drawn))
	for i := range drawn {
		gaps[i] = p.canvas.y(drawn[i]) - p.canvas.y(measured[i])
	}
	shift := 0.0
	if p.Shape {
		shift = stats.Median(gaps)
	}
	sum := 0.0
	for _, g := range gaps {
		sum += math.Abs(g - shift)
	}
	return sum / float64(len(gaps))
}

// unitOfDistance says what the distance is measured in.
func (p *Predict) unitOfDistance() string {
	if p.canvas.logY {
		return "powers of ten"
	}
	return fmt.Sprintf("(the axis goes from %g to %g)", p.Y[0], p.Y[1])
}
