package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Size of a panel of curves with its axes, in points.
const (
	panelWidth  = 372
	panelHeight = 268
)

const (
	padX, padY    = 0.02, 0.05 // room between the data and the frame, as a fraction of the range
	markersWanted = 7          // on a curve with more than markersAll points; others have a marker at every point
	markersAll    = 10
	guideFrom     = 0.3  // guides start at this fraction of the range of x
	guideApart    = 0.05 // distance between the data and a guide, as a fraction of the range of y
)

// curvesDrawing is a panel of curves with its layout.
type curvesDrawing struct {
	*Curves
	xr, yr interval // ranges shown, in drawing coordinates: decimal logarithms on a logarithmic axis
	guides [][2]vertex
	plot   *plot.Plot
	legend legend
	beside bool
}

// A vertex is a point in drawing coordinates.
type vertex struct{ x, y float64 }

// layOutCurves finds the ranges of the axes, places the guides and the legend.
func layOutCurves(m *Curves, o *outlines) (drawing, error) {
	for _, l := range m.Lines {
		if len(l.Y) != len(l.X) || (l.Low != nil && (len(l.Low) != len(l.X) || len(l.High) != len(l.X))) {
			panic(fmt.Sprintf("plots: line %q has %d x, %d y, %d low and %d high", l.Label, len(l.X), len(l.Y), len(l.Low), len(l.High)))
		}
	}
	if m.Dots != nil && len(m.Dots.X) != len(m.Dots.Y) {
		panic(fmt.Sprintf("plots: %d dots have %d y", len(m.Dots.X), len(m.Dots.Y)))
	}
	d := &curvesDrawing{Curves: m}
	var err error
	if d.xr, err = d.rangeX(); err != nil {
		return nil, err
	}
	if d.yr, err = d.rangeY(); err != nil {
		return nil, err
	}
	d.placeGuides()
	d.plot = o.newPlot(m.X, m.Y, d.xr, d.yr)
	d.plot.Add(d)
	d.legend, d.beside = layOutLegend(d.entries(), o, panelWidth, panelHeight)
	return d, nil
}

func (d *curvesDrawing) size() (w, h vg.Length) {
	lw, lh := d.legend.size()
	switch {
	case lw == 0:
		return panelWidth, panelHeight
	case d.beside:
		return panelWidth + legendGap + lw, max(panelHeight, lh)
	}
	return max(panelWidth, lw), panelHeight + legendGap + lh
}

func (d *curvesDrawing) draw(c draw.Canvas) {
	panel := vg.Rectangle{
		Min: vg.Point{X: c.Min.X, Y: c.Max.Y - panelHeight},
		Max: vg.Point{X: c.Min.X + panelWidth, Y: c.Max.Y},
	}
	at := draw.Canvas{Canvas: c.Canvas, Rectangle: panel}
	d.plot.Draw(at)
	if d.beside {
		d.legend.draw(draw.Crop(c, panelWidth+legendGap, 0, 0, panelTop(d.plot, at)-c.Max.Y))
		return
	}
	d.legend.draw(draw.Crop(c, 0, 0, 0, -panelHeight-legendGap))
}

// panelTop returns the height of the data area's upper edge.
func panelTop(p *plot.Plot, c draw.Canvas) vg.Length { return p.DataCanvas(c).Max.Y }

// Plot implements plot.Plotter: everything inside the axes, from back to front.
func (d *curvesDrawing) Plot(c draw.Canvas, p *plot.Plot) {
	place := func(v vertex) vg.Point {
		return vg.Point{X: c.X(p.X.Norm(v.x)), Y: c.Y(p.Y.Norm(v.y))}
	}
	drawGrid(c, p)
	d.drawDots(c, place)
	for _, l := range d.Lines {
		d.drawBand(c, place, l)
	}
	for _, m := range d.Marks {
		d.drawPublished(c, place, m)
	}
	for i, g := range d.guides {
		c.StrokeLines(guideStyle(i), c.ClipLinesXY([]vg.Point{place(g[0]), place(g[1])})...)
	}
	for _, l := range d.Lines {
		d.drawLine(c, place, l)
	}
	for _, l := range d.Lines {
		d.drawSymbols(c, place, l)
	}
}

// drawGrid draws a thin line at every labelled tick.
func drawGrid(c draw.Canvas, p *plot.Plot) {
	sty := draw.LineStyle{Color: gridGrey, Width: thinWidth}
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

// vertices returns the points of a line in drawing coordinates, NaN where they have no place.
func (d *curvesDrawing) vertices(l Line) []vertex {
	out := make([]vertex, len(l.X))
	for i := range l.X {
		out[i] = vertex{d.X.at(l.X[i]), d.Y.at(l.Y[i])}
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

// drawDots puts a small disc at every point inside the frame.
func (d *curvesDrawing) drawDots(c draw.Canvas, place func(vertex) vg.Point) {
	if d.Dots == nil {
		return
	}
	c.SetColor(dotGrey)
	for i, x := range d.Dots.X {
		if v := (vertex{d.X.at(x), d.Y.at(d.Dots.Y[i])}); v.known() && d.xr.holds(v.x) && d.yr.holds(v.y) {
			c.Fill(marker{}.path(place(v), dotRadius))
		}
	}
}

// drawLine strokes a curve, broken where it has no value.
func (d *curvesDrawing) drawLine(c draw.Canvas, place func(vertex) vg.Point, l Line) {
	points := d.vertices(l)
	for _, s := range stretches(points) {
		var path []vg.Point
		for _, v := range points[s[0]:s[1]] {
			path = append(path, place(v))
		}
		c.StrokeLines(styleOf(l.Style).line(), c.ClipLinesXY(path)...)
	}
}

// drawBand fills the band of a curve; a stretch of one point gets a bar. A bound without a place on
// the axis lies beyond its lower end, or the upper one if it is infinite.
func (d *curvesDrawing) drawBand(c draw.Canvas, place func(vertex) vg.Point, l Line) {
	if l.Low == nil {
		return
	}
	bound := func(v float64) float64 {
		at := d.Y.at(v)
		switch {
		case math.IsInf(v, 1):
			return d.yr.hi + d.yr.length()
		case math.IsNaN(at):
			return d.yr.lo - d.yr.length()
		}
		return at
	}
	points := d.vertices(l)
	for _, s := range stretches(points) {
		var polygon []vg.Point
		for i := s[0]; i < s[1]; i++ {
			polygon = append(polygon, place(vertex{points[i].x, bound(l.High[i])}))
		}
		for i := s[1] - 1; i >= s[0]; i-- {
			polygon = append(polygon, place(vertex{points[i].x, bound(l.Low[i])}))
		}
		if len(polygon) == 2 {
			sty := draw.LineStyle{Color: styleOf(l.Style).colour, Width: lineWidth}
			c.StrokeLines(sty, c.ClipLinesXY(polygon)...)
			continue
		}
		c.FillPolygon(styleOf(l.Style).band(), c.ClipPolygonXY(polygon))
	}
}

// drawSymbols draws markers along a curve and a cross where it diverged. Markers of curves with neighbouring styles are
// at different places.
func (d *curvesDrawing) drawSymbols(c draw.Canvas, place func(vertex) vg.Point, l Line) {
	sty := styleOf(l.Style)
	var shown []vertex
	for _, v := range d.vertices(l) {
		if v.known() && d.xr.holds(v.x) && d.yr.holds(v.y) {
			shown = append(shown, v)
		}
	}
	for _, i := range d.markerIndices(shown, l.Style) {
		sty.marker.draw(c, sty.colour, place(shown[i]))
	}
	for _, x := range l.Breaks {
		drawCross(c, sty.colour, place(d.end(l, x)))
	}
}

// markerIndices picks about markersWanted points evenly spaced along x.
func (d *curvesDrawing) markerIndices(points []vertex, style int) []int {
	var out []int
	if len(points) <= markersAll {
		for i := range points {
			out = append(out, i)
		}
		return out
	}
	first := 0.25 + 0.18*float64(style%4) // of the distance between markers
	x0, length := points[0].x, points[len(points)-1].x-points[0].x
	next := 0
	for i, v := range points {
		if v.x >= x0+length*(first+float64(next))/markersWanted && next < markersWanted {
			out = append(out, i)
			next++
		}
	}
	return out
}

// end returns the last visible point of a curve that diverged at x: its last point, or the point where it left the frame
// before. A curve without a value ends at the upper edge.
func (d *curvesDrawing) end(l Line, x float64) vertex {
	end := vertex{d.xr.clamp(d.X.at(x)), d.yr.hi}
	inside := false
	for i, v := range d.vertices(l) {
		switch {
		case !v.known() || l.X[i] > x:
			continue
		case d.yr.holds(v.y):
			end, inside = v, true
		case inside:
			edge := d.yr.clamp(v.y)
			end = vertex{end.x + (v.x-end.x)*(edge-end.y)/(v.y-end.y), edge}
			inside = false
		}
	}
	return end
}

// drawPublished draws a published value with the interval of numbers that round to it.
func (d *curvesDrawing) drawPublished(c draw.Canvas, place func(vertex) vg.Point, m Mark) {
	colour := styleOf(m.Style).colour
	y, low, high := d.Y.at(m.Y), d.Y.at(m.Low), d.Y.at(m.High)
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
		at := place(vertex{d.X.at(m.X), y})
		drawMark(c, colour, at, place(vertex{0, low}).Y, place(vertex{0, high}).Y)
		return
	}
	band := []vg.Point{
		place(vertex{d.xr.lo, low}), place(vertex{d.xr.hi, low}),
		place(vertex{d.xr.hi, high}), place(vertex{d.xr.lo, high}),
	}
	c.FillPolygon(styleOf(m.Style).band(), c.ClipPolygonXY(band))
	c.StrokeLines(publishedStyle(colour), []vg.Point{place(vertex{d.xr.lo, y}), place(vertex{d.xr.hi, y})})
}

// publishedStyle returns how the line at a published value is stroked.
func publishedStyle(colour color.Color) draw.LineStyle {
	return draw.LineStyle{Color: colour, Width: 0.8, Dashes: []vg.Length{1, 2}}
}

// entries returns the legend: curves, guides, published values.
func (d *curvesDrawing) entries() []entry {
	var out []entry
	for _, l := range d.Lines {
		label := l.Label
		if len(l.Breaks) > 0 && !strings.Contains(label, "diverged") {
			label += " (diverged)"
		}
		out = append(out, entry{label, func(c draw.Canvas) { lineSwatch(c, l) }})
	}
	if d.Dots != nil {
		out = append(out, entry{d.Dots.Label, func(c draw.Canvas) {
			c.SetColor(dotGrey)
			c.Fill(marker{}.path(c.Center(), dotRadius))
		}})
	}
	for i, g := range d.Guides[:len(d.guides)] {
		out = append(out, entry{g.Label, func(c draw.Canvas) {
			c.StrokeLine2(guideStyle(i), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
		}})
	}
	for _, m := range d.Marks {
		if m.Label == "" {
			continue
		}
		out = append(out, entry{m.Label, func(c draw.Canvas) { markSwatch(c, m) }})
	}
	return out
}

// lineSwatch draws a sample of a curve.
func lineSwatch(c draw.Canvas, l Line) {
	sty, mid := styleOf(l.Style), c.Center()
	if l.Low != nil {
		c.SetColor(sty.band())
		band := c.Rectangle
		band.Min.Y += 1
		band.Max.Y -= 1
		c.Fill(band.Path())
	}
	c.StrokeLine2(sty.line(), c.Min.X, mid.Y, c.Max.X, mid.Y)
	if len(l.Breaks) > 0 {
		drawCross(c, sty.colour, vg.Point{X: c.Max.X - crossRadius, Y: mid.Y})
		mid.X -= crossRadius
	}
	sty.marker.draw(c, sty.colour, mid)
}

// markSwatch draws a sample of a published value.
func markSwatch(c draw.Canvas, m Mark) {
	colour, mid := styleOf(m.Style).colour, c.Center()
	if math.IsNaN(m.X) {
		c.StrokeLine2(publishedStyle(colour), c.Min.X, mid.Y, c.Max.X, mid.Y)
		return
	}
	drawMark(c, colour, mid, c.Min.Y+1, c.Max.Y-1)
}
