package drawings

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

const (
	markersWanted = 7 // on a curve with more than markersAll points; others have a marker at every point
	markersAll    = 10
)

// curvesDrawing is a panel of curves with its layout.
type curvesDrawing struct {
	figures.Layout
	o *outlines
	arrangement
}

// layOutCurves finds the ranges of the axes, places the guides and arranges the panel and the legend in a width.
func layOutCurves(m *figures.Curves, o *outlines, room vg.Length) (drawing, error) {
	for _, l := range m.Lines {
		if len(l.Y) != len(l.X) || (l.Low != nil && (len(l.Low) != len(l.X) || len(l.High) != len(l.X))) {
			panic(fmt.Sprintf("plots: line %q has %d x, %d y, %d low and %d high", l.Label, len(l.X), len(l.Y), len(l.Low), len(l.High)))
		}
	}
	if m.Dots != nil && len(m.Dots.X) != len(m.Dots.Y) {
		panic(fmt.Sprintf("plots: %d dots have %d y", len(m.Dots.X), len(m.Dots.Y)))
	}
	d := &curvesDrawing{Layout: figures.Layout{Curves: m}, o: o}
	var err error
	if d.XR, err = d.RangeX(); err != nil {
		return nil, err
	}
	if d.YR, err = d.RangeY(); err != nil {
		return nil, err
	}
	d.PlaceGuides()
	d.arrangement = d.arrange(room)
	return d, nil
}

type vertex = figures.Vertex

func vertexAt(x, y float64) vertex { return vertex{X: x, Y: y} }

func (d *curvesDrawing) size() (w, h vg.Length) { return d.whole.X, d.whole.Y }

// stretches splits a line where it breaks, as ranges of indices.
func stretches(points []vertex) [][2]int {
	var out [][2]int
	for i := 0; i < len(points); i++ {
		from := i
		for i < len(points) && points[i].Known() {
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
	return v.Known() && d.XR.Holds(v.X) && d.YR.Holds(v.Y)
}

// on returns where a vertex lies on a data area of the given size, from its lower left corner.
func (d *curvesDrawing) on(size vg.Point, v vertex) vg.Point {
	return vg.Point{X: size.X * vg.Length((v.X-d.XR.Lo)/d.XR.Length()), Y: size.Y * vg.Length((v.Y-d.YR.Lo)/d.YR.Length())}
}

// last returns the last point of a line in the frame. seen is false if no part of the line can be seen.
func (d *curvesDrawing) last(l figures.Line) (end vertex, seen bool) {
	vs := d.Vertices(l)
	for i, v := range vs {
		if d.holds(v) {
			end, seen = v, true
		}
		if i == 0 || !v.Known() || !vs[i-1].Known() || d.holds(v) {
			continue
		}
		const parts = 64
		for k := range parts { // the line may leave the frame, or cross it, between two points
			f := float64(k) / parts
			between := vertexAt(vs[i-1].X+f*(v.X-vs[i-1].X), vs[i-1].Y+f*(v.Y-vs[i-1].Y))
			if d.holds(between) {
				end, seen = between, true
			}
		}
	}
	return end, seen
}

// An arrangement says where the panel and the legend are.
type arrangement struct {
	whole  vg.Point // size of both
	panel  vg.Point // size of the panel with its axes, in the upper left corner
	plot   *plot.Plot
	legend legend // below the panel
	ends   []endLabel
}

// An endLabel is a label beside the end of a curve. y is the height of its centre above the data area's lower edge.
type endLabel struct {
	entry
	y, height vg.Length
	style     text.Style
}

// data returns the data area of the panel, whose lower left corner is the origin.
func (a arrangement) data() draw.Canvas {
	return a.plot.DataCanvas(draw.NewCanvas(nil, a.panel.X, a.panel.Y))
}
