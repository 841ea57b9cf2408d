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
	width, height vg.Length // of the figure; height is zero if the content chooses it
	scale         vg.Length // of texts, lines and gaps
	titled        bool
	legend        string

	colours [figures.ColourCount]color.NRGBA // of curves
	ground, ink, grid, dots, guide,
	noData color.NRGBA // cells of a heat map that are not finite
}

// themeOf returns the theme of a style.
func themeOf(s figures.Style) *theme {
	t := theme{
		titled: true, legend: s.Legend, colours: curveColours,
		ground: grey(0xFF), ink: grey(0x20), grid: grey(0xE4), dots: grey(0xA8), guide: grey(0x70), noData: grey(0xB8),
	}
	width, font := 19.6, standardFont
	switch s.Name {
	case figures.StylePaper:
		width, font, t.titled = 8.4, 8, false
	case figures.StyleSlides:
		width, font = 25.4, 18
		if s.Height == 0 {
			s.Height = width * 9 / 16
			if s.Width > 0 {
				s.Height = s.Width * 9 / 16
			}
		}
	case figures.StyleDark:
		t.colours = darkColours
		t.ground, t.ink, t.grid, t.dots, t.guide, t.noData = grey(0x18), grey(0xE6), grey(0x3A), grey(0x80), grey(0xA0), grey(0x60)
	}
	if s.Width > 0 {
		width = s.Width
	}
	if s.Font > 0 {
		font = s.Font
	}
	t.width, t.height = vg.Length(width)*vg.Centimeter, vg.Length(s.Height)*vg.Centimeter
	t.scale = vg.Length(font / standardFont)
	return &t
}

// nightColours returns the colours of the style dark by those of the report's that they take the places of.
var nightColours = sync.OnceValue(func() map[color.NRGBA]color.NRGBA {
	day, night := themeOf(figures.Style{}), themeOf(figures.Style{Name: figures.StyleDark})
	at := map[color.NRGBA]color.NRGBA{
		day.ground: night.ground, day.ink: night.ink, day.grid: night.grid, day.dots: night.dots, day.guide: night.guide, day.noData: night.noData,
	}
	for i, c := range day.colours {
		at[c], at[day.faint(c)] = night.colours[i], night.faint(night.colours[i])
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

// curveColours are the colours of Okabe and Ito that are visible on white, which readers with any of the common colour vision
// deficiencies can tell apart, and four more for figures of more than seven methods.
var curveColours = [figures.ColourCount]color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x00, 0x00, 0x00, 0xFF}, // black
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0x8C, 0x51, 0x0A, 0xFF}, // brown
	{0x5E, 0x3C, 0x99, 0xFF}, // violet
	{0x70, 0x75, 0x00, 0xFF}, // olive
	{0xB0, 0x00, 0x52, 0xFF}, // crimson
}

// darkColours take the places of curveColours on a dark ground. They are of Paul Tol's light scheme, with white for black.
var darkColours = [figures.ColourCount]color.NRGBA{
	{0x77, 0xAA, 0xDD, 0xFF}, // light blue
	{0xEE, 0x88, 0x66, 0xFF}, // orange
	{0x44, 0xBB, 0x99, 0xFF}, // mint
	{0xFF, 0xAA, 0xBB, 0xFF}, // pink
	{0xEE, 0xDD, 0x88, 0xFF}, // light yellow
	{0xFF, 0xFF, 0xFF, 0xFF}, // white
	{0x99, 0xDD, 0xFF, 0xFF}, // light cyan
	{0xD2, 0xA6, 0x79, 0xFF}, // tan
	{0xB9, 0xA3, 0xE3, 0xFF}, // lavender
	{0xC3, 0xC9, 0x5C, 0xFF}, // light olive
	{0xF0, 0x78, 0xAE, 0xFF}, // rose
}

// faint returns a colour mixed with the ground.
func (t *theme) faint(c color.NRGBA) color.NRGBA {
	const share = 0.6 // of the colour
	mix := func(v, ground uint8) uint8 { return uint8(math.Round(share*float64(v) + (1-share)*float64(ground))) }
	return color.NRGBA{mix(c.R, t.ground.R), mix(c.G, t.ground.G), mix(c.B, t.ground.B), c.A}
}

const bandAlpha = 0x30

// curveDashes are patterns of dash and gap, in units of a line's width at the standard size; the first is solid.
var curveDashes = [][]vg.Length{
	nil,
	{6, 2.5},
	{1.8, 1.8},
	{7, 2, 1.8, 2},
	{10, 3},
	{4, 1.8, 1.2, 1.8, 1.2, 1.8},
}

var guideDashes = [][]vg.Length{{5, 3}, {1.5, 2.5}, {8, 2, 1.5, 2}}

// A marker is a symbol on a curve.
type marker struct {
	name    string  // in words
	corners int     // of a regular polygon; zero is a circle
	turn    float64 // of its first corner, in radians
	filled  bool
}

var curveMarkers = []marker{
	{"disc", 0, 0, true},
	{"open square", 4, math.Pi / 4, false},
	{"triangle", 3, math.Pi / 2, true},
	{"open diamond", 4, 0, false},
	{"circle", 0, 0, false},
	{"triangle down", 3, -math.Pi / 2, true},
	{"square", 4, math.Pi / 4, true},
	{"open triangle", 3, math.Pi / 2, false},
}

// A curveStyle is the look of a curve on one ground.
type curveStyle struct {
	colour color.NRGBA
	dashes []vg.Length
	marker marker
	of     *theme
}

// styleOf returns the style with the given number on the theme's ground.
func (t *theme) styleOf(i int) curveStyle {
	if i == figures.TruthStyle {
		return curveStyle{colour: t.ink, dashes: t.scaled(4, 2), of: t}
	}
	colour, variant := figures.ColourOf(i), i/figures.ColourCount
	return curveStyle{
		colour: t.colours[colour],
		dashes: t.scaled(curveDashes[(colour+variant)%len(curveDashes)]...),
		marker: curveMarkers[(colour+3*variant)%len(curveMarkers)],
		of:     t,
	}
}

// lookOf returns the style of a line. A line of another run is fainter and dotted, and only single points have markers.
func (t *theme) lookOf(l figures.Line) curveStyle {
	s := t.styleOf(l.Style)
	if !l.Beside {
		return s
	}
	s.colour, s.dashes = t.faint(s.colour), t.scaled(1.2, 2.2)
	if !l.Points && !l.Level {
		s.marker = marker{}
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
	if s.marker.name == "" {
		return
	}
	path := s.marker.path(at, s.of.pt(markerRadius))
	c.SetColor(s.of.ground)
	if s.marker.filled {
		c.SetColor(s.colour)
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: s.colour, Width: s.of.pt(0.9)})
	c.Stroke(path)
}

// path returns the symbol's outline. Polygons have a larger radius, to look as large as the circle.
func (m marker) path(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	if m.corners == 0 {
		p.Move(vg.Point{X: at.X + radius, Y: at.Y})
		p.Arc(at, radius, 0, 2*math.Pi)
		p.Close()
		return p
	}
	radius *= 1.25
	for i := range m.corners {
		sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(i)/float64(m.corners))
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
