package drawings

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

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
