package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"
	"github.com/jedib0t/go-pretty/v6/text"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A line of a chart, as the axes have it: in logarithms on logarithmic ones.
type chartLine struct {
	label string
	x, y  []float64
}

// Size of a chart, in characters: a few lines that leave room for the progress.
const (
	chartWidth  = 60
	chartHeight = 10
	chartTicks  = 4 // numbers at the horizontal axis
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
	y := exp.Metric(f.Y)
	words := strings.NewReplacer("_{", "", "^{", "^", "}", "").Replace(cmp.Or(y.Words, f.Y))
	return o.plot(f.Title, words+" against "+f.X+", both logarithmic", lines, true, true)
}

// plot draws lines with characters: four at most, which have marks of their own. logX and logY say which axes hold logarithms. It
// is empty if there is no line, or none of any length.
func (o *output) plot(title, axes string, lines []chartLine, logX, logY bool) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		low, high = min(low, l.x[0]), max(high, l.x[len(l.x)-1])
	}
	if low >= high {
		return ""
	}
	width := chartWidth
	if o.width > 0 {
		width = max(20, min(width, o.width-15)) // room for the numbers at the axis
	}
	var series [][]float64
	var sets []asciigraph.CharSet
	var colours []asciigraph.AnsiColor
	var legend []string
	bottom, top := math.Inf(1), math.Inf(-1)
	for k, l := range lines[:min(len(lines), len(chartMarks))] {
		series = append(series, l.columns(low, high, width))
		for _, v := range series[k] {
			if !math.IsNaN(v) {
				bottom, top = min(bottom, v), max(top, v)
			}
		}
		mark, c := chartMarks[k], chartColours[k]
		sets = append(sets, asciigraph.CreateCharSet(mark))
		legend = append(legend, o.paint(c, mark+" "+l.label))
		if o.colour {
			colours = append(colours, map[colour]asciigraph.AnsiColor{cyan: asciigraph.DarkCyan, yellow: asciigraph.Olive, green: asciigraph.Green, red: asciigraph.Maroon}[c])
		}
	}
	options := []asciigraph.Option{
		asciigraph.Height(chartHeight), asciigraph.YAxisValueFormatter(labels(bottom, top, chartHeight, logY)),
		asciigraph.XAxisRange(low, high), asciigraph.XAxisTickCount(chartTicks), asciigraph.XAxisValueFormatter(labels(low, high, chartTicks-1, logX)),
		asciigraph.SeriesChars(sets...), asciigraph.SeriesColors(colours...),
	}
	heading := broken(o.paint(bold, title)+o.paint(dim, " ("+axes+")"), o.width, "")
	names := strings.Join(legend, "   ")
	if o.width > 0 && text.StringWidthWithoutEscSequences(names) > o.width {
		names = strings.Join(legend, "\n")
	}
	return heading + "\n" + asciigraph.PlotMany(series, options...) + "\n" + broken(names, o.width, "")
}

// labels returns how numbers at an axis from low to high are written, which is divided into n parts: with two digits, or as many
// as make neighbours differ. The axis may hold logarithms.
func labels(low, high float64, n int, log bool) func(float64) string {
	write := func(v float64, digits int) string {
		if log {
			v = math.Pow(10, v)
		}
		if v >= 1e7 { // whole numbers in full are too wide
			e := math.Floor(math.Log10(v))
			return fmt.Sprintf("%se%.0f", printed.Digits(v/math.Pow(10, e), digits), e)
		}
		return printed.Digits(v, digits)
	}
	digits := 2
	for ; low < high && digits < 8; digits++ {
		differ := true
		for i := range n {
			a, b := low+(high-low)*float64(i)/float64(n), low+(high-low)*float64(i+1)/float64(n)
			differ = differ && write(a, digits) != write(b, digits)
		}
		if differ {
			break
		}
	}
	return func(v float64) string { return write(v, digits) }
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
func (l chartLine) columns(low, high float64, width int) []float64 {
	heights := make([]float64, width)
	for i := range heights {
		x := low + (high-low)*float64(i)/float64(width-1)
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
