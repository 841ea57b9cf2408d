package terminal

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/plots/figures"
)

func TestChartLineBetweenPoints(t *testing.T) {
	l := chartLine{x: []float64{1, 2}, y: []float64{0, 1}}
	heights := l.columns(0, 2.95, chartWidth)
	assert.True(t, math.IsNaN(heights[0]))
	assert.InDelta(t, 0.5, heights[30], 1e-9, "x = 1.5")
	assert.True(t, math.IsNaN(heights[chartWidth-1]))
	assert.InDelta(t, 1, chartLine{x: []float64{1, 2}, y: []float64{0, 1}}.columns(1, 2, chartWidth)[chartWidth-1], 1e-9)
}

// A legend that is wider than the terminal has a line for each curve, so that no mark stands far from its name.
func TestChartLegend(t *testing.T) {
	plot := func(o *Output, labels ...string) string {
		var c figures.Curves
		for _, label := range labels {
			c.Lines = append(c.Lines, figures.Line{Label: label, X: []float64{0, 1}, Y: []float64{0, 1}})
		}
		return o.Plot("", &c)
	}
	o := &Output{Width: 40}
	assert.Contains(t, plot(o, "one", "two"), "\n• one   × two")
	assert.Contains(t, plot(o, "a curve with a name", "and another one, too"), "\n• a curve with a name\n× and another one, too")
}

// The numbers at the axes of a chart are round, and stand where a curve of that height is drawn.
func TestChartLabels(t *testing.T) {
	o := &Output{}
	falling := figures.Curves{X: figures.Axis{Log: true}, Y: figures.Axis{Log: true}, Lines: []figures.Line{{X: []float64{1, 1e4}, Y: []float64{10, 1e-4}}}}
	rows := strings.Split(o.Plot("", &falling), "\n")[1:]
	assert.Equal(t, []string{"10¹ ┼", "10⁰ ┤", "10⁻¹ ┤", "10⁻² ┤", "10⁻³ ┤", "10⁻⁴ ┤"}, []string{rowOf(rows[0]), rowOf(rows[2]), rowOf(rows[4]), rowOf(rows[6]), rowOf(rows[8]), rowOf(rows[10])})
	assert.Equal(t, "┤", rowOf(rows[1]))
	assert.Equal(t, []string{"1", "10", "100", "1000", "10000"}, strings.Fields(rows[12]))
	for i, r := range []rune(rows[11]) {
		if r == '┬' {
			assert.NotEqual(t, ' ', []rune(rows[12])[i], "column %d", i)
		}
	}
	for _, k := range []int{0, 2, 4, 6, 8, 10} {
		assert.Contains(t, rows[k], "•", "a curve of slope -5/4 passes all heights")
	}
	level := o.Plot("", &figures.Curves{Lines: []figures.Line{{X: []float64{1, 2}, Y: []float64{3, 3}}}})
	assert.Regexp(t, `(?m)^ *3(\.0)? ┼•`, level)
}

// rowOf returns the number at the left of a row, and the axis.
func rowOf(row string) string {
	number, _, _ := strings.Cut(strings.Replace(row, "┼", "┼│", 1), "│")
	if before, _, found := strings.Cut(row, "┤"); found {
		number = before + "┤"
	}
	return strings.TrimSpace(number)
}
