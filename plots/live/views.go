package live

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"repro/plots/figures"
)

// A View is an axis as a panel shows it.
type View struct {
	Range [2]float64     `json:"range"` // in drawing coordinates
	Marks []figures.Tick `json:"marks"` // with a label
	Minor Digits         `json:"minor,omitempty"`
}

// axisViews are the views of both axes, linear and logarithmic; nil if nothing has a place on an axis.
type axisViews struct{ X, Y [2]*View }

// Room for labels at the axes of a live figure. The script leaves out labels that touch on a narrow page.
const RoomX, RoomY = 12, 15

// ViewsOf lays the axes of a live figure out, and its guides if the vertical axis of the figure is logarithmic.
func ViewsOf(c *figures.Curves) (v axisViews, guides [][2]Digits) {
	for i, log := range []bool{false, true} {
		d := figures.Layout{Curves: &figures.Curves{X: c.X, Y: c.Y, Lines: c.Lines, Dots: c.Dots, Marks: c.Marks, Guides: c.Guides}}
		d.X.Log, d.Y.Log = log, log
		var errX, errY error
		if d.XR, errX = d.RangeX(); errX == nil {
			v.X[i] = viewOf(d.X, d.XR, RoomX)
		}
		if d.YR, errY = d.RangeY(); errY != nil {
			continue
		}
		if errX == nil && c.Y.Log && log {
			d.X.Log = c.X.Log
			d.XR, _ = d.RangeX()
			d.PlaceGuides()
			for _, g := range d.GuideLines {
				guides = append(guides, [2]Digits{{g[0].X, g[0].Y}, {g[1].X, g[1].Y}})
			}
		}
		v.Y[i] = viewOf(d.Y, d.YR, RoomY)
	}
	return v, guides
}

// viewOf returns an axis over a range.
func viewOf(a figures.Axis, r figures.Interval, room int) *View {
	v := &View{Range: [2]float64{Rounded(r.Lo, 6), Rounded(r.Hi, 6)}}
	for _, t := range a.Ticks(r.Lo, r.Hi, room) {
		if t.Label == "" {
			v.Minor = append(v.Minor, Rounded(t.At, 4))
		} else {
			v.Marks = append(v.Marks, figures.Tick{At: Rounded(t.At, 6), Label: t.Label})
		}
	}
	return v
}

// Digits are numbers with six significant digits: NaN is null, and an infinite number is one that overflows.
type Digits []float64

// MarshalJSON implements json.Marshaler.
func (d Digits) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range d {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case math.IsNaN(v):
			b.WriteString("null")
		case math.IsInf(v, 0):
			b.WriteString(map[bool]string{true: "1e999", false: "-1e999"}[v > 0])
		default:
			b.WriteString(strconv.FormatFloat(Rounded(v, 6), 'g', -1, 64))
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// Rounded returns a number with the given number of significant digits.
func Rounded(v float64, significant int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', significant, 64), 64) // what FormatFloat writes is a number
	return r
}

// A LineLook is how a line looks on a page: numbers are in points, and angles in radians.
type LineLook struct {
	Colour  string  `json:"colour"`
	Night   string  `json:"night"` // colour on a dark background
	Dashes  Digits  `json:"dashes,omitempty"`
	Corners int     `json:"corners"`
	Turn    float64 `json:"turn,omitempty"`
	Filled  bool    `json:"filled,omitempty"`
	Bare    bool    `json:"bare,omitempty"` // without a marker
}

// LineLookOf returns the look of a line in the report.
func LineLookOf(l figures.Line) LineLook {
	day, night := figures.Light.LookOf(l), figures.Dark.LookOf(l)
	return LineLook{
		Colour: code(day.Colour), Night: code(night.Colour), Dashes: day.Dashes,
		Corners: day.Marker.Corners, Turn: Rounded(day.Marker.Turn, 6), Filled: day.Marker.Filled, Bare: day.Marker.Name == "",
	}
}

// code writes an opaque colour.
func code(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
