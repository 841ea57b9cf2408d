package drawings

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

// Measures of a row of heat maps, in points.
const (
	panelsPerRow = 3
	panelGap     = 8
	panelTitle   = 9.0 // size
	panelTick    = 7.5 // size
	titleAbove   = 4
	barWidth     = 11
	barGap       = 14

	widestPanel    = 0.6 // of the figure's width
	leastPanelSide = 90  // of panels with axes
	flatPanel      = 0.7 // height by width of a panel with a logarithmic axis
)

// imageSide is the approximate number of pixels of a side of an embedded image. A viewer's smoothing is then invisible.
const imageSide = 240

// heatDrawing is a sheet of heat maps of one size, with their layout.
type heatDrawing struct {
	*figures.Heat
	o           *outlines
	colours     func(float64) (color.Color, error) // nil for classes
	columns     int
	plots       []*plot.Plot
	titles      []textBlock // above the panels
	titleStyle  text.Style
	titleHeight vg.Length
	w, h        vg.Length // of a panel with axes
	x, y        textBlock // labels of the axes of all panels
	bar         []figures.Tick
	tickStyle   text.Style
	legend      legend // of classes
}

// layOutHeat checks the grids and finds the panel size at which x and y have the same scale. The rows of the sheet have
// about the same number of panels, which fill the width of the room.
func layOutHeat(m *figures.Heat, o *outlines, room vg.Length) (drawing, error) {
	if len(m.Panels) == 0 {
		return nil, fmt.Errorf("it has no panel")
	}
	for _, p := range m.Panels {
		if len(p.X) < 2 || len(p.Y) < 2 {
			return nil, fmt.Errorf("panel %q has a grid of %d by %d points, and a surface needs 2 by 2", p.Title, len(p.X), len(p.Y))
		}
	}
	d := &heatDrawing{Heat: m, o: o, titleStyle: o.style(panelTitle, text.XCenter, text.YBottom), tickStyle: o.style(panelTick, text.XLeft, text.YCenter)}
	if m.Classes == nil {
		if !(m.Min < m.Max) {
			return nil, fmt.Errorf("its colour scale [%g, %g] is empty", m.Min, m.Max)
		}
		d.colours = colourMap(m.Min, m.Max)
		d.bar = figures.LinearTicks(m.Min, m.Max, figures.MaxIntervals)
	}
	d.legend = newLegend(d.entries(), o, legendSize, room/3, 0)
	d.x, d.y = o.block(m.X.Label, labelSize, room/2, titleGap), o.block(m.Y.Label, labelSize, room/4, titleGap)
	most := min(panelsPerRow, max(1, int((room-d.y.room()-d.side())/o.pt(leastPanelSide))))
	rows := (len(m.Panels) + most - 1) / most
	d.columns = (len(m.Panels) + rows - 1) / rows
	d.layOutPanels(d.widest(room))
	return d, nil
}

// widest returns the width at which panels fill the width of the room.
func (d *heatDrawing) widest(room vg.Length) vg.Length {
	columns := vg.Length(d.columns)
	return min(widestPanel*room, (room-d.y.room()-d.side()-(columns-1)*d.o.pt(panelGap))/columns)
}

// layOutPanels makes the plots of the panels, for panels of width w.
func (d *heatDrawing) layOutPanels(w vg.Length) {
	d.w, d.plots, d.titles, d.titleHeight, d.h = w, nil, nil, 0, 0
	least := vg.Length(panelTitle) // size of a title; all have one
	for _, p := range d.Panels {
		x, y := edges(d.X, p.X), edges(d.Y, p.Y)
		q := d.newPanel(x, y)
		q.Add(&heatPanel{p, d})
		d.plots = append(d.plots, q)
		_, size := d.o.fitted(p.Title, panelTitle, q.DataCanvas(draw.NewCanvas(nil, w, w)).Size().X+d.o.pt(panelGap), 3)
		least = min(least, size)
		d.h = max(d.h, d.height(q, x.Length(), y.Length()))
	}
	for i, p := range d.Panels {
		sty := d.o.style(least, text.XCenter, text.YBottom)
		title := d.o.wrap(p.Title, least, d.plots[i].DataCanvas(draw.NewCanvas(nil, w, w)).Size().X+d.o.pt(panelGap))
		d.titles = append(d.titles, textBlock{text: title, style: sty})
		d.titleHeight = max(d.titleHeight, sty.Height(title)+d.o.pt(titleAbove))
	}
}

// newPanel returns a plot with smaller and fewer tick labels; its frame is drawn with the panel.
func (d *heatDrawing) newPanel(x, y figures.Interval) *plot.Plot {
	p := d.o.newPlot(figures.Axis{Log: d.X.Log}, figures.Axis{Log: d.Y.Log}, x, y, vg.Point{X: d.w, Y: d.w}, panelTick)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Length = d.o.pt(3)
		a.Width = 0
	}
	return p
}

// entries returns the legend: the classes, the cells without a colour, and the lines at levels.
func (d *heatDrawing) entries() (out []entry) {
	if d.Classes == nil && d.diverged() {
		out = append(out, entry{"diverged", func(c draw.Canvas) {
			c.SetColor(d.o.noData)
			c.Fill(c.Rectangle.Path())
		}, nil})
	}
	for i, name := range []string{d.Best, d.Limit} {
		if name != "" {
			out = append(out, entry{name, func(c draw.Canvas) {
				for _, s := range d.outlined(i == 1) {
					c.StrokeLine2(s, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
				}
			}, nil})
		}
	}
	for i, name := range d.Classes {
		out = append(out, entry{name, func(c draw.Canvas) {
			c.SetColor(d.colour(float64(i + 1)))
			c.Fill(c.Rectangle.Path())
			c.StrokeLines(d.boundary(), append(corners(c.Rectangle), c.Min))
		}, nil})
	}
	for _, v := range d.Levels {
		out = append(out, entry{d.Label + " = " + figures.Number(v), func(c draw.Canvas) {
			sty := d.boundary()
			sty.Color = d.o.Ink // the legend is on the ground, the line on the colours of the map
			c.StrokeLine2(sty, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
		}, nil})
	}
	return out
}

// diverged reports whether a cell of a panel is infinite.
func (d *heatDrawing) diverged() bool {
	return slices.ContainsFunc(d.Panels, func(p figures.Panel) bool {
		return slices.ContainsFunc(p.Z, func(row []float64) bool {
			return slices.ContainsFunc(row, func(z float64) bool { return math.IsInf(z, 0) })
		})
	})
}

// Colours of lines on a map, which looks the same on every ground. No theme has them.
var mapDark, mapLight = grey(0x1C), grey(0xFE)

// boundary returns how boundaries of classes and lines at levels are stroked.
func (d *heatDrawing) boundary() draw.LineStyle {
	return draw.LineStyle{Color: mapDark, Width: d.o.pt(1)}
}

// height returns the height of a panel at which it shows x and y at the same scale, or that of a usual panel if the axes
// have scales of their own because one of them is logarithmic.
func (d *heatDrawing) height(p *plot.Plot, x, y float64) vg.Length {
	probe := draw.NewCanvas(nil, d.w, d.w)
	data := p.DataCanvas(probe).Size()
	ratio := y / x
	if d.X.Log || d.Y.Log {
		ratio = flatPanel
	}
	return d.w - data.Y + data.X*vg.Length(ratio)
}

// edges returns the range that a grid covers, in drawing coordinates: half a cell beyond its first and last point.
func edges(a figures.Axis, grid []float64) figures.Interval {
	first, last := a.At(grid[0]), a.At(grid[len(grid)-1])
	half := (last - first) / float64(2*(len(grid)-1))
	return figures.Interval{Lo: first - half, Hi: last + half}
}

// colourMap returns the colours of [lo, hi]: Moreland's diverging map with white at zero if the range holds both signs, each of which
// uses its half of the map whole, and his perceptually uniform black body map if it does not.
func colourMap(lo, hi float64) func(float64) (color.Color, error) {
	if lo < 0 && hi > 0 {
		m := moreland.SmoothBlueRed()
		m.SetMin(-1)
		m.SetMax(1)
		return func(v float64) (color.Color, error) {
			if v < 0 {
				return m.At(v / -lo)
			}
			return m.At(v / hi)
		}
	}
	m := moreland.ExtendedBlackBody()
	m.SetMin(lo)
	m.SetMax(hi)
	return m.At
}

// colour returns the colour of a value: that of the nearest end for values beyond the scale, grey for values that are not
// finite.
func (d *heatDrawing) colour(z float64) color.Color {
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return d.o.noData
	}
	if d.colours == nil {
		return tint(figures.Light.Colours[(int(math.Abs(z))+len(figures.Light.Colours)-1)%len(figures.Light.Colours)])
	}
	c, err := d.colours(figures.Interval{Lo: d.Min, Hi: d.Max}.Clamp(z))
	if err != nil {
		panic("plots: " + err.Error()) // the value is inside the map's range
	}
	return c
}

// tint returns a colour mixed with white, for areas.
func tint(c color.NRGBA) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8((int(v) + 0xFF) / 2) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xFF}
}

func (d *heatDrawing) rows() int { return (len(d.Panels) + d.columns - 1) / d.columns }

func (d *heatDrawing) size() (w, h vg.Length) {
	columns, rows, gap := vg.Length(d.columns), vg.Length(d.rows()), d.o.pt(panelGap)
	_, lh := d.legend.size()
	return d.y.room() + columns*(d.w+gap) - gap + d.side(), max(rows*(d.h+d.titleHeight)+(rows-1)*gap+d.x.room(), lh)
}

// side returns the room right of the panels: for the colour bar with its labels, or the legend.
func (d *heatDrawing) side() vg.Length {
	w, _ := d.legend.size()
	if d.colours != nil {
		bar := d.titleStyle.Width(d.Label)
		for _, t := range d.bar {
			bar = max(bar, d.o.pt(barWidth+6)+d.tickStyle.Width(t.Label))
		}
		w = max(w, bar)
	}
	return d.o.pt(barGap) + w
}

func (d *heatDrawing) draw(c draw.Canvas) {
	c = draw.Crop(c, d.y.room(), 0, 0, 0)
	var beside vg.Rectangle // that the colour bar is beside: data areas of panels
	right := c.Min.X
	low := c.Max.Y
	gap := d.o.pt(panelGap)
	for i, p := range d.plots {
		x := c.Min.X + vg.Length(i%d.columns)*(d.w+gap)
		y := c.Max.Y - d.titleHeight - vg.Length(i/d.columns)*(d.h+d.titleHeight+gap)
		at := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - d.h}, Max: vg.Point{X: x + d.w, Y: y},
		}}
		p.Draw(at)
		data := p.DataCanvas(at)
		c.StrokeLines(d.frame(), append(corners(data.Rectangle), data.Min))
		fillText(c, d.titles[i].style, vg.Point{X: data.Center().X, Y: data.Max.Y + d.o.pt(titleAbove)}, d.titles[i].text)
		if i == 0 {
			beside = data.Rectangle
		}
		right, beside.Min.Y = max(right, x+d.w), data.Min.Y
		low = y - d.h
	}
	left := right + d.o.pt(barGap)
	_, lh := d.legend.size()
	corner := vg.Point{X: left, Y: beside.Max.Y}
	if d.colours != nil {
		bar := vg.Rectangle{Min: vg.Point{X: left, Y: beside.Min.Y}, Max: vg.Point{X: left + d.o.pt(barWidth), Y: beside.Max.Y}}
		if lh > 0 {
			bar.Min.Y += lh + d.o.pt(legendGap)
			corner.Y = beside.Min.Y + lh
		}
		d.drawBar(c, bar)
	}
	d.legend.draw(c, corner)
	width := vg.Length(d.columns)*(d.w+gap) - gap
	d.o.labelAxes(c, d.x, d.y, vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: low}, Max: vg.Point{X: c.Min.X + width, Y: c.Max.Y - d.titleHeight}})
}

// beyond reports whether a finite value of a panel is, so that it has the colour of an end of the scale.
func (d *heatDrawing) beyond(is func(float64) bool) bool {
	for _, p := range d.Panels {
		if slices.ContainsFunc(slices.Concat(p.Z...), func(z float64) bool { return !math.IsInf(z, 0) && is(z) }) {
			return true
		}
	}
	return false
}

func (d *heatDrawing) frame() draw.LineStyle {
	return draw.LineStyle{Color: d.o.Ink, Width: d.o.pt(thinWidth)}
}

// drawBar draws the colour scale with its ticks, in one row with the first panels.
func (d *heatDrawing) drawBar(c draw.Canvas, r vg.Rectangle) {
	strip := image.NewNRGBA(image.Rect(0, 0, 1, imageSide))
	for i := range imageSide {
		f := (float64(imageSide-1-i) + 0.5) / imageSide
		strip.Set(0, i, d.colour(d.Min+f*(d.Max-d.Min)))
	}
	c.DrawImage(r, enlarged(strip, 16, 1))
	frame := d.frame()
	c.StrokeLines(frame, append(corners(r), r.Min))
	room := float64(r.Size().Y / (1.8 * d.tickStyle.Height("0")))
	for _, t := range figures.LinearTicks(d.Min, d.Max, max(1, min(figures.MaxIntervals, room))) {
		if t.Label == "" {
			continue
		}
		y := r.Min.Y + r.Size().Y*vg.Length((t.At-d.Min)/(d.Max-d.Min))
		c.StrokeLine2(frame, r.Max.X, y, r.Max.X+d.o.pt(3), y)
		label := t.Label
		if t.At == d.Max && d.beyond(func(z float64) bool { return z > d.Max }) {
			label = "≥ " + label
		} else if t.At == d.Min && d.beyond(func(z float64) bool { return z < d.Min }) {
			label = "≤ " + label
		}
		c.FillText(d.tickStyle, vg.Point{X: r.Max.X + d.o.pt(6), Y: y + d.tickStyle.FontExtents().Descent}, label)
	}
	sty := d.titleStyle
	sty.XAlign = text.XLeft
	fillText(c, sty, vg.Point{X: r.Min.X, Y: r.Max.Y + d.o.pt(titleAbove)}, d.Label)
}

// heatPanel draws one grid.
type heatPanel struct {
	figures.Panel
	of *heatDrawing
}

// Plot implements plot.Plotter.
func (h *heatPanel) Plot(c draw.Canvas, p *plot.Plot) {
	nx, ny := len(h.X), len(h.Y)
	page, ok := below(c).(*Sheet)
	step := (h.of.Max - h.of.Min) / figures.MapSteps
	img := image.NewNRGBA(image.Rect(0, 0, nx, ny))
	for i := range ny {
		for j := range nx {
			z := h.Z[i][j]
			if ok && h.of.Classes == nil {
				z = h.of.Min + step*math.Round((z-h.of.Min)/step) // few colours make a short image
			}
			img.Set(j, ny-1-i, h.of.colour(z))
		}
	}
	if ok {
		page.Areas = append(page.Areas, page.rectangle(c.Rectangle))
		c.DrawImage(c.Rectangle, img) // the page's style says that it is not smoothed
	} else {
		times := (imageSide + max(nx, ny) - 1) / max(nx, ny)
		c.DrawImage(c.Rectangle, enlarged(img, times, times))
	}
	h.drawBoundaries(c)
	h.drawLevels(c, p)
	h.drawBest(c, p)
}

// drawBoundaries strokes the edges between grid points of different classes.
func (h *heatPanel) drawBoundaries(c draw.Canvas) {
	if h.of.Classes == nil {
		return
	}
	nx, ny := len(h.X), len(h.Y)
	at := func(j, i int) vg.Point {
		return vg.Point{X: c.X(float64(j) / float64(nx)), Y: c.Y(float64(i) / float64(ny))}
	}
	sty := h.of.boundary()
	for i := range ny {
		for j := range nx {
			if j > 0 && h.Z[i][j] != h.Z[i][j-1] {
				c.StrokeLines(sty, []vg.Point{at(j, i), at(j, i+1)})
			}
			if i > 0 && h.Z[i][j] != h.Z[i-1][j] {
				c.StrokeLines(sty, []vg.Point{at(j, i), at(j+1, i)})
			}
		}
	}
}

// drawLevels draws the lines at which the function has the values of Levels, cell by cell.
func (h *heatPanel) drawLevels(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, level := range h.of.Levels {
		var path vg.Path
		for i := range len(h.Y) - 1 {
			for j := range len(h.X) - 1 {
				x0, y0 := toX(h.of.X.At(h.X[j])), toY(h.of.Y.At(h.Y[i]))
				w, height := toX(h.of.X.At(h.X[j+1]))-x0, toY(h.of.Y.At(h.Y[i+1]))-y0
				for k, at := range crossings([4]float64{h.Z[i][j], h.Z[i][j+1], h.Z[i+1][j+1], h.Z[i+1][j]}, level) {
					if at = (vg.Point{X: x0 + at.X*w, Y: y0 + at.Y*height}); k%2 == 0 {
						path.Move(at)
					} else {
						path.Line(at)
					}
				}
			}
		}
		c.SetLineStyle(h.of.boundary())
		c.Stroke(path)
	}
}

// crossings returns the ends of the lines at which a function is level in a cell of side 1 with the values z at its corners, against
// the clock from the lower left one on. Along the sides it is linear. Where opposite corners are on one side of the level and the others
// on the other, the mean of the corners says which ends are joined (marching squares). A cell with a value that is not finite has none.
func crossings(z [4]float64, level float64) (ends []vg.Point) {
	corners := [4]vg.Point{{}, {X: 1}, {X: 1, Y: 1}, {Y: 1}}
	for k, v := range z {
		next := (k + 1) % 4
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return nil
		case (v >= level) != (z[next] >= level):
			along := corners[next].Sub(corners[k]).Scale(vg.Length((level - v) / (z[next] - v)))
			ends = append(ends, corners[k].Add(along))
		}
	}
	if middle := stat.Mean(z[:], nil); len(ends) == 4 && (middle >= level) != (z[0] >= level) {
		ends = append(ends[3:], ends[:3]...)
	}
	return ends
}

// drawBest marks the best points and draws the limit, in white and dark lines that are seen on every colour.
func (h *heatPanel) drawBest(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	along := func(ys []float64) (line []vg.Point) {
		for j, y := range ys {
			if at := h.of.Y.At(y); at >= p.Y.Min && at <= p.Y.Max {
				line = append(line, vg.Point{X: toX(h.of.X.At(h.X[j])), Y: toY(at)})
			}
		}
		return line
	}
	best, limit := along(h.Best), along(h.Limit)
	for _, s := range h.of.outlined(false) {
		if len(best) > 1 {
			c.StrokeLines(s, best)
		}
		for _, at := range best {
			c.SetColor(s.Color)
			c.Fill(marker{}.path(at, h.of.o.pt(1.2)+s.Width/2))
		}
	}
	for _, s := range h.of.outlined(true) {
		if len(limit) > 1 {
			c.StrokeLines(s, limit)
		}
	}
}

// outlined returns how a line is stroked that is seen on every colour: first light and wide, then dark.
func (d *heatDrawing) outlined(dashed bool) []draw.LineStyle {
	dark := draw.LineStyle{Color: mapDark, Width: d.o.pt(1.2)}
	if dashed {
		dark.Dashes = d.o.scaled(4, 3)
	}
	return []draw.LineStyle{{Color: mapLight, Width: d.o.pt(3)}, dark}
}

// enlarged repeats every pixel of an image.
func enlarged(img *image.NRGBA, timesX, timesY int) image.Image {
	size := img.Bounds().Size()
	out := image.NewNRGBA(image.Rect(0, 0, size.X*timesX, size.Y*timesY))
	for y := range size.Y * timesY {
		for x := range size.X * timesX {
			out.SetNRGBA(x, y, img.NRGBAAt(x/timesX, y/timesY))
		}
	}
	return out
}
