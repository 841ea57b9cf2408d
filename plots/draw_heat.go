package plots

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Measures of a row of heat maps, in points.
const (
	heatWidth    = 520 // of a full row without the colour bar
	widestPanel  = 260
	panelsPerRow = 3
	panelGap     = 8
	panelTitle   = 9.0 // size
	panelTick    = 7.5 // size
	titleAbove   = 4
	barWidth     = 11
	barGap       = 14

	panelIntervals = 5 // between tick labels
)

// imageSide is the approximate number of pixels of a side of an embedded image. A viewer's smoothing is then invisible.
const imageSide = 240

// heatDrawing is a row of heat maps of one size, with their layout.
type heatDrawing struct {
	*Heat
	colours     palette.ColorMap
	plots       []*plot.Plot
	titles      []string
	titleStyle  text.Style
	titleHeight vg.Length
	w, h        vg.Length // of a panel with axes
	bar         []plot.Tick
	tickStyle   text.Style
}

// layOutHeat checks the grids and finds the panel size at which x and y have the same scale.
func layOutHeat(m *Heat, o *outlines) (drawing, error) {
	if len(m.Panels) == 0 {
		return nil, fmt.Errorf("it has no panel")
	}
	if !(m.Min < m.Max) {
		return nil, fmt.Errorf("its colour scale [%g, %g] is empty", m.Min, m.Max)
	}
	d := &heatDrawing{Heat: m, colours: colourMap(m.Min, m.Max)}
	columns := min(len(m.Panels), panelsPerRow)
	d.w = min(widestPanel, (heatWidth-vg.Length(columns-1)*panelGap)/vg.Length(columns))
	d.titleStyle = o.style(panelTitle, text.XCenter, text.YBottom)
	d.tickStyle = o.style(panelTick, text.XLeft, text.YCenter)
	d.bar = linearTicks(m.Min, m.Max, maxIntervals)
	for _, p := range m.Panels {
		if len(p.X) < 2 || len(p.Y) < 2 {
			return nil, fmt.Errorf("panel %q has a grid of %d by %d points, and a surface needs 2 by 2", p.Title, len(p.X), len(p.Y))
		}
		x, y := edges(d.X, p.X), edges(d.Y, p.Y)
		q := d.newPanel(o, x, y)
		q.Add(&heatPanel{p, d})
		d.plots = append(d.plots, q)
		title := o.wrap(p.Title, panelTitle, d.w)
		d.titles = append(d.titles, title)
		d.titleHeight = max(d.titleHeight, d.titleStyle.Height(title)+titleAbove)
		d.h = max(d.h, equalHeight(q, d.w, x.length(), y.length()))
	}
	return d, nil
}

// newPanel returns a plot with smaller and fewer tick labels; its frame is drawn with the panel.
func (d *heatDrawing) newPanel(o *outlines, x, y interval) *plot.Plot {
	p := o.newPlot(d.X, d.Y, x, y)
	for i, a := range []*plot.Axis{&p.X, &p.Y} {
		if !(i == 0 && d.X.Log || i == 1 && d.Y.Log) {
			a.Tick.Marker = plot.ConstantTicks(linearTicks(a.Min, a.Max, panelIntervals))
		}
		a.Tick.Label.Font.Size = panelTick
		a.Tick.Length = 3
		a.Width = 0
	}
	return p
}

// equalHeight returns the height at which a plot of width w shows x and y at the same scale.
func equalHeight(p *plot.Plot, w vg.Length, x, y float64) vg.Length {
	probe := draw.NewCanvas(nil, w, w)
	data := p.DataCanvas(probe).Size()
	return w - data.Y + data.X*vg.Length(y/x)
}

// edges returns the range that a grid covers, in drawing coordinates: half a cell beyond its first and last point.
func edges(a Axis, grid []float64) interval {
	first, last := a.at(grid[0]), a.at(grid[len(grid)-1])
	half := (last - first) / float64(2*(len(grid)-1))
	return interval{first - half, last + half}
}

// colourMap returns the colours of [lo, hi]: Moreland's diverging map with white at zero if the range
// holds both signs, his perceptually uniform black body map if it does not.
func colourMap(lo, hi float64) palette.ColorMap {
	var m palette.ColorMap = moreland.ExtendedBlackBody()
	if lo < 0 && hi > 0 {
		diverging := moreland.SmoothBlueRed()
		diverging.SetMin(lo)
		diverging.SetMax(hi)
		diverging.SetConvergePoint(0)
		return diverging
	}
	m.SetMin(lo)
	m.SetMax(hi)
	return m
}

// colour returns the colour of a value: that of the nearest end for values beyond the scale, grey for values that are not
// finite.
func (d *heatDrawing) colour(z float64) color.Color {
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return noData
	}
	c, err := d.colours.At(interval{d.Min, d.Max}.clamp(z))
	if err != nil {
		panic("plots: " + err.Error()) // the value is inside the map's range
	}
	return c
}

func (d *heatDrawing) rows() int { return (len(d.Panels) + panelsPerRow - 1) / panelsPerRow }

func (d *heatDrawing) size() (w, h vg.Length) {
	columns := vg.Length(min(len(d.Panels), panelsPerRow))
	w = columns*d.w + (columns-1)*panelGap + barGap + barWidth + d.barLabels()
	rows := vg.Length(d.rows())
	return w, rows*(d.h+d.titleHeight) + (rows-1)*panelGap
}

// barLabels returns the room right of the colour bar.
func (d *heatDrawing) barLabels() vg.Length {
	w := d.titleStyle.Width(d.Label) - barWidth
	for _, t := range d.bar {
		w = max(w, 6+d.tickStyle.Width(t.Label))
	}
	return w
}

func (d *heatDrawing) draw(c draw.Canvas) {
	var first vg.Rectangle
	right := c.Min.X
	for i, p := range d.plots {
		x := c.Min.X + vg.Length(i%panelsPerRow)*(d.w+panelGap)
		y := c.Max.Y - d.titleHeight - vg.Length(i/panelsPerRow)*(d.h+d.titleHeight+panelGap)
		at := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - d.h}, Max: vg.Point{X: x + d.w, Y: y},
		}}
		p.Draw(at)
		data := p.DataCanvas(at)
		frame := draw.LineStyle{Color: ink, Width: thinWidth}
		c.StrokeLines(frame, append(corners(data.Rectangle), data.Min))
		fillText(c, d.titleStyle, vg.Point{X: data.Center().X, Y: data.Max.Y + titleAbove}, d.titles[i])
		if i == 0 {
			first = data.Rectangle
		}
		right = max(right, x+d.w)
	}
	d.drawBar(c, vg.Rectangle{
		Min: vg.Point{X: right + barGap, Y: first.Min.Y},
		Max: vg.Point{X: right + barGap + barWidth, Y: first.Max.Y},
	})
}

// drawBar draws the colour scale with its ticks, in one row with the first panels.
func (d *heatDrawing) drawBar(c draw.Canvas, r vg.Rectangle) {
	strip := image.NewNRGBA(image.Rect(0, 0, 1, imageSide))
	for i := range imageSide {
		f := (float64(imageSide-1-i) + 0.5) / imageSide
		strip.Set(0, i, d.colour(d.Min+f*(d.Max-d.Min)))
	}
	c.DrawImage(r, enlarged(strip, 16, 1))
	frame := draw.LineStyle{Color: ink, Width: thinWidth}
	c.StrokeLines(frame, append(corners(r), r.Min))
	for _, t := range d.bar {
		if t.IsMinor() {
			continue
		}
		y := r.Min.Y + r.Size().Y*vg.Length((t.Value-d.Min)/(d.Max-d.Min))
		c.StrokeLine2(frame, r.Max.X, y, r.Max.X+3, y)
		c.FillText(d.tickStyle, vg.Point{X: r.Max.X + 6, Y: y + d.tickStyle.FontExtents().Descent}, t.Label)
	}
	sty := d.titleStyle
	sty.XAlign = text.XLeft
	fillText(c, sty, vg.Point{X: r.Min.X, Y: r.Max.Y + titleAbove}, d.Label)
}

// corners returns the corners of a rectangle in order.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

// heatPanel draws one grid.
type heatPanel struct {
	Panel
	of *heatDrawing
}

// Plot implements plot.Plotter.
func (h *heatPanel) Plot(c draw.Canvas, p *plot.Plot) {
	nx, ny := len(h.X), len(h.Y)
	img := image.NewNRGBA(image.Rect(0, 0, nx, ny))
	for i := range ny {
		for j := range nx {
			img.Set(j, ny-1-i, h.of.colour(h.Z[i][j]))
		}
	}
	times := (imageSide + max(nx, ny) - 1) / max(nx, ny)
	c.DrawImage(c.Rectangle, enlarged(img, times, times))
	h.drawBest(c, p)
}

// drawBest marks the best points and draws the limit, in white and dark lines that are seen on every colour.
func (h *heatPanel) drawBest(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	along := func(ys []float64) (line []vg.Point) {
		for j, y := range ys {
			if at := h.of.Y.at(y); at >= p.Y.Min && at <= p.Y.Max {
				line = append(line, vg.Point{X: toX(h.of.X.at(h.X[j])), Y: toY(at)})
			}
		}
		return line
	}
	best, limit := along(h.Best), along(h.Limit)
	for _, s := range []draw.LineStyle{{Color: color.White, Width: 3}, {Color: ink, Width: 1.2}} {
		if len(best) > 1 {
			c.StrokeLines(s, best)
		}
		for _, at := range best {
			c.SetColor(s.Color)
			c.Fill(marker{}.path(at, 1.2+s.Width/2))
		}
		if s.Color == ink {
			s.Dashes = []vg.Length{4, 3}
		}
		if len(limit) > 1 {
			c.StrokeLines(s, limit)
		}
	}
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
