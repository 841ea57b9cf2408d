package drawings

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/figures"
)

// manyCurves is a figure of n curves that cross.
func manyCurves(n int) figures.Figure {
	f := figures.Figure{ID: "many", Title: "Many", Curves: &figures.Curves{X: figures.Axis{Label: "iterations t", Log: true}, Y: figures.Axis{Label: "test error", Log: true}}}
	for i := range n {
		f.Curves.Lines = append(f.Curves.Lines, figures.Line{Label: fmt.Sprintf("method %c", 'A'+i), Style: i, X: []float64{1, 10, 100}, Y: []float64{1, 0.1 * float64(i+1), 0.01 * float64(n-i)}})
	}
	f.Curves.Guides = []figures.Guide{{Slope: -1, Label: "t^{-1}"}}
	return f
}

// More than six curves have a panel each, in the size of the style, unless the style wants a legend.
func TestMultiples(t *testing.T) {
	for _, n := range []int{6, 7, 11} {
		for _, name := range append(figures.StyleNames, "") {
			f := manyCurves(n)
			f.Style.Name = name
			d, _, err := layOut(f)
			require.NoError(t, err)
			m, split := d.(framed).drawing.(*multiplesDrawing)
			assert.Equal(t, n > mostTogether, split, "%d curves, style %q", n, name)
			if !split {
				continue
			}
			theme := themeOf(f.Style)
			w, _ := d.size()
			assert.InDelta(t, float64(theme.width), float64(w), 1, "%d curves, style %q", n, name)
			assert.Len(t, m.plots, n)
			assert.Len(t, m.legend.entries, 1, "the guide")
			body := drawSheet(d).body.String()
			for _, l := range f.Curves.Lines {
				assert.Equal(t, 1, strings.Count(body, ">"+l.Label+"<"), l.Label)
			}
			assert.Equal(t, 1, strings.Count(body, ">test error<"))
		}
	}
	f := manyCurves(7)
	f.Curves.Marks = []figures.Mark{{X: 10, Y: 0.5, Low: 0.4, High: 0.6, Style: 3}}
	d, _, err := layOut(f)
	require.NoError(t, err)
	assert.IsType(t, &multiplesDrawing{}, d.(framed).drawing)
	f.Curves.Marks[0].Style = 9
	d, _, err = layOut(f)
	require.NoError(t, err)
	assert.IsType(t, &curvesDrawing{}, d.(framed).drawing, "a published value without its curve")
	f.Curves.Marks = nil
	f.Style = figures.Style{Width: 4}
	d, _, err = layOut(f)
	require.NoError(t, err)
	assert.IsType(t, &curvesDrawing{}, d.(framed).drawing, "no room for two panels")
}

// Curves without a point, of one point, of extreme and of unknown values are drawn or left out.
func TestMultiplesOfOddCurves(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, logarithmic := range []bool{true, false} {
		f := manyCurves(7)
		f.Curves.X.Log, f.Curves.Y.Log = logarithmic, logarithmic
		for i, l := range []figures.Line{
			{}, {X: []float64{5}, Y: []float64{0.5}}, {X: []float64{1, 2}, Y: []float64{nan, nan}}, {X: []float64{1, 1e306}, Y: []float64{1e-306, 1e306}},
			{X: []float64{1, 2, 3}, Y: []float64{1, inf, 1}, Breaks: []float64{2}}, {X: []float64{1, 2}, Y: []float64{0, -1}}, {X: []float64{1, 2}, Y: []float64{1, 1}, Level: true, At: 2},
		} {
			l.Label, l.Style = fmt.Sprint("odd ", i), 7+i
			f.Curves.Lines = append(f.Curves.Lines, l)
		}
		p, err := Render(f, Formats...)
		require.NoError(t, err)
		require.True(t, p.Sheet.Split)
		for _, file := range p.Files {
			assert.NotContains(t, string(file.Data), "NaN", file.Suffix)
		}
		assert.NotContains(t, p.Sheet.body.String(), ">odd 0<")
		assert.Contains(t, p.Sheet.body.String(), ">odd 4 (diverged)<")
	}
}
