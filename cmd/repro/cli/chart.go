package cli

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A line of a chart, in logarithms.
type chartLine struct {
	label string
	x, y  []float64
}

// Size of a chart, in characters: a few lines that leave room for the progress.
const (
	chartWidth  = 60
	chartHeight = 10
)

// chartMarks draw the lines of a chart, by their order.
var (
	chartMarks   = []string{"•", "×", "+", "o"}
	chartColours = []colour{cyan, yellow, green, red}
)

// chart draws the curves of the experiment's first figure of curves with characters: medians over seeds, on logarithmic axes.
// It is empty if there is no such figure or nothing to draw.
func (o *output) chart(exp claims.Experiment, recs []*records.Record) string {
	i := slices.IndexFunc(exp.Figures, func(f claims.Figure) bool {
		return (f.Kind == "" || f.Kind == "curves") && f.X != "" && (f.Scale == "" || f.Scale == "loglog")
	})
	if i < 0 {
		return ""
	}
	f := exp.Figures[i]
	lines := chartLines(exp, f, recs)
	if len(lines) == 0 {
		return ""
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		low, high = min(low, l.x[0]), max(high, l.x[len(l.x)-1])
	}
	if low == high {
		return ""
	}
	power := func(v float64) string { return printed.Digits(math.Pow(10, v), 2) }
	options := []asciigraph.Option{
		asciigraph.Height(chartHeight), asciigraph.YAxisValueFormatter(power),
		asciigraph.XAxisRange(low, high), asciigraph.XAxisTickCount(4), asciigraph.XAxisValueFormatter(power),
	}
	var series [][]float64
	var sets []asciigraph.CharSet
	var colours []asciigraph.AnsiColor
	var legend []string
	for k, l := range lines {
		series = append(series, l.columns(low, high))
		mark, c := chartMarks[k], chartColours[k]
		sets = append(sets, asciigraph.CreateCharSet(mark))
		legend = append(legend, o.paint(c, mark+" "+l.label))
		if o.colour {
			colours = append(colours, map[colour]asciigraph.AnsiColor{cyan: asciigraph.DarkCyan, yellow: asciigraph.Olive, green: asciigraph.Green, red: asciigraph.Maroon}[c])
		}
	}
	options = append(options, asciigraph.SeriesChars(sets...), asciigraph.SeriesColors(colours...))
	y := exp.Metric(f.Y)
	words := strings.NewReplacer("_{", "", "^{", "^", "}", "").Replace(cmp.Or(y.Words, f.Y))
	title := o.paint(bold, f.Title) + o.paint(dim, " ("+words+" against "+f.X+", both logarithmic)")
	return title + "\n" + asciigraph.PlotMany(series, options...) + "\n" + strings.Join(legend, "   ")
}

// chartLines returns the lines of a figure that can be drawn.
func chartLines(exp claims.Experiment, f claims.Figure, recs []*records.Record) []chartLine {
	all := f.Series
	if len(all) == 0 {
		for _, m := range exp.Methods {
			all = append(all, claims.Series{Method: m.ID})
		}
	}
	var lines []chartLine
	for _, s := range all {
		c := stats.CurveOf(records.Select(recs, s.Method), cmp.Or(s.Metric, f.Y), f.X, s.Statistic)
		l := chartLine{label: cmp.Or(s.Label, c.Label)}
		for i := range c.X {
			if c.X[i] > 0 && c.Median[i] > 0 && !math.IsInf(c.Median[i], 1) {
				l.x, l.y = append(l.x, math.Log10(c.X[i])), append(l.y, math.Log10(c.Median[i]))
			}
		}
		if len(l.x) > 1 && len(lines) < len(chartMarks) {
			lines = append(lines, l)
		}
	}
	return lines
}

// columns returns the line's heights at the columns of a chart from low to high, by linear interpolation, NaN where it has no
// points.
func (l chartLine) columns(low, high float64) []float64 {
	heights := make([]float64, chartWidth)
	for i := range heights {
		x := low + (high-low)*float64(i)/(chartWidth-1)
		heights[i] = math.NaN()
		k, _ := slices.BinarySearch(l.x, x-1e-9)
		switch {
		case k == len(l.x) || k == 0 && l.x[0] > x+1e-9:
		case k == 0:
			heights[i] = l.y[0]
		default:
			part := (x - l.x[k-1]) / (l.x[k] - l.x[k-1])
			heights[i] = l.y[k-1] + min(1, part)*(l.y[k]-l.y[k-1])
		}
	}
	return heights
}
