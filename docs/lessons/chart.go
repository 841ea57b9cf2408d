package lessons

import (
	"math"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
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
		switch {
		case r.ID != id || o == nil:
		case of != nil:
			return beside(of.chart(of.figure(r.Figure)), o.chart(o.figure(r.Figure)), r.words())
		default:
			return o.chart(o.figure(r.Figure))
		}
	}
	return Chart{}
}

// words names the changed settings of a break in a legend: step.theta = 0.5.
func (r *Run) words() string {
	var all []string
	for _, set := range r.Change {
		path, value, _ := strings.Cut(set, "=")
		keys := strings.Split(path, ".")
		if keys[0] == "method" {
			keys = keys[1:] // the curve has the method's name
		}
		var table struct {
			V struct{ Name string }
		}
		if strings.HasPrefix(value, "{") && toml.Unmarshal([]byte("v = "+value), &table) == nil && table.V.Name != "" {
			value = table.V.Name
		}
		all = append(all, strings.Join(keys[min(1, len(keys)-1):], ".")+" = "+value)
	}
	return strings.Join(all, ", ")
}

// beside returns a chart with the lines of two in turn: first those that changed, because a screen has room for a few, then the
// others, once. A changed line with another name keeps it; else words say what changed.
func beside(before, changed Chart, words string) Chart {
	c := before
	c.Lines = nil
	var same []figures.Line
	named := func(l figures.Line, suffix string) figures.Line {
		l.Label += ", " + suffix
		return l
	}
	for i := range max(len(before.Lines), len(changed.Lines)) {
		var was, is figures.Line
		if i < len(before.Lines) {
			was = before.Lines[i]
		}
		if i < len(changed.Lines) {
			is = changed.Lines[i]
		}
		if was.X != nil && slices.Equal(was.X, is.X) && slices.Equal(was.Y, is.Y) {
			same = append(same, named(was, "unchanged"))
			continue
		}
		if was.X != nil {
			c.Lines = append(c.Lines, named(was, "before"))
		}
		if is.X != nil {
			if is.Label == was.Label {
				is = named(is, words)
			}
			c.Lines = append(c.Lines, is)
		}
	}
	c.Lines = append(c.Lines, same...)
	return c
}
