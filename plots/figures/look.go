package figures

import (
	"image/color"
	"math"
)

// A Ground is what curves are drawn on.
type Ground struct {
	Paper, Ink color.NRGBA
	Colours    [ColourCount]color.NRGBA // of curves
}

// Light is the report's ground, and Dark that of dark screens.
var (
	Light = Ground{grey(0xFF), grey(0x20), lightColours}
	Dark  = Ground{grey(0x18), grey(0xE6), darkColours}
)

func grey(level uint8) color.NRGBA { return color.NRGBA{level, level, level, 0xFF} }

// lightColours are the colours of Okabe and Ito that are visible on white, which readers with any of the common colour vision
// deficiencies can tell apart, and four more for figures of more than seven methods.
var lightColours = [ColourCount]color.NRGBA{
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

// darkColours take the places of lightColours on a dark ground. They are of Paul Tol's light scheme, with white for black.
var darkColours = [ColourCount]color.NRGBA{
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

// Faint returns a colour mixed with the paper.
func (g *Ground) Faint(c color.NRGBA) color.NRGBA {
	const share = 0.6 // of the colour
	mix := func(v, ground uint8) uint8 { return uint8(math.Round(share*float64(v) + (1-share)*float64(ground))) }
	return color.NRGBA{mix(c.R, g.Paper.R), mix(c.G, g.Paper.G), mix(c.B, g.Paper.B), c.A}
}

// dashes are patterns of dash and gap, in units of a line's width at the standard size; the first is solid.
var dashes = [][]float64{
	nil,
	{6, 2.5},
	{1.8, 1.8},
	{7, 2, 1.8, 2},
	{10, 3},
	{4, 1.8, 1.2, 1.8, 1.2, 1.8},
}

// A Marker is a symbol on a curve.
type Marker struct {
	Name    string  // in words
	Corners int     // of a regular polygon; zero is a circle
	Turn    float64 // of its first corner, in radians
	Filled  bool
}

var markers = []Marker{
	{"disc", 0, 0, true},
	{"open square", 4, math.Pi / 4, false},
	{"triangle", 3, math.Pi / 2, true},
	{"open diamond", 4, 0, false},
	{"circle", 0, 0, false},
	{"triangle down", 3, -math.Pi / 2, true},
	{"square", 4, math.Pi / 4, true},
	{"open triangle", 3, math.Pi / 2, false},
}

// A Look is how a curve is drawn on one ground.
type Look struct {
	Colour color.NRGBA
	Dashes []float64 // of dash and gap, in points at the standard size
	Marker Marker    // without a name, there is none
}

// LookOfStyle returns the look of the style with the given number.
func (g *Ground) LookOfStyle(i int) Look {
	if i == TruthStyle {
		return Look{Colour: g.Ink, Dashes: []float64{4, 2}}
	}
	colour, variant := ColourOf(i), i/ColourCount
	return Look{g.Colours[colour], dashes[(colour+variant)%len(dashes)], markers[(colour+3*variant)%len(markers)]}
}

// LookOf returns the look of a line. A line of another run is fainter and dotted, and only a level has a marker.
func (g *Ground) LookOf(l Line) Look {
	look := g.LookOfStyle(l.Style)
	if !l.Beside {
		return look
	}
	look.Colour, look.Dashes = g.Faint(look.Colour), []float64{1.2, 2.2}
	if !l.Level {
		look.Marker = Marker{}
	}
	return look
}
