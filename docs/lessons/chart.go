package lessons

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Line is a curve of a chart.
type Line struct {
	Label string    `json:"label,omitempty"`
	X     []float64 `json:"x,omitempty"`
	Y     []float64 `json:"y,omitempty"`
}

// A Chart is a figure to show: curves with the axes' words.
type Chart struct {
	Title string     `json:"title"`
	X     string     `json:"x"` // words of the axes
	Y     string     `json:"y"`
	LogX  bool       `json:"logX"`
	LogY  bool       `json:"logY"`
	Range [2]float64 `json:"range"` // of the vertical axis; of a drawing only
	Lines []Line     `json:"-"`
}

// place returns a number as its place on an axis.
func along(log bool, v float64) float64 {
	if log {
		return math.Log10(v)
	}
	return v
}

// read returns the height of a line at x, by linear interpolation on the chart's axes. It is NaN beyond the line's ends.
func (c *Chart) read(l Line, x float64) float64 {
	k, found := slices.BinarySearch(l.X, x)
	switch {
	case found:
		return l.Y[k]
	case k == 0 && len(l.X) > 0 && math.Abs(l.X[0]-x) <= records.Slack*math.Abs(x):
		return l.Y[0]
	case k == 0 || k == len(l.X):
		return math.NaN()
	}
	from, to := along(c.LogX, l.X[k-1]), along(c.LogX, l.X[k])
	part := (along(c.LogX, x) - from) / (to - from)
	low, high := along(c.LogY, l.Y[k-1]), along(c.LogY, l.Y[k])
	y := low + part*(high-low)
	if c.LogY {
		return math.Pow(10, y)
	}
	return y
}

// slope returns the least-squares slope of heights at places x, on the chart's axes.
func (c *Chart) slope(x, heights []float64) float64 {
	var xs, ys []float64
	for i, h := range heights {
		xs, ys = append(xs, along(c.LogX, x[i])), append(ys, along(c.LogY, h))
	}
	_, slope := stat.LinearRegression(xs, ys, nil, false)
	return slope
}

// Axes returns the figure that the curve of a prediction is drawn on, without curves.
func (p *Predict) Axes() *Chart {
	if p.axes == nil {
		spec, err := p.home.load(p.Run, "")
		if err != nil {
			panic("lessons: " + err.Error()) // the tests of this package load it
		}
		c := (&Outcome{Spec: spec, Experiment: spec.Experiment()}).chart(p.Figure)
		c.Range, p.axes = p.Y, &c
	}
	return p.axes
}

// drawn returns the figure of a prediction with a learner's answer over other lines.
func (p *Predict) drawn(a Answer, under ...Line) Chart {
	c := *p.Axes()
	c.Lines = append(under, Line{Label: "your prediction", X: p.At, Y: a.Draw})
	return c
}

// ofCurves reports whether a figure has curves over axes of a scale that its spec chooses.
func ofCurves(f claims.Figure) bool { return figures.KindOf(f.Kind).Takes("scale") }

// figure returns a figure of curves of the experiment; in place of a figure without curves, the first one with some.
func (o *Outcome) figure(id string) claims.Figure {
	all := slices.DeleteFunc(slices.Clone(o.Experiment.Figures), func(f claims.Figure) bool { return !ofCurves(f) })
	if len(all) == 0 {
		return claims.Figure{}
	}
	return all[max(0, slices.IndexFunc(all, func(f claims.Figure) bool { return f.ID == id }))]
}

// chart returns the chart of a figure with its measured curves.
func (o *Outcome) chart(id string) Chart {
	f := o.figure(id)
	c := Chart{Title: f.Title, X: cmp.Or(f.XLabel, f.Across, o.words(f.X)), Y: cmp.Or(f.YLabel, o.words(f.Y))}
	c.LogX, c.LogY = axes(f)
	var level []bool
	for _, s := range o.series(f) {
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

// axes reports which axes of a figure are logarithmic.
func axes(f claims.Figure) (logX, logY bool) {
	scale := cmp.Or(f.Scale, "loglog")
	return scale == "loglog" || scale == "semilogx", scale == "loglog" || scale == "semilogy"
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

// series lists the series of a figure: those that it names, else every method. A figure across a grid names them.
func (o *Outcome) series(f claims.Figure) []claims.Series {
	all := f.Series
	if len(all) == 0 {
		for _, m := range o.Spec.Methods {
			all = append(all, claims.Series{Method: m.ID})
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

// Chart returns the figure of a run: of a break, with the curves of the run that it changes.
func (l *Lesson) Chart(runs Runs, id string) Chart {
	for _, r := range l.Runs() {
		o, of := runs[r.ID], runs[r.Of]
		switch {
		case r.ID != id || o == nil:
		case of != nil:
			return beside(of.chart(r.Figure), o.chart(r.Figure))
		default:
			return o.chart(r.Figure)
		}
	}
	return Chart{}
}

// beside returns a chart with the lines of two in turn: first those that changed, because a screen has room for a few, then the
// others, once.
func beside(before, changed Chart) Chart {
	c := before
	c.Lines = nil
	line := func(from Chart, i int, suffix string) []Line {
		if i >= len(from.Lines) {
			return nil
		}
		l := from.Lines[i]
		l.Label += suffix
		return []Line{l}
	}
	var same []Line
	for i := range max(len(before.Lines), len(changed.Lines)) {
		if i < min(len(before.Lines), len(changed.Lines)) && slices.Equal(before.Lines[i].X, changed.Lines[i].X) && slices.Equal(before.Lines[i].Y, changed.Lines[i].Y) {
			same = append(same, line(before, i, ", unchanged")...)
			continue
		}
		c.Lines = slices.Concat(c.Lines, line(before, i, ", before"), line(changed, i, ", changed"))
	}
	c.Lines = append(c.Lines, same...)
	return c
}
