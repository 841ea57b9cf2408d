package drawings

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
	"repro/results/claims"
)

// ParseWidth reads a width such as 16cm, 160mm, 6.3in or 455pt and returns it in cm.
func ParseWidth(s string) (float64, error) {
	w, err := vg.ParseLength(s)
	cm := float64(w / vg.Centimeter)
	if err != nil || !(cm >= claims.SmallestSide && cm <= claims.LargestSide) {
		return 0, fmt.Errorf("want a width of %d to %d cm with its unit, such as 16cm, got %q", claims.SmallestSide, claims.LargestSide, s)
	}
	return cm, nil
}

// ParseFont reads a size of type such as 20pt.
func ParseFont(s string) (float64, error) {
	size, err := strconv.ParseFloat(strings.TrimSuffix(s, "pt"), 64)
	if err != nil || !(size >= claims.SmallestFont && size <= claims.LargestFont) {
		return 0, fmt.Errorf("want a size of %d to %d points, such as 20pt, got %q", claims.SmallestFont, claims.LargestFont, s)
	}
	return size, nil
}

// Sizes of text and lines, in points, for axis labels of standardFont points.
const (
	standardFont = 9.5

	titleSize  = 10.5
	labelSize  = standardFont
	tickSize   = 8.5
	legendSize = 8.5
	noteSize   = 7.75 // a fortieth of the height of a slide

	lineWidth    = 1.3
	thinWidth    = 0.5
	guideWidth   = 1.0
	markerRadius = 2.6
	markRadius   = 4.0
	crossRadius  = 4.5
	dotRadius    = 1.1
)

// A theme holds the colours and measures of a style.
type theme struct {
	width  vg.Length // of the figure
	scale  vg.Length // of texts, lines and gaps
	titled bool

	*figures.Ground
	grid, dots, guide,
	noData color.NRGBA // cells of a heat map that are not finite
}

// themeOf returns the theme of a style.
func themeOf(s figures.Style) *theme {
	t := theme{
		titled: true, Ground: &figures.Light,
		grid: grey(0xE4), dots: grey(0xA8), guide: grey(0x70), noData: grey(0xB8),
	}
	width, font := 19.6, standardFont
	switch s.Name {
	case figures.StylePaper:
		width, font, t.titled = 8.4, 8, false
	case figures.StyleSlides:
		width, font = 25.4, 18
	case figures.StyleDark:
		t.Ground = &figures.Dark
		t.grid, t.dots, t.guide, t.noData = grey(0x3A), grey(0x80), grey(0xA0), grey(0x60)
	}
	if s.Width > 0 {
		width = s.Width
	}
	if s.Font > 0 {
		font = s.Font
	}
	t.width = vg.Length(width) * vg.Centimeter
	t.scale = vg.Length(font / standardFont)
	return &t
}

// nightColours returns the colours of the style dark by those of the report's that they take the places of.
var nightColours = sync.OnceValue(func() map[color.NRGBA]color.NRGBA {
	day, night := themeOf(figures.Style{}), themeOf(figures.Style{Name: figures.StyleDark})
	at := map[color.NRGBA]color.NRGBA{
		day.Paper: night.Paper, day.Ink: night.Ink, day.grid: night.grid, day.dots: night.dots, day.guide: night.guide, day.noData: night.noData,
	}
	for i, c := range day.Colours {
		at[c], at[day.Faint(c)] = night.Colours[i], night.Faint(night.Colours[i])
	}
	return at
})

// atNight returns what a colour of the report becomes on a dark screen: that of the style dark. The colours of maps stay.
func atNight(c color.NRGBA) color.NRGBA {
	night, ok := nightColours()[color.NRGBA{c.R, c.G, c.B, 0xFF}]
	if !ok {
		return c
	}
	night.A = c.A
	return night
}

func grey(level uint8) color.NRGBA { return color.NRGBA{level, level, level, 0xFF} }

// pt returns a measure at the standard size in the theme's.
func (t *theme) pt(standard vg.Length) vg.Length { return standard * t.scale }

// scaled returns measures at the standard size in the theme's, and nil for none.
func (t *theme) scaled(standard ...vg.Length) []vg.Length {
	var out []vg.Length
	for _, v := range standard {
		out = append(out, t.pt(v))
	}
	return out
}

const bandAlpha = 0x30

var guideDashes = [][]vg.Length{{5, 3}, {1.5, 2.5}, {8, 2, 1.5, 2}}

// A marker is a symbol on a curve.
type marker struct{ figures.Marker }

// A curveStyle is the look of a curve on one ground.
type curveStyle struct {
	colour color.NRGBA
	dashes []vg.Length
	marker marker
	of     *theme
}

// styleOf returns the style with the given number on the theme's ground.
func (t *theme) styleOf(i int) curveStyle { return t.looking(t.LookOfStyle(i)) }

// lookOf returns the style of a line.
func (t *theme) lookOf(l figures.Line) curveStyle { return t.looking(t.LookOf(l)) }

// looking returns a look in the theme's measures.
func (t *theme) looking(l figures.Look) curveStyle {
	s := curveStyle{colour: l.Colour, marker: marker{l.Marker}, of: t}
	for _, d := range l.Dashes {
		s.dashes = append(s.dashes, t.pt(vg.Length(d)))
	}
	return s
}

// line returns how the curve is stroked.
func (s curveStyle) line() draw.LineStyle {
	return draw.LineStyle{Color: s.colour, Width: s.of.pt(lineWidth), Dashes: s.dashes}
}

// band returns the colour of the curve's band.
func (s curveStyle) band() color.NRGBA {
	c := s.colour
	c.A = bandAlpha
	return c
}

// drawMarker draws the curve's symbol at a point. Open symbols have the colour of the ground inside, so that the curve does
// not show through.
func (s curveStyle) drawMarker(c draw.Canvas, at vg.Point) {
	if s.marker.Name == "" {
		return
	}
	path := s.marker.path(at, s.of.pt(markerRadius))
	c.SetColor(s.of.Paper)
	if s.marker.Filled {
		c.SetColor(s.colour)
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: s.colour, Width: s.of.pt(0.9)})
	c.Stroke(path)
}

// path returns the symbol's outline. Polygons have a larger radius, to look as large as the circle.
func (m marker) path(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	if m.Corners == 0 {
		p.Move(vg.Point{X: at.X + radius, Y: at.Y})
		p.Arc(at, radius, 0, 2*math.Pi)
		p.Close()
		return p
	}
	radius *= 1.25
	for i := range m.Corners {
		sin, cos := math.Sincos(m.Turn + 2*math.Pi*float64(i)/float64(m.Corners))
		corner := vg.Point{X: at.X + radius*vg.Length(cos), Y: at.Y + radius*vg.Length(sin)}
		if i == 0 {
			p.Move(corner)
		} else {
			p.Line(corner)
		}
	}
	p.Close()
	return p
}

// drawCross marks where a curve diverged.
func (t *theme) drawCross(c draw.Canvas, colour color.Color, at vg.Point) {
	r := t.pt(crossRadius) / math.Sqrt2
	sty := draw.LineStyle{Color: colour, Width: t.pt(1.8)}
	c.StrokeLine2(sty, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(sty, at.X-r, at.Y+r, at.X+r, at.Y-r)
}

// drawMark draws a published value: a ring with a bar from low to high.
func (t *theme) drawMark(c draw.Canvas, colour color.Color, at vg.Point, low, high vg.Length) {
	sty := draw.LineStyle{Color: colour, Width: t.pt(1.1)}
	c.StrokeLine2(sty, at.X, low, at.X, high)
	ring := marker{}.path(at, t.pt(markRadius))
	c.SetLineStyle(sty)
	c.Stroke(ring)
}

// corners returns the corners of a rectangle in order.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}
