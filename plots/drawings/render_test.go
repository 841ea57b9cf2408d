package drawings

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"repro/plots/figures"
	"repro/plots/live"
	"repro/runner/goldentest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// smallFigure has a curve with a band, one that breaks, a guide and a published value.
func smallFigure() figures.Figure {
	return figures.Figure{ID: "small", Title: "A small figure", Curves: &figures.Curves{
		X: figures.Axis{Label: "iterations t", Log: true},
		Y: figures.Axis{Label: "squared L_{2} distance to f", Log: true},
		Lines: []figures.Line{
			{
				Label: "falls", X: []float64{1, 10, 100}, Y: []float64{1, 0.1, 0.01},
				Low: []float64{0.8, 0.08, 0.008}, High: []float64{1.2, 0.12, 0.012},
			},
			{
				Label: "breaks", Style: 1, X: []float64{1, 3, 10, 30, 100}, Y: []float64{2, 1, 0, 3, math.Inf(1)},
				Breaks: []float64{100},
			},
		},
		Guides: []figures.Guide{{Slope: -1, Label: "slope −1"}},
		Marks:  []figures.Mark{{X: 100, Y: 0.02, Low: 0.015, High: 0.025, Label: "published 0.02"}},
	}}
}

// smallHeat has two panels of 3 by 2 cells, one of them not finite.
func smallHeat() figures.Figure {
	x, y := []float64{-1, 0, 1}, []float64{0, 1}
	return figures.Figure{ID: "heat", Title: "Two functions", Heat: &figures.Heat{
		X: figures.Axis{Label: "x_{1}"}, Y: figures.Axis{Label: "x_{2}"}, Label: "f(x)", Min: -1, Max: 1,
		Panels: []figures.Panel{
			{Title: "generating function", X: x, Y: y, Z: [][]float64{{-1, 0, 1}, {1, 0, -1}}},
			{Title: "learnt", X: x, Y: y, Z: [][]float64{{-0.5, 0, 7}, {0.5, math.NaN(), -1}}},
		},
	}}
}

// rendered draws a figure.
func rendered(t *testing.T, f figures.Figure, formats ...string) *Picture {
	t.Helper()
	p, err := Render(f, formats...)
	require.NoError(t, err)
	return p
}

// SVG returns the picture as SVG.
func (p *Picture) SVG() []byte { return p.file(".svg") }

// file returns the content of the file with a suffix.
func (p *Picture) file(suffix string) []byte {
	for _, f := range p.Files {
		if f.Suffix == suffix {
			return f.Data
		}
	}
	return nil
}

func TestGoldenFigures(t *testing.T) {
	for _, f := range []figures.Figure{smallFigure(), smallHeat()} {
		t.Run(f.ID, func(t *testing.T) {
			p := rendered(t, f)
			goldentest.Equal(t, filepath.Join("testdata", f.ID+".svg"), string(p.SVG()))
		})
	}
}

func TestRenderIsDeterministic(t *testing.T) {
	levels := smallHeat()
	levels.ID, levels.Heat.Levels = "levels", []float64{-0.5, 0, 0.5}
	for _, f := range []figures.Figure{smallFigure(), smallHeat(), levels} {
		a := rendered(t, f, Formats...)
		formats := Formats
		for range 20 {
			b := rendered(t, f, formats...)
			for i, file := range b.Files {
				assert.True(t, bytes.Equal(file.Data, a.Files[i].Data), "%s%s", f.ID, file.Suffix)
			}
			assert.Equal(t, a.Sheet.Inline(f.Title, "d"), b.Sheet.Inline(f.Title, "d"), f.ID)
			formats = []string{formatSVG} // the first of Formats; the others are slow, and draw the same strokes
		}
	}
}

func TestPDFHasAFixedDate(t *testing.T) {
	p := rendered(t, smallFigure(), formatPDF)
	dates := regexp.MustCompile(`/(CreationDate|ModDate) \(D:(\d*)`).FindAllSubmatch(p.Files[0].Data, -1)
	require.Len(t, dates, 2)
	for _, d := range dates {
		assert.Equal(t, "20000101000000", string(d[2]), "%s", d[1])
	}
}

func TestPNGResolution(t *testing.T) {
	f := smallFigure()
	p := rendered(t, f, formatSVG, formatPNG)
	img, err := png.DecodeConfig(bytes.NewReader(p.file(".png")))
	require.NoError(t, err)
	size := regexp.MustCompile(`<svg width="([0-9.]+)pt"`).FindSubmatch(p.SVG())
	var points float64
	_, err = fmt.Sscan(string(size[1]), &points)
	require.NoError(t, err)
	assert.InDelta(t, points/72*pngDPI, img.Width, 1, "150 dots to 72 points, rounded to a pixel")
}

// contentOf returns the content of the page of a PDF.
func contentOf(t *testing.T, c *pdfCanvas) string {
	c.doc.SetCompression(false)
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	require.NoError(t, err)
	_, text, _ := strings.Cut(b.String(), "stream\n")
	text, _, _ = strings.Cut(text, "endstream")
	return text
}

func TestPDFColoursAreNotPremultiplied(t *testing.T) {
	c := newPDF(10, 10)
	c.SetColor(color.NRGBA{0xD5, 0x5E, 0x00, 0x30})
	assert.Contains(t, contentOf(t, c), "0.835 0.369 0.000 rg")
}

// A PDF has its text as text, but for letters beyond those that it can have, which are drawn.
func TestPDFText(t *testing.T) {
	f := smallFigure()
	f.Title, f.Curves.X.Label = "a (b) \\ −1", "𝔸"
	plain := rendered(t, f, formatPDF)
	assert.Contains(t, string(plain.file(".pdf")), "/ToUnicode")
	c := newPDF(10, 10)
	o, err := newOutlines(themeOf(figures.Style{}))
	require.NoError(t, err)
	sty := o.style(10, text.XLeft, text.YBottom)
	require.NoError(t, c.write("a^{−1}", sty, vg.Point{}))
	require.NoError(t, c.write("𝔸", sty, vg.Point{}))
	content := contentOf(t, c)
	assert.Equal(t, 2, strings.Count(content, ") Tj ET"), "the line and its superscript")
	assert.Contains(t, content, "(\x00a) Tj")
	assert.Contains(t, content, "\nf\n", "the outline")
}

// A whole circle becomes four curves through its four ends.
func TestPDFArc(t *testing.T) {
	c := newPDF(100, 100)
	c.Fill(marker{}.path(vg.Point{X: 50, Y: 50}, 10))
	var ends []string
	for _, m := range regexp.MustCompile(`(?m)(\S+ \S+) c$`).FindAllStringSubmatch(contentOf(t, c), -1) {
		ends = append(ends, m[1])
	}
	assert.Equal(t, []string{"50.00000 40.00000", "40.00000 50.00000", "50.00000 60.00000", "60.00000 50.00000"}, ends, "fpdf's axis points down")
}

func TestCurvesBreakWhereTheyHaveNoPlace(t *testing.T) {
	f := smallFigure()
	d := laidOut(t, f)

	assert.Equal(t, [][2]int{{0, 2}, {3, 4}}, stretches(d.Vertices(d.Lines[1])), "zero and infinity have no place on a logarithmic axis")
	assert.Equal(t, vertexAt(d.X.At(30), d.Y.At(3)), d.end(d.Lines[1], 100), "the cross is at the last point there is")
	assert.Equal(t, d.YR.Hi, d.end(figures.Line{X: []float64{1}, Y: []float64{math.NaN()}}, 10).Y, "a curve without a point ends at the upper edge")

	var names []string
	for _, e := range d.entries() {
		names = append(names, e.label)
	}
	assert.Equal(t, []string{"falls", "breaks (diverged)", "slope −1", "published 0.02"}, names)
}

func TestACurveIsMarkedWhereItLeavesTheFrame(t *testing.T) {
	d := &curvesDrawing{Layout: figures.Layout{Curves: &figures.Curves{}, XR: figures.Interval{Lo: 0, Hi: 10}, YR: figures.Interval{Lo: 0, Hi: 1}}}
	l := figures.Line{X: []float64{0, 1, 2, 3}, Y: []float64{0, 0.5, 1.5, 40}, Breaks: []float64{3}}
	assert.Equal(t, vertexAt(1.5, 1), d.end(l, 3))
}

func TestRangeOfY(t *testing.T) {
	sound := figures.Line{X: []float64{1, 10}, Y: []float64{1, 0.01}}
	for _, c := range []struct {
		name   string
		line   figures.Line
		lo, hi float64 // decimal logarithms
	}{
		{"alone", sound, -2, 0},
		{"band", figures.Line{X: sound.X, Y: sound.Y, Low: []float64{1, 0.001}, High: []float64{2, 0.02}}, -3, math.Log10(2)},
		{"band without end", figures.Line{X: sound.X, Y: sound.Y, Low: []float64{1, 0}, High: []float64{1e9, 0.02}}, -2, 1},
		{"diverged", figures.Line{X: []float64{1, 10}, Y: []float64{1, 1e30}, Breaks: []float64{10}}, -2, 0.5},
		{"one seed of many diverged", figures.Line{X: []float64{1, 10}, Y: []float64{1, 1e3}, Breaks: []float64{2}}, -2, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &curvesDrawing{Layout: figures.Layout{Curves: &figures.Curves{X: figures.Axis{Log: true}, Y: figures.Axis{Log: true}, Lines: []figures.Line{sound, c.line}}}}
			r, err := d.RangeY()
			require.NoError(t, err)
			pad := 0.05 * (c.hi - c.lo)
			assert.InDelta(t, c.lo-pad, r.Lo, 1e-9, "rounding of logarithms")
			assert.InDelta(t, c.hi+pad, r.Hi, 1e-9, "rounding of logarithms")
		})
	}
}

func TestGuidesStandBesideTheData(t *testing.T) {
	f := smallFigure()
	f.Curves.Lines = []figures.Line{
		{Label: "falls", X: []float64{1, 2, 10, 100}, Y: []float64{100, 1e-3, 0.1, 0.01}}, {Label: "a point", X: []float64{50}, Y: []float64{1e-6}},
	}
	d := laidOut(t, f)
	require.Len(t, d.GuideLines, 1)
	const guideApart = 0.05 // distance between the data and a guide, as a fraction of the range of y
	from, to := d.GuideLines[0][0], d.GuideLines[0][1]
	assert.InDelta(t, -1, (to.Y-from.Y)/(to.X-from.X), 1e-12, "the slope, but for rounding")
	// the data are y = -x in logarithms from where the guide begins; a single point is no curve to stand beside
	assert.InDelta(t, guideApart*d.YR.Length(), math.Abs(from.Y+from.X), 0.2)
	f.Curves.Y.Log = false
	assert.Empty(t, laidOut(t, f).GuideLines)

	// On a linear horizontal axis the guide of a factor of 0.9 falls by its logarithm in every unit of x.
	f.Curves.X.Log, f.Curves.Y.Log, f.Curves.Guides[0].Slope = false, true, math.Log10(0.9)
	for i, x := range f.Curves.Lines[0].X {
		f.Curves.Lines[0].Y[i] = math.Pow(0.9, x)
	}
	d = laidOut(t, f)
	require.Len(t, d.GuideLines, 1)
	from, to = d.GuideLines[0][0], d.GuideLines[0][1]
	assert.InDelta(t, math.Log10(0.9), (to.Y-from.Y)/(to.X-from.X), 1e-12)
	assert.Greater(t, to.X, 50.0, "in units of x")
	assert.InDelta(t, guideApart*d.YR.Length(), math.Abs(from.Y-from.X*math.Log10(0.9)), 0.2)
	v, guides := live.ViewsOf(f.Curves)
	require.Len(t, guides, 1)
	assert.InDelta(t, math.Log10(0.9), (guides[0][1][1]-guides[0][0][1])/(guides[0][1][0]-guides[0][0][0]), 1e-12)
	assert.Less(t, v.X[1].Range[1], 3.0, "the view of the logarithmic axis stays one")
}

// The panel of orders stands below, on the same horizontal axis, above the legend; every mesh has a marker.
func TestOrdersStandBelow(t *testing.T) {
	f := smallFigure()
	without := laidOut(t, f)
	x, y := make([]float64, 20), make([]float64, 20)
	for i := range x {
		x[i], y[i] = math.Pow(1.3, float64(i)), 1/float64(i+1)
	}
	f.Curves.Lines = append(f.Curves.Lines[:1], figures.Line{Label: "meshes", X: x, Y: y})
	f.Curves.Guides = []figures.Guide{{Slope: -1, Name: "slope −1", Label: "−1", Triangle: true, Line: 0}}
	f.Curves.Orders = &figures.Curves{
		X: f.Curves.X, Y: figures.Axis{Label: figures.OrderLabel, Min: -1.5, Max: -0.5},
		Lines: []figures.Line{{Label: "falls", X: []float64{3, 30}, Y: []float64{-1, -1.001}}, {}},
		Marks: []figures.Mark{{X: math.NaN(), Y: -1, Low: -1.1, High: -0.9}},
	}
	d := laidOut(t, f)
	require.NotNil(t, d.orders)
	assert.Equal(t, d.XR, d.orders.XR)
	above, below := d.data(), d.orders.data()
	assert.InDelta(t, float64(above.Min.X), float64(below.Min.X), 1e-6, "rounding")
	assert.InDelta(t, float64(above.Max.X), float64(below.Max.X), 1e-6, "rounding")
	assert.Greater(t, d.whole.Y, without.whole.Y)
	assert.Len(t, d.markerIndices(d.Vertices(f.Curves.Lines[1]), 0), 20)
	for _, e := range d.entries() {
		assert.NotEqual(t, "−1", e.label, "the slope stands at the triangle")
	}
	sheet := string(rendered(t, f).Sheet.Inline("", "d"))
	for _, text := range []string{">observed order p<", ">−1<", ">1<"} {
		assert.Contains(t, sheet, text)
	}
	assert.Equal(t, 1, strings.Count(sheet, ">iterations t<"), "the lower axis has the words")
}

func TestNothingToDraw(t *testing.T) {
	for _, f := range []figures.Figure{
		{ID: "empty"},
		{ID: "empty", Curves: &figures.Curves{}},
		{ID: "empty", Curves: &figures.Curves{Y: figures.Axis{Log: true}, Lines: []figures.Line{{X: []float64{1}, Y: []float64{-1}}}}},
	} {
		_, err := Render(f)
		require.ErrorIs(t, err, figures.ErrNoData)
	}
	_, err := Render(figures.Figure{ID: "thin", Heat: &figures.Heat{Max: 1, Panels: []figures.Panel{{X: []float64{1}, Y: []float64{1, 2}}}}})
	require.ErrorContains(t, err, "1 by 2 points")
}

// laidOut returns the layout of a figure of curves.
func laidOut(t *testing.T, f figures.Figure) *curvesDrawing {
	t.Helper()
	d, _, err := layOut(f)
	require.NoError(t, err)
	return d.(framed).drawing.(*curvesDrawing)
}

func TestHeatColours(t *testing.T) {
	d := &heatDrawing{Heat: &figures.Heat{Min: -1, Max: 1}, colours: colourMap(-1, 1), o: &outlines{theme: themeOf(figures.Style{})}}
	assert.Equal(t, d.colour(1), d.colour(9), "beyond the scale")
	assert.Equal(t, d.o.noData, d.colour(math.NaN()))
	assert.NotEqual(t, d.colour(-1), d.colour(1))
	r, g, b, _ := d.colour(0).RGBA()
	spread := max(r, g, b) - min(r, g, b)
	assert.Less(t, spread, uint32(0x0400), "zero is grey to 1/64 of the scale, as the map's convergence point")
}

func TestSheet(t *testing.T) {
	p := rendered(t, smallHeat())
	css := SheetsCSS(p.Sheet)
	svg := string(p.Sheet.Inline("Two functions, f_{1}", "d-heat"))
	assert.True(t, strings.HasPrefix(svg, `<svg role="img" aria-label="Two functions, f1" viewBox="0 0 5556 2142">`), svg[:120])
	assert.Contains(t, svg, `<g id="d-heat" fill="none">`)
	assert.Regexp(t, `<text class=_[0-9a-z]+ x=[0-9]+ y=[0-9]+ textLength=[0-9]+>Two functions</text>`, svg, "text is text")
	assert.Regexp(t, `transform="rotate\(-90 [0-9]+ [0-9]+\)"`, svg, "the label of the vertical axis")
	assert.Contains(t, svg, `href="data:image/png;base64,`)
	assert.NotContains(t, svg, "style=", "the policy of the page allows no style attributes")
	for _, m := range regexp.MustCompile(`class="?([^" ]*)`).FindAllStringSubmatch(svg, -1) {
		assert.Contains(t, css, "."+m[1]+"{")
	}
}

func TestColoursAtNight(t *testing.T) {
	dark := themeOf(figures.Style{Name: figures.StyleDark})
	assert.Equal(t, dark.Paper, atNight(color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}), "paper")
	assert.Equal(t, dark.Ink, atNight(themeOf(figures.Style{}).Ink), "ink")
	assert.Equal(t, mapDark, atNight(mapDark), "lines on maps")
	for i, c := range figures.Light.Colours {
		band := dark.styleOf(i).band()
		assert.Equal(t, band, atNight(styleOf(i).band()), "a band")
		night := atNight(c)
		light := 0.2126*float64(night.R) + 0.7152*float64(night.G) + 0.0722*float64(night.B)
		assert.GreaterOrEqual(t, light, 0.54*255, "colour %d on a dark background", i)
		for j := range i {
			assert.NotEqual(t, atNight(figures.Light.Colours[j]), night, "colours %d and %d", i, j)
		}
	}
}
