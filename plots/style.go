package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes, in points.
const (
	titleSize  = 10.5
	labelSize  = 9.5
	tickSize   = 8.5
	legendSize = 8.5

	lineWidth    = 1.3
	thinWidth    = 0.5
	guideWidth   = 1.0
	markerRadius = 2.6
	markRadius   = 4.0
	crossRadius  = 4.5
	dotRadius    = 1.1
)

// curveColours are the colours of Okabe and Ito that are visible on white. Readers with any of the common colour vision
// deficiencies can tell them apart.
var curveColours = []color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x00, 0x00, 0x00, 0xFF}, // black
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
}

var (
	ink       = color.NRGBA{0x20, 0x20, 0x20, 0xFF}
	gridGrey  = color.NRGBA{0xE4, 0xE4, 0xE4, 0xFF}
	dotGrey   = color.NRGBA{0xA8, 0xA8, 0xA8, 0xFF}
	guideGrey = color.NRGBA{0x70, 0x70, 0x70, 0xFF}
	noData    = color.NRGBA{0xB8, 0xB8, 0xB8, 0xFF} // cells of a heat map that are not finite
)

const bandAlpha = 0x30

// curveDashes are patterns of dash and gap, in points; the first is solid.
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
	corners int     // of a regular polygon; zero is a circle
	turn    float64 // of its first corner, in radians
	filled  bool
}

var curveMarkers = []marker{
	{0, 0, true},
	{4, math.Pi / 4, false},
	{3, math.Pi / 2, true},
	{4, 0, false},
	{0, 0, false},
	{3, -math.Pi / 2, true},
	{4, math.Pi / 4, true},
	{3, math.Pi / 2, false},
}

// A curveStyle is the look of a curve. Curves differ without colour too.
type curveStyle struct {
	colour color.NRGBA
	dashes []vg.Length
	marker marker
}

// styleOf returns the look of the i-th curve. If a colour repeats, dash and marker differ.
func styleOf(i int) curveStyle {
	round := i / len(curveColours)
	return curveStyle{
		colour: curveColours[i%len(curveColours)],
		dashes: curveDashes[(i+round)%len(curveDashes)],
		marker: curveMarkers[(i+round)%len(curveMarkers)],
	}
}

// line returns how the curve is stroked.
func (s curveStyle) line() draw.LineStyle {
	return draw.LineStyle{Color: s.colour, Width: lineWidth, Dashes: s.dashes}
}

// band returns the colour of the curve's band.
func (s curveStyle) band() color.NRGBA {
	c := s.colour
	c.A = bandAlpha
	return c
}

// draw draws the symbol at a point. Open symbols are white inside, so that the curve does not show through.
func (m marker) draw(c draw.Canvas, colour color.Color, at vg.Point) {
	path := m.path(at, markerRadius)
	c.SetColor(color.White)
	if m.filled {
		c.SetColor(colour)
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: colour, Width: 0.9})
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
func drawCross(c draw.Canvas, colour color.Color, at vg.Point) {
	r := vg.Length(crossRadius) / math.Sqrt2
	sty := draw.LineStyle{Color: colour, Width: 1.8}
	c.StrokeLine2(sty, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(sty, at.X-r, at.Y+r, at.X+r, at.Y-r)
}

// drawMark draws a published value: a ring with a bar from low to high.
func drawMark(c draw.Canvas, colour color.Color, at vg.Point, low, high vg.Length) {
	sty := draw.LineStyle{Color: colour, Width: 1.1}
	c.StrokeLine2(sty, at.X, low, at.X, high)
	ring := marker{}.path(at, markRadius)
	c.SetLineStyle(sty)
	c.Stroke(ring)
}
