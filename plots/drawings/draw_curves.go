package drawings

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

func (d *curvesDrawing) draw(c draw.Canvas) {
	at := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: c.Min.X, Y: c.Max.Y - d.panel.Y},
		Max: vg.Point{X: c.Min.X + d.panel.X, Y: c.Max.Y},
	}}
	d.plot.Draw(at)
	d.drawEnds(d.plot.DataCanvas(at))
	if lower := d.orders; lower != nil {
		at.Min.Y, at.Max.Y = at.Min.Y-lower.panel.Y, at.Min.Y
		lower.plot.Draw(at)
	}
	d.legend.draw(c, vg.Point{X: c.Min.X, Y: at.Min.Y - d.o.pt(legendGap)})
}

// near returns a place on an axis of length 1 that is not so far away that clipping would compute with infinities.
func near(v float64) float64 { return max(-1e9, min(v, 1e9)) }

// Plot implements plot.Plotter: it draws everything inside the axes, from back to front.
func (d *curvesDrawing) Plot(c draw.Canvas, p *plot.Plot) {
	place := func(v vertex) vg.Point {
		return vg.Point{X: c.X(near(p.X.Norm(v.X))), Y: c.Y(near(p.Y.Norm(v.Y)))}
	}
	d.drawGrid(c, p)
	d.drawDots(c, place)
	for _, l := range d.Lines {
		d.drawBand(c, place, l)
	}
	for _, m := range d.Marks {
		d.drawPublished(c, place, m)
	}
	for i, g := range d.GuideLines {
		if d.Guides[i].Triangle {
			d.drawTriangle(c, place, g, d.Guides[i].Label)
		} else {
			c.StrokeLines(d.guideStyle(i), c.ClipLinesXY([]vg.Point{place(g[0]), place(g[1])})...)
		}
	}
	for _, beside := range []bool{true, false} { // ours above
		for _, l := range d.Lines {
			if l.Beside == beside {
				d.strokeLine(c, place, l, d.o.lookOf(l).line())
			}
		}
	}
	for _, l := range d.Lines {
		d.drawSymbols(c, place, l)
	}
}

// drawGrid draws a thin line at every labelled tick. The grid of gonum/plot leaves out lines that rounding puts beyond an edge.
func (d *curvesDrawing) drawGrid(c draw.Canvas, p *plot.Plot) {
	sty := draw.LineStyle{Color: d.o.grid, Width: d.o.pt(thinWidth)}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if x := c.X(p.X.Norm(t.Value)); !t.IsMinor() && c.ContainsX(x) {
			c.StrokeLine2(sty, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := c.Y(p.Y.Norm(t.Value)); !t.IsMinor() && c.ContainsY(y) {
			c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
		}
	}
}

// drawDots puts a small disc at every point inside the frame, or a stroke at an edge for a row of a class.
func (d *curvesDrawing) drawDots(c draw.Canvas, place func(vertex) vg.Point) {
	if d.Dots == nil {
		return
	}
	c.SetColor(d.o.dots)
	for i, x := range d.Dots.X {
		v := vertexAt(d.X.At(x), d.Y.At(d.Dots.Y[i]))
		switch {
		case d.Dots.Classes != nil && d.XR.Holds(v.X):
			at := place(vertexAt(v.X, d.YR.Lo))
			edge, tip := c.Min.Y, c.Min.Y+d.o.pt(rugHeight)
			if d.Dots.Y[i] > 0 {
				edge, tip = c.Max.Y, c.Max.Y-d.o.pt(rugHeight)
			}
			c.StrokeLine2(d.rugStyle(), at.X, edge, at.X, tip)
		case d.Dots.Classes == nil && v.Known() && d.XR.Holds(v.X) && d.YR.Holds(v.Y):
			c.Fill(marker{}.path(place(v), d.o.pt(dotRadius)))
		}
	}
}

const rugHeight = 7 // of the stroke for a row of a class, in points

func (d *curvesDrawing) rugStyle() draw.LineStyle {
	return draw.LineStyle{Color: d.o.dots, Width: d.o.pt(thinWidth)}
}

// strokeLine strokes a curve, broken where it has no value.
func (d *curvesDrawing) strokeLine(c draw.Canvas, place func(vertex) vg.Point, l figures.Line, sty draw.LineStyle) {
	points := d.Vertices(l)
	for _, s := range stretches(points) {
		var path []vg.Point
		for _, v := range points[s[0]:s[1]] {
			path = append(path, place(v))
		}
		c.StrokeLines(sty, c.ClipLinesXY(path)...)
	}
}

// drawBand fills the band of a curve; a stretch of one point gets a bar. A bound without a place on
// the axis lies beyond its lower end, or the upper one if it is infinite.
func (d *curvesDrawing) drawBand(c draw.Canvas, place func(vertex) vg.Point, l figures.Line) {
	if !l.Banded() {
		return
	}
	bound := func(v float64) float64 {
		at := d.Y.At(v)
		switch {
		case math.IsInf(v, 1):
			return d.YR.Hi + d.YR.Length()
		case math.IsNaN(at):
			return d.YR.Lo - d.YR.Length()
		}
		return at
	}
	points := d.Vertices(l)
	for _, s := range stretches(points) {
		var polygon []vg.Point
		for i := s[0]; i < s[1]; i++ {
			polygon = append(polygon, place(vertexAt(points[i].X, bound(l.High[i]))))
		}
		for i := s[1] - 1; i >= s[0]; i-- {
			polygon = append(polygon, place(vertexAt(points[i].X, bound(l.Low[i]))))
		}
		if len(polygon) == 2 {
			sty := draw.LineStyle{Color: d.o.lookOf(l).colour, Width: d.o.pt(lineWidth)}
			c.StrokeLines(sty, c.ClipLinesXY(polygon)...)
			continue
		}
		c.FillPolygon(d.o.lookOf(l).band(), c.ClipPolygonXY(polygon))
	}
}

// drawSymbols draws markers along a curve and a cross where it diverged. Markers of curves with neighbouring styles are
// at different places.
func (d *curvesDrawing) drawSymbols(c draw.Canvas, place func(vertex) vg.Point, l figures.Line) {
	sty := d.o.lookOf(l)
	var shown []vertex
	for i, v := range d.Vertices(l) {
		if d.holds(v) && (!l.Level || l.X[i] == l.At) {
			shown = append(shown, v)
		}
	}
	for _, i := range d.markerIndices(shown, l.Style) {
		sty.drawMarker(c, place(shown[i]))
	}
	for _, x := range l.Breaks {
		d.o.drawCross(c, sty.colour, place(d.end(l, x)))
	}
}

// markerIndices picks about markersWanted points evenly spaced along x.
func (d *curvesDrawing) markerIndices(points []vertex, style int) []int {
	var out []int
	if len(points) <= markersAll || d.Orders != nil && len(points) <= markersMeshes {
		for i := range points {
			out = append(out, i)
		}
		return out
	}
	first := 0.25 + 0.18*float64((style+1)%4) // of the distance between markers
	x0, length := points[0].X, points[len(points)-1].X-points[0].X
	next := 0
	for i, v := range points {
		if v.X >= x0+length*(first+float64(next))/markersWanted && next < markersWanted {
			out = append(out, i)
			next++
		}
	}
	return out
}

// end returns the last visible point of a curve that diverged at x: its last point, or the point where it left the frame
// before. A curve without a value ends at the upper edge.
func (d *curvesDrawing) end(l figures.Line, x float64) vertex {
	end := vertexAt(d.XR.Clamp(d.X.At(x)), d.YR.Hi)
	inside := false
	for i, v := range d.Vertices(l) {
		switch {
		case !v.Known() || l.X[i] > x:
			continue
		case d.YR.Holds(v.Y):
			end, inside = v, true
		case inside:
			edge := d.YR.Clamp(v.Y)
			end = vertexAt(end.X+(v.X-end.X)*(edge-end.Y)/(v.Y-end.Y), edge)
			inside = false
		}
	}
	return end
}

// drawPublished draws a published value with the interval of numbers that round to it.
func (d *curvesDrawing) drawPublished(c draw.Canvas, place func(vertex) vg.Point, m figures.Mark) {
	sty := d.o.styleOf(m.Style)
	y, low, high := d.Y.At(m.Y), d.Y.At(m.Low), d.Y.At(m.High)
	if math.IsNaN(y) {
		return
	}
	if math.IsNaN(low) {
		low = y
	}
	if math.IsNaN(high) {
		high = y
	}
	if !math.IsNaN(m.X) {
		at := place(vertexAt(d.X.At(m.X), y))
		if d.holds(vertexAt(d.X.At(m.X), y)) {
			within := func(v float64) vg.Length { return place(vertexAt(d.XR.Lo, d.YR.Clamp(v))).Y }
			d.o.drawMark(c, sty.colour, at, within(low), within(high))
		}
		return
	}
	band := []vg.Point{
		place(vertexAt(d.XR.Lo, low)), place(vertexAt(d.XR.Hi, low)),
		place(vertexAt(d.XR.Hi, high)), place(vertexAt(d.XR.Lo, high)),
	}
	c.FillPolygon(sty.band(), c.ClipPolygonXY(band))
	line := []vg.Point{place(vertexAt(d.XR.Lo, y)), place(vertexAt(d.XR.Hi, y))}
	c.StrokeLines(sty.published(), c.ClipLinesXY(line)...)
}

// drawTriangle draws a triangle with its slope beside the vertical leg and a 1 beside the horizontal one.
func (d *curvesDrawing) drawTriangle(c draw.Canvas, place func(vertex) vg.Point, t []vertex, slope string) {
	if t == nil {
		return
	}
	var corners []vg.Point
	for _, v := range append(slices.Clip(t), t[0]) {
		corners = append(corners, place(v))
	}
	c.StrokeLines(draw.LineStyle{Color: d.o.guide, Width: d.o.pt(guideWidth)}, c.ClipLinesXY(corners)...)
	right, middle := corners[2], corners[0].Add(corners[1]).Scale(0.5)
	gap, sty := d.o.pt(triangleGap), d.o.style(tickSize, text.XLeft, text.YCenter)
	beside := vg.Point{X: right.X + gap, Y: middle.Y}
	if right.X < middle.X {
		sty.XAlign, beside.X = text.XRight, right.X-gap
	}
	sty.YAlign = text.YTop
	beside.Y += sty.Height(slope) / 2
	fillText(c, sty, beside, slope)
	sty.XAlign = text.XCenter
	under := vg.Point{X: middle.X, Y: right.Y - gap/2}
	if right.Y > middle.Y {
		under.Y = right.Y + gap/2 + sty.Height("1")
	}
	fillText(c, sty, under, "1")
}

// triangleGap is the room between a leg of a triangle and its digits, in points.
const triangleGap = 3

// guideStyle returns how the i-th guide is stroked.
func (d *curvesDrawing) guideStyle(i int) draw.LineStyle {
	return draw.LineStyle{Color: d.o.guide, Width: d.o.pt(guideWidth), Dashes: d.o.scaled(guideDashes[i%len(guideDashes)]...)}
}

// published returns how the line at a published value is stroked.
func (s curveStyle) published() draw.LineStyle {
	return draw.LineStyle{Color: s.colour, Width: s.of.pt(0.8), Dashes: s.of.scaled(1, 2)}
}

// entries returns the legend: curves, dots, guides and published values that can be seen in the ranges shown.
func (d *curvesDrawing) entries() []entry {
	var out []entry
	for _, l := range d.Lines {
		if end, seen := d.last(l); seen || len(l.Breaks) > 0 {
			sty := d.o.lookOf(l)
			out = append(out, entry{labelOf(l), func(c draw.Canvas) { sty.lineSwatch(c, l) }, &lineEnd{end, sty.colour, seen && len(l.Breaks) == 0}})
		}
	}
	out = append(out, d.dotEntries()...)
	for i, g := range d.GuideLines {
		if d.Guides[i].Triangle || max(g[0].Y, g[1].Y) < d.YR.Lo || min(g[0].Y, g[1].Y) > d.YR.Hi {
			continue
		}
		out = append(out, entry{d.Guides[i].Label, func(c draw.Canvas) {
			c.StrokeLine2(d.guideStyle(i), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
		}, &lineEnd{g[1], d.o.guide, d.holds(g[1])}})
	}
	for _, m := range d.Marks {
		y := d.Y.At(m.Y)
		across := math.IsNaN(m.X)
		if m.Label == "" || !d.YR.Holds(y) || !across && !d.XR.Holds(d.X.At(m.X)) {
			continue
		}
		sty := d.o.styleOf(m.Style)
		if m.Common {
			sty = d.o.styleOf(figures.TruthStyle)
		}
		e := entry{m.Label, func(c draw.Canvas) { sty.markSwatch(c, m) }, nil}
		if across {
			e.end = &lineEnd{vertexAt(d.XR.Hi, y), sty.colour, true}
		}
		out = append(out, e)
	}
	return out
}

// labelOf returns the label of a line, which says if it diverged.
func labelOf(l figures.Line) string {
	if len(l.Breaks) > 0 && !strings.Contains(l.Label, "diverged") {
		return l.Label + " (diverged)"
	}
	return l.Label
}

// dotEntries returns the legend of the dots, or of the rows of two classes at the edges.
func (d *curvesDrawing) dotEntries() []entry {
	switch {
	case d.Dots == nil:
		return nil
	case d.Dots.Classes == nil:
		return []entry{{d.Dots.Label, func(c draw.Canvas) {
			c.SetColor(d.o.dots)
			for k := range 3 {
				at := c.Center()
				at.X += vg.Length(k-1) * d.o.pt(7)
				c.Fill(marker{}.path(at, d.o.pt(dotRadius)))
			}
		}, nil}}
	case len(d.Dots.Classes) != 2:
		return nil
	}
	var out []entry
	for i, edge := range []string{" (lower edge)", " (upper edge)"} {
		out = append(out, entry{d.Dots.Classes[i] + edge, func(c draw.Canvas) {
			for k := range 5 {
				x := c.Center().X + vg.Length(k-2)*d.o.pt(3)
				c.StrokeLine2(d.rugStyle(), x, c.Min.Y+1, x, c.Max.Y-1)
			}
		}, nil})
	}
	return out
}

// lineSwatch draws a sample of a curve.
func (s curveStyle) lineSwatch(c draw.Canvas, l figures.Line) {
	mid := c.Center()
	if l.Banded() {
		c.SetColor(s.band())
		band := c.Rectangle
		band.Min.Y += s.of.pt(1)
		band.Max.Y -= s.of.pt(1)
		c.Fill(band.Path())
	}
	c.StrokeLine2(s.line(), c.Min.X, mid.Y, c.Max.X, mid.Y)
	if len(l.Breaks) > 0 {
		r := s.of.pt(crossRadius)
		s.of.drawCross(c, s.colour, vg.Point{X: c.Max.X - r, Y: mid.Y})
		mid.X -= r
	}
	s.drawMarker(c, mid)
}

// markSwatch draws a sample of a published value.
func (s curveStyle) markSwatch(c draw.Canvas, m figures.Mark) {
	mid := c.Center()
	if math.IsNaN(m.X) {
		c.StrokeLine2(s.published(), c.Min.X, mid.Y, c.Max.X, mid.Y)
		return
	}
	s.of.drawMark(c, s.colour, mid, c.Min.Y+1, c.Max.Y-1)
}
