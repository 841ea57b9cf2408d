package lessons

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
)

// A Chart is a figure to show: the curves of the report's.
type Chart struct {
	Title string
	figures.Curves
}

// read returns the height of a curve at x, by linear interpolation on the chart's axes. It is NaN beyond the curve's ends.
func (c *Chart) read(xs, ys []float64, x float64) float64 {
	k, found := slices.BinarySearch(xs, x)
	switch {
	case found:
		return ys[k]
	case k == 0 && len(xs) > 0 && math.Abs(xs[0]-x) <= records.Slack*math.Abs(x):
		return ys[0]
	case k == 0 || k == len(xs):
		return math.NaN()
	}
	part := (c.X.At(x) - c.X.At(xs[k-1])) / (c.X.At(xs[k]) - c.X.At(xs[k-1]))
	low, high := c.Y.At(ys[k-1]), c.Y.At(ys[k])
	y := low + part*(high-low)
	if c.Y.Log {
		return math.Pow(10, y)
	}
	return y
}

// slope returns the least-squares slope of heights at places x, on the chart's axes.
func (c *Chart) slope(x, heights []float64) float64 {
	var xs, ys []float64
	for i, h := range heights {
		xs, ys = append(xs, c.X.At(x[i])), append(ys, c.Y.At(h))
	}
	_, slope := stat.LinearRegression(xs, ys, nil, false)
	return slope
}

// bend returns how far heights at places x leave a line of a slope, from the lowest to the highest, on the chart's axes.
func (c *Chart) bend(x, heights []float64, slope float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for i, h := range heights {
		off := c.Y.At(h) - slope*c.X.At(x[i])
		low, high = min(low, off), max(high, off)
	}
	return high - low
}

// Axes returns the figure that the curve of a prediction is drawn on, without curves. Its vertical axis has the range of the drawing.
func (p *Predict) Axes() *Chart {
	if p.axes == nil {
		spec, err := p.home.load(p.Run)
		if err != nil {
			panic("lessons: " + err.Error()) // it was loaded when it was checked
		}
		o := &Outcome{spec, claims.Case{Experiment: spec.Experiment()}}
		c := o.chart(o.figure(p.Figure))
		c.Y.Min, c.Y.Max, p.axes = p.Y[0], p.Y[1], &c
	}
	return p.axes
}

// drawn returns the figure of a prediction with a learner's answer over other lines.
func (p *Predict) drawn(a Answer, under ...figures.Line) Chart {
	c := *p.Axes()
	c.Lines = append(under, figures.Line{Label: "your prediction", X: p.At, Y: a.Draw})
	c.Y.Min, c.Y.Max = min(p.Y[0], slices.Min(a.Draw)), max(p.Y[1], slices.Max(a.Draw))
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

// chart returns the chart of a figure with its measured curves, as the report draws them. Where there is nothing to draw it has the
// axes alone.
func (o *Outcome) chart(f claims.Figure) Chart {
	c := Chart{Title: f.Title}
	built, err := figures.Build("", o.Case, f)
	if built.Curves != nil {
		c.Curves = *built.Curves
	}
	if err != nil {
		c.Lines = nil
	}
	return c
}

// Chart returns the figure of a run: of a break, with the curves of the run that it changes.
func (l *Lesson) Chart(runs Runs, id string) Chart {
	for _, r := range l.Runs() {
		o, of := runs[r.ID], runs[r.Of]
		if r.ID != id || o == nil {
			continue
		}
		c := o.chart(o.figure(r.Figure))
		if of != nil {
			before := of.chart(of.figure(r.Figure))
			f := figures.Figure{Curves: &c.Curves}
			f.Beside(figures.Figure{Curves: &before.Curves}, "before")
			slices.SortStableFunc(c.Lines, func(a, b figures.Line) int { return a.Style - b.Style }) // a screen has room for a few: both of a method
		}
		return c
	}
	return Chart{}
}
