package terminal

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"
	"github.com/jedib0t/go-pretty/v6/text"

	"repro/plots/figures"
)

// A chartLine is a line of a chart, as the axes have it: in logarithms on logarithmic ones.
type chartLine struct {
	label string
	x, y  []float64
}

// chartLines returns the lines of a panel of curves that can be drawn.
func chartLines(c *figures.Curves) []chartLine {
	var lines []chartLine
	for _, l := range c.Lines {
		xs, ys := c.Shown(l)
		line := chartLine{label: l.Label}
		for i := range xs {
			line.x, line.y = append(line.x, c.X.At(xs[i])), append(line.y, c.Y.At(ys[i]))
		}
		if len(xs) > 1 {
			lines = append(lines, line)
		}
	}
	return lines
}

// Size of a chart, in characters: a few lines that leave room for the progress.
const (
	chartWidth  = 60
	chartHeight = 10

	chartTickRoom = 12 // columns for each number at the horizontal axis, at least
)

// chartMarks draw the lines of a chart, by their order.
var (
	chartMarks   = []string{"•", "×", "+", "o"}
	chartColours = []Colour{Cyan, Yellow, Green, Red}
)

// scaleWords say which axes are logarithmic: the horizontal one, and the vertical one.
var scaleWords = map[[2]bool]string{{true, true}: ", both logarithmic", {true, false}: ", the latter logarithmic", {false, true}: ", the former logarithmic"}

// Plot draws a panel of curves with characters: the first four, which have marks of their own. It is empty if there is none, or none
// of any length.
func (o *Output) Plot(title string, c *figures.Curves) string {
	lines := chartLines(c)
	lines = lines[:min(len(lines), len(chartMarks))]
	axes := figures.PlainText(c.Y.Label + " against " + c.X.Label + scaleWords[[2]bool{c.X.Log, c.Y.Log}])
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		low, high = min(low, l.x[0]), max(high, l.x[len(l.x)-1])
	}
	if low >= high {
		return ""
	}
	width := chartWidth
	if o.Width > 0 {
		width = max(20, min(width, o.Width-15)) // room for the numbers at the axis
	}
	var series [][]float64
	var sets []asciigraph.CharSet
	var colours []asciigraph.AnsiColor
	var legend []string
	bottom, top := math.Inf(1), math.Inf(-1)
	for k, l := range lines {
		series = append(series, l.columns(low, high, width))
		for _, v := range series[k] {
			if !math.IsNaN(v) {
				bottom, top = min(bottom, v), max(top, v)
			}
		}
		mark, colour := chartMarks[k], chartColours[k]
		sets = append(sets, asciigraph.CreateCharSet(mark))
		legend = append(legend, o.Paint(colour, mark+" "+l.label))
		if o.Colour {
			colours = append(colours, map[Colour]asciigraph.AnsiColor{Cyan: asciigraph.DarkCyan, Yellow: asciigraph.Olive, Green: asciigraph.Green, Red: asciigraph.Maroon}[colour])
		}
	}
	if bottom == top { // a level line
		bottom, top = bottom-0.5, top+0.5
	}
	for _, s := range series {
		for i := range s {
			s[i] = (s[i] - bottom) / (top - bottom) * chartHeight
		}
	}
	rows := placed(figures.TextTicks(bottom, top, c.Y.Log, chartHeight/2), bottom, top, chartHeight)
	margin := 0
	for _, label := range rows {
		margin = max(margin, utf8.RuneCountInString(label))
	}
	drawing := asciigraph.PlotMany(series,
		asciigraph.Height(chartHeight), asciigraph.LowerBound(0), asciigraph.UpperBound(chartHeight),
		asciigraph.YAxisValueFormatter(func(row float64) string { return rows[int(math.Round(row))] }),
		asciigraph.SeriesChars(sets...), asciigraph.SeriesColors(colours...))
	drawing += "\n" + abscissa(placed(figures.TextTicks(low, high, c.X.Log, width/chartTickRoom), low, high, width-1), width, margin+2)
	heading := Broken(o.Paint(Bold, title)+o.Paint(Dim, " ("+axes+")"), o.Width, "")
	names := strings.Join(legend, "   ")
	if o.Width > 0 && text.StringWidthWithoutEscSequences(names) > o.Width {
		names = strings.Join(legend, "\n")
	}
	return heading + "\n" + drawing + "\n" + Broken(names, o.Width, "")
}

// placed returns the labels of an axis from low to high by the cell, of n+1, that holds the mark. If a cell holds two, the later
// one counts.
func placed(ticks []figures.Tick, low, high float64, n int) map[int]string {
	at := map[int]string{}
	for _, t := range ticks {
		at[int(math.Round((t.At-low)/(high-low)*float64(n)))] = t.Label
	}
	return at
}

// abscissa returns the horizontal axis below a drawing of the given width, whose corner is at the column corner, and the labels
// below its marks.
func abscissa(at map[int]string, width, corner int) string {
	axis := strings.Repeat(" ", corner) + "└"
	var labels []rune
	for i := range width {
		label, marked := at[i]
		if !marked {
			axis += "─"
			continue
		}
		axis += "┬"
		if free := corner + 1 + i - utf8.RuneCountInString(label)/2 - len(labels); free > 0 || len(labels) == 0 {
			labels = append(labels, []rune(strings.Repeat(" ", max(0, free))+label)...)
		}
	}
	return axis + "\n" + string(labels)
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
