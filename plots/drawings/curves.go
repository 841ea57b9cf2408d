package drawings

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

const (
	padRug        = 0.12       // padY where rows of classes stand at the edges
	padX, padY    = 0.02, 0.05 // room between the data and the frame, as a fraction of the range
	markersWanted = 7          // on a curve with more than markersAll points; others have a marker at every point
	markersAll    = 10
	guideFrom     = 0.3  // guides start at this fraction of the range of x
	guideApart    = 0.05 // distance between the data and a guide, as a fraction of the range of y
)

// curvesDrawing is a panel of curves with its layout.
type curvesDrawing struct {
	*figures.Curves
	o        *outlines
	xr, yr   figures.Interval // ranges shown, in drawing coordinates: decimal logarithms on a logarithmic axis
	guides   [][2]vertex
	unlisted bool           // guides are not in the legend
	ratio    *curvesDrawing // below it; nil for none
	arrangement
}

// A vertex is a point in drawing coordinates.
type vertex struct{ x, y float64 }

func (d *curvesDrawing) size() (w, h vg.Length) { return d.whole.X, d.whole.Y }

// vertices returns the points of a line in drawing coordinates, NaN where they have no place.
func (d *curvesDrawing) vertices(l figures.Line) []vertex {
	out := make([]vertex, len(l.X))
	for i := range l.X {
		out[i] = vertex{d.X.At(l.X[i]), d.Y.At(l.Y[i])}
	}
	return out
}

// known says whether a vertex has a place.
func (v vertex) known() bool { return !math.IsNaN(v.x) && !math.IsNaN(v.y) }

// stretches splits a line where it breaks, as ranges of indices.
func stretches(points []vertex) [][2]int {
	var out [][2]int
	for i := 0; i < len(points); i++ {
		from := i
		for i < len(points) && points[i].known() {
			i++
		}
		if i > from {
			out = append(out, [2]int{from, i})
		}
	}
	return out
}

// holds reports whether a vertex lies in the frame.
func (d *curvesDrawing) holds(v vertex) bool {
	return v.known() && d.xr.Holds(v.x) && d.yr.Holds(v.y)
}

// on returns where a vertex lies on a data area of the given size, from its lower left corner.
func (d *curvesDrawing) on(size vg.Point, v vertex) vg.Point {
	return vg.Point{X: size.X * vg.Length((v.x-d.xr.Lo)/d.xr.Length()), Y: size.Y * vg.Length((v.y-d.yr.Lo)/d.yr.Length())}
}

// last returns the last point of a line in the frame. seen is false if no part of the line can be seen.
func (d *curvesDrawing) last(l figures.Line) (end vertex, seen bool) {
	vs := d.vertices(l)
	for i, v := range vs {
		if d.holds(v) {
			end, seen = v, true
		}
		if i == 0 || !v.known() || !vs[i-1].known() || d.holds(v) {
			continue
		}
		const parts = 64
		for k := range parts { // the line may leave the frame, or cross it, between two points
			f := float64(k) / parts
			between := vertex{vs[i-1].x + f*(v.x-vs[i-1].x), vs[i-1].y + f*(v.y-vs[i-1].y)}
			if d.holds(between) {
				end, seen = between, true
			}
		}
	}
	return end, seen
}

// An arrangement says where the panel and the legend are.
type arrangement struct {
	whole  vg.Point  // size of both
	panel  vg.Point  // size of the panel with its axes and that of ratios below it, in the upper left corner
	under  vg.Length // height of the panel of ratios
	ratios *plot.Plot
	plot   *plot.Plot
	place  string // of the legend
	legend legend
	ends   []endLabel
	inside vg.Point // lower left corner of a legend inside, from the data area's

	guideLabels []guideLabel
}

// An endLabel is a label beside the end of a curve. y is the height of its centre above the data area's lower edge.
type endLabel struct {
	entry
	y, height vg.Length
	style     text.Style
}

// data returns the data area of the panel, whose lower left corner is the origin.
func (a arrangement) data() draw.Canvas {
	return a.plot.DataCanvas(draw.NewCanvas(nil, a.panel.X, a.panel.Y-a.under))
}

// A guideLabel is a label beside a guide. corner is its lower left one, from the data area's.
type guideLabel struct {
	text   string
	corner vg.Point
	style  text.Style
}
