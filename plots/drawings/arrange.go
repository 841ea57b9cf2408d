package drawings

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

// Measures of labels at the ends of curves, in points.
const (
	leaderWidth = 12
	endSwatch   = 18
)

// Measures by which the place of the legend is chosen, most as shares of the room for a figure.
const (
	widestLabels = 0.36 // of the width, beside the panel
	leastPanel   = 0.58 // of the width, beside a legend
	mostShift    = 0.30 // of the panel's height, between the end of a curve and its label
	latestEnd    = 0.85 // of the range of x: curves that end before have no label at their end
	leastHeight  = 120  // of a panel in points: the figure becomes higher than its style wants if the legend leaves less
	mostBeside   = 0.6  // of the height of a narrow figure, for a legend beside its panel
	mostLegend   = 0.4  // of the height of the room, below the panel
	ratioHeight  = 90   // of the panel of ratios in points
	mostRatio    = 0.35 // of the height of both panels
)

// arrange puts the legend where the style wants it or, if it says nothing, at the ends of the curves, right of the panel,
// inside it or below it: the first place at which it fits. A room without a height takes the height that the content needs.
//
// Guides have their labels beside them, if there is room, and else in the legend.
func (d *curvesDrawing) arrange(room vg.Point) arrangement {
	if len(d.GuideLines) > 0 {
		d.unlisted = true
		a := d.arrangeEntries(room)
		if labels, ok := d.labelGuides(a); ok {
			a.guideLabels = labels
			return a
		}
		d.unlisted = false
	}
	return d.arrangeEntries(room)
}

func (d *curvesDrawing) arrangeEntries(room vg.Point) arrangement {
	all := d.entries()
	flexible := room.Y == 0
	if flexible {
		room.Y = 0.5 * room.X
		if d.narrow(room) {
			room.Y = 0.66 * room.X
		}
		if d.ratio != nil {
			room.Y += d.o.pt(ratioHeight)
		}
	}
	if len(all) == 0 {
		return d.alone(room)
	}
	if a, ok := d.withEnds(all, room, flexible); ok {
		return a
	}
	right, fits := d.beside(all, room)
	if fits {
		return right
	}
	if a, free := d.within(all, room); free {
		return a
	}
	below := d.below(all, room, flexible)
	if !flexible && below.panel.Y*below.panel.X < right.panel.Y*right.panel.X {
		return right
	}
	return below
}

// narrow reports whether a figure is as wide as a column of a paper.
func (d *curvesDrawing) narrow(room vg.Point) bool { return room.X < d.o.pt(400) }

// alone is a panel without a legend.
func (d *curvesDrawing) alone(panel vg.Point) arrangement {
	a := arrangement{place: figures.LegendNone}
	d.plotIn(&a, panel, panel)
	return a
}

// plotIn gives an arrangement its size, and that of its panel, and makes the plots. The labels of their vertical axes get the same room,
// so that the panels are aligned.
func (d *curvesDrawing) plotIn(a *arrangement, whole, panel vg.Point) {
	a.whole, a.panel = whole, panel
	if d.ratio != nil {
		a.under = min(d.o.pt(ratioHeight), mostRatio*panel.Y)
	}
	a.plot = d.newPlot(vg.Point{X: panel.X, Y: panel.Y - a.under})
	if d.ratio == nil {
		return
	}
	a.ratios = d.ratio.newPlot(vg.Point{X: panel.X, Y: a.under})
	wider := a.data().Min.X - a.ratios.DataCanvas(draw.NewCanvas(nil, panel.X, a.under)).Min.X
	a.ratios.Y.Label.Padding += max(0, wider)
	a.plot.Y.Label.Padding += max(0, -wider)
}

func (d *curvesDrawing) newPlot(panel vg.Point) *plot.Plot {
	p := d.o.newPlot(d.X, d.Y, d.XR, d.YR, panel, tickSize)
	p.Add(d)
	return p
}

// beside puts the legend right of the panel. It reports whether both have room.
func (d *curvesDrawing) beside(all []entry, room vg.Point) (arrangement, bool) {
	l := newLegend(all, d.o, legendSize, widestLabels*room.X, 0)
	w, h := l.size()
	for size := vg.Length(legendSize - 0.5); h > room.Y && size >= leastLegend; size -= 0.5 {
		l = newLegend(all, d.o, size, widestLabels*room.X, 0)
		w, h = l.size()
	}
	a := d.alone(vg.Point{X: max(room.X-w-d.o.pt(legendGap), room.X/4), Y: room.Y})
	a.whole, a.place, a.legend = vg.Point{X: room.X, Y: max(room.Y, h)}, figures.LegendRight, l
	most := room.Y
	if d.narrow(room) {
		most *= mostBeside
	}
	return a, a.panel.X >= leastPanel*room.X && h <= most && l.style.Font.Size == d.o.pt(legendSize)
}

// below puts the legend below the panel, in columns. If the height is fixed, the panel is lower by the legend.
func (d *curvesDrawing) below(all []entry, room vg.Point, flexible bool) arrangement {
	l := newLowLegend(all, d.o, room.X, mostLegend*room.Y)
	_, h := l.size()
	h += d.o.pt(legendGap)
	panel := room
	if flexible {
		room.Y += h
	} else {
		panel.Y = max(room.Y-h, d.o.pt(leastHeight))
	}
	a := d.alone(panel)
	a.whole, a.place, a.legend = vg.Point{X: room.X, Y: panel.Y + h}, figures.LegendBelow, l
	return a
}

// within puts the legend at the corner or the edge of the data area where it hides least. free reports whether it hides
// nothing there.
func (d *curvesDrawing) within(all []entry, room vg.Point) (a arrangement, free bool) {
	a = d.alone(room)
	data := a.data().Size()
	l := newLegend(all, d.o, legendSize, 0.6*data.X, 0)
	w, h := l.size()
	a.place, a.legend = figures.LegendInside, l
	pad := d.o.pt(2 * boxPadding)
	points := d.obstacles(data)
	least := math.MaxInt
	for _, fx := range []vg.Length{1, 0, 0.5} {
		for _, fy := range []vg.Length{1, 0, 0.5} {
			at := vg.Point{X: pad + fx*(data.X-w-2*pad), Y: pad + fy*(data.Y-h-2*pad)}
			hidden := 0
			for _, p := range points {
				if p.X > at.X-pad && p.X < at.X+w+pad && p.Y > at.Y-pad && p.Y < at.Y+h+pad {
					hidden++
				}
			}
			if hidden < least {
				least, a.inside = hidden, at
			}
		}
	}
	return a, least == 0 && w < 0.7*data.X && h < 0.6*data.Y
}

// obstacles returns points along everything that a legend inside a data area of the given size must not hide.
func (d *curvesDrawing) obstacles(size vg.Point) (points []vg.Point) {
	add := func(v vertex) {
		if d.holds(v) {
			points = append(points, d.on(size, v))
		}
	}
	along := func(vs []vertex) {
		for i, v := range vs {
			add(v)
			if i > 0 && v.Known() && vs[i-1].Known() {
				const apart = 3 // points
				reach := math.Hypot(float64(size.X)*(v.X-vs[i-1].X)/d.XR.Length(), float64(size.Y)*(v.Y-vs[i-1].Y)/d.YR.Length())
				parts := 1 + int(min(reach, 2000)/apart)
				for k := range parts {
					f := float64(k) / float64(parts)
					add(vertexAt(vs[i-1].X+f*(v.X-vs[i-1].X), vs[i-1].Y+f*(v.Y-vs[i-1].Y)))
				}
			}
		}
	}
	for _, l := range d.Lines {
		along(d.Vertices(l))
		if l.Banded() {
			low, high := d.Vertices(figures.Line{X: l.X, Y: l.Low}), d.Vertices(figures.Line{X: l.X, Y: l.High})
			const shares = 8 // of the width of a band
			for k := range shares + 1 {
				f := float64(k) / shares
				inside := make([]vertex, len(low))
				for i := range low {
					inside[i] = vertexAt(low[i].X, low[i].Y+f*(high[i].Y-low[i].Y))
				}
				along(inside)
			}
		}
	}
	for _, g := range d.GuideLines {
		along(g[:])
	}
	for _, m := range d.Marks {
		if y := d.Y.At(m.Y); math.IsNaN(m.X) {
			along([]vertex{vertexAt(d.XR.Lo, y), vertexAt(d.XR.Hi, y)})
		} else {
			add(vertexAt(d.X.At(m.X), y))
		}
	}
	if d.Dots != nil && d.Dots.Classes == nil {
		for i, x := range d.Dots.X {
			add(vertexAt(d.X.At(x), d.Y.At(d.Dots.Y[i])))
		}
	}
	return points
}

// withEnds puts the labels of lines at the ends of the lines, and the other entries below the panel. It reports whether the
// labels fit without overlapping.
func (d *curvesDrawing) withEnds(all []entry, room vg.Point, flexible bool) (arrangement, bool) {
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
	panel := vg.Point{X: room.X - side - widest, Y: room.Y}
	whole := room
	a := arrangement{place: figures.LegendEnds}
	if len(rest) > 0 {
		a.legend = newLowLegend(rest, o, room.X, mostLegend*room.Y)
		_, h := a.legend.size()
		h += o.pt(legendGap)
		if flexible {
			whole.Y += h
		} else {
			panel.Y = max(room.Y-h, o.pt(leastHeight))
			whole.Y = panel.Y + h
		}
	}
	d.plotIn(&a, whole, panel)
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
	return a, panel.X >= leastPanel*room.X && total <= high-low && shift <= mostShift*panel.Y
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
