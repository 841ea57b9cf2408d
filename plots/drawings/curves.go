package drawings

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

const (
	markersWanted = 7 // on a curve with more than markersAll points; others have a marker at every point
	markersAll    = 10
	markersMeshes = 30 // the same, of a mesh study
)

// curvesDrawing is a panel of curves with its layout.
type curvesDrawing struct {
	figures.Layout
	o *outlines
	arrangement
	orders *curvesDrawing // below the panel, without a legend of its own; nil for none
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
	if m.Orders != nil {
		d.orders = &curvesDrawing{Layout: figures.Layout{Curves: m.Orders, XR: d.XR}, o: o}
		if d.orders.YR, err = d.orders.RangeY(); err != nil {
			return nil, err
		}
	}
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

// Measures of labels at the ends of curves, in points.
const (
	leaderWidth = 12
	endSwatch   = 18
)

// Measures by which the place of labels is chosen, most as shares of the room for a figure.
const (
	widestLabels = 0.36 // of the width, beside the panel
	leastPanel   = 0.58 // of the width, beside labels
	mostShift    = 0.30 // of the panel's height, between the end of a curve and its label
	latestEnd    = 0.85 // of the range of x: curves that end before have no label at their end
	mostLegend   = 0.4  // of the height of the room, below the panel
	ordersHeight = 0.5  // of the height of the room, of the panel of orders
)

// arrange puts the labels at the ends of the curves or, if they do not fit there, in a legend below the panel.
func (d *curvesDrawing) arrange(width vg.Length) arrangement {
	all := d.entries()
	room := vg.Point{X: width, Y: 0.5 * width}
	if narrow := width < d.o.pt(400); narrow { // as a column of a paper
		room.Y = 0.66 * width
	}
	if a, ok := d.withEnds(all, room); ok {
		return a
	}
	a := arrangement{}
	d.plotAbove(&a, all, room, width)
	return a
}

// plotAbove gives an arrangement a legend of entries in columns, if there are any, and above it the plot of a width.
func (d *curvesDrawing) plotAbove(a *arrangement, entries []entry, room vg.Point, width vg.Length) {
	a.whole, a.panel = room, vg.Point{X: width, Y: room.Y}
	if len(entries) > 0 {
		a.legend = newLowLegend(entries, d.o, room.X, mostLegend*room.Y)
		_, h := a.legend.size()
		a.whole.Y += h + d.o.pt(legendGap)
	}
	x, lower := d.X, d.orders
	if lower != nil {
		x.Label = ""
		lower.panel = vg.Point{X: width, Y: ordersHeight * room.Y}
		lower.plot = d.o.newPlot(d.X, lower.Y, d.XR, lower.YR, lower.panel, tickSize)
		lower.plot.Add(lower)
		a.whole.Y += lower.panel.Y
	}
	a.plot = d.o.newPlot(x, d.Y, d.XR, d.YR, a.panel, tickSize)
	a.plot.Add(d)
	if lower != nil { // the data areas begin at one place
		more := lower.data().Min.X - a.data().Min.X
		a.plot.Y.Label.Padding += max(0, more)
		lower.plot.Y.Label.Padding += max(0, -more)
	}
}

// withEnds puts the labels of lines at the ends of the lines, and the other entries below the panel. It reports whether the
// labels fit without overlapping.
func (d *curvesDrawing) withEnds(all []entry, room vg.Point) (arrangement, bool) {
	o := d.o
	sty := o.style(legendSize, text.XLeft, text.YCenter)
	side := o.pt(leaderWidth + endSwatch + swatchGap)
	var ends []endLabel
	var rest []entry
	var widest vg.Length
	for _, e := range all {
		if e.end == nil || !e.end.clear {
			rest = append(rest, e)
			continue
		}
		if e.end.at.X < d.XR.Lo+latestEnd*d.XR.Length() {
			return arrangement{}, false
		}
		e.label = o.wrap(e.label, legendSize, widestLabels*room.X-side)
		ends = append(ends, endLabel{entry: e, height: sty.Height(e.label), style: sty})
		widest = max(widest, sty.Width(e.label))
	}
	if len(ends) == 0 || len(rest) > len(ends) {
		return arrangement{}, false
	}
	a := arrangement{}
	d.plotAbove(&a, rest, room, room.X-side-widest)
	data := a.data()
	low, high := data.Min.Y, data.Max.Y
	var total vg.Length
	for i := range ends {
		e := &ends[i]
		e.y = (high - low) * vg.Length((e.end.at.Y-d.YR.Lo)/d.YR.Length())
		total += e.height
	}
	slices.SortStableFunc(ends, func(p, q endLabel) int { return cmp.Compare(p.y, q.y) })
	shift := separate(ends, 0, high-low, o.pt(1))
	a.ends = ends
	return a, a.panel.X >= leastPanel*room.X && total <= high-low && shift <= mostShift*a.panel.Y
}

// separate moves labels, sorted by height, as little as necessary so that they do not overlap, keep the given gap, and their
// centres stay between low and high. It returns the largest shift.
func separate(labels []endLabel, low, high, gap vg.Length) vg.Length {
	type block struct {
		from, to   int // the labels
		y          vg.Length
		sum, size  vg.Length // of the places wanted for the block's lower edge, and the block's height
		labelCount vg.Length
	}
	var blocks []block
	for i, l := range labels {
		b := block{from: i, to: i + 1, sum: l.y - l.height/2, size: l.height + gap, labelCount: 1}
		for {
			b.y = max(low, min(b.sum/b.labelCount, high-b.size+gap))
			k := len(blocks) - 1
			if k < 0 || blocks[k].y+blocks[k].size <= b.y {
				break
			}
			last := blocks[k]
			blocks = blocks[:k]
			b = block{
				from: last.from, to: b.to, labelCount: last.labelCount + b.labelCount,
				sum: last.sum + b.sum - b.labelCount*last.size, size: last.size + b.size,
			}
		}
		blocks = append(blocks, b)
	}
	var most vg.Length
	for _, b := range blocks {
		y := b.y
		for i := b.from; i < b.to; i++ {
			l := &labels[i]
			at := y + l.height/2
			most = max(most, at-l.y, l.y-at)
			l.y = at
			y += l.height + gap
		}
	}
	return most
}

// drawEnds draws the labels at the ends of curves, each joined to its end by a thin line in the curve's colour.
func (d *curvesDrawing) drawEnds(data draw.Canvas) {
	o := d.o
	for _, e := range d.ends {
		from := data.Min.Add(d.on(data.Size(), e.end.at))
		edge := vg.Point{X: data.Max.X + o.pt(1), Y: from.Y}
		to := vg.Point{X: data.Max.X + o.pt(leaderWidth), Y: data.Min.Y + e.y}
		data.StrokeLines(draw.LineStyle{Color: e.end.colour, Width: o.pt(thinWidth)}, []vg.Point{from, edge, to})
		box := vg.Rectangle{
			Min: vg.Point{X: to.X, Y: to.Y - e.style.Height("x")/2},
			Max: vg.Point{X: to.X + o.pt(endSwatch), Y: to.Y + e.style.Height("x")/2},
		}
		e.swatch(draw.Canvas{Canvas: data.Canvas, Rectangle: box})
		sty := e.style
		sty.YAlign = text.YTop
		fillText(data, sty, vg.Point{X: box.Max.X + o.pt(swatchGap), Y: to.Y + e.height/2}, e.label)
	}
}
