package drawings

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

// Measures of small multiples, in points.
const (
	mostTogether   = 6    // curves in one panel
	mostAbreast    = 4    // panels
	mostMultiples  = 16   // panels in all
	narrowMultiple = 92   // least width of a panel with its axes
	flatMultiple   = 0.75 // height by width
	multipleTitle  = 8.0  // size
	multipleSwatch = 20
)

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
	if m := d.multiples(room); m != nil {
		return m, nil
	}
	d.arrangement = d.arrange(room)
	return d, nil
}

// A multiplesDrawing shows each of many curves in a panel of its own, in front of all others in grey.
type multiplesDrawing struct {
	*curvesDrawing
	lines       []figures.Line // that have a panel
	plots       []*plot.Plot
	insets      []vg.Rectangle // by which the corners of a panel whose neighbours have the numbers of its axes move
	titles      []textBlock
	titleHeight vg.Length
	columns     int
	w, h        vg.Length // of a panel
	x, y        textBlock // labels of the axes
	legend      legend    // of all but curves
}

// multiples splits a panel of more than mostTogether curves; nil if it has fewer or very many, if its style wants a legend, or if there
// is no room.
func (d *curvesDrawing) multiples(room vg.Length) *multiplesDrawing {
	o := d.o
	m := &multiplesDrawing{curvesDrawing: d}
	for _, l := range d.Lines {
		if _, seen := d.last(l); !l.Beside && (seen || len(l.Breaks) > 0) {
			m.lines = append(m.lines, l)
		}
	}
	alone := slices.ContainsFunc(d.Marks, func(k figures.Mark) bool { // a published value whose curve has no panel
		return !slices.ContainsFunc(m.lines, func(l figures.Line) bool { return l.Style == k.Style })
	})
	n := len(m.lines)
	most := min(mostAbreast, int(room/o.pt(narrowMultiple)))
	if n <= mostTogether || n > mostMultiples || most < 2 || alone {
		return nil
	}
	rows := (n + most - 1) / most
	m.columns = (n + rows - 1) / rows
	m.legend = newLowLegend(d.otherEntries(), o, room, vg.Length(math.Inf(1)))
	m.x, m.y = o.block(d.X.Label, labelSize, room, titleGap), o.block(d.Y.Label, labelSize, room/3, titleGap)
	gaps := o.pt(panelGap) * vg.Length(m.columns-1)
	m.w = (room - m.y.room() - gaps) / vg.Length(m.columns)
	for _, l := range m.lines {
		words, size := o.fitted(labelOf(l), multipleTitle, m.w-o.pt(multipleSwatch+swatchGap), 3)
		title := textBlock{text: words, style: o.style(size, text.XLeft, text.YTop)}
		m.titles, m.titleHeight = append(m.titles, title), max(m.titleHeight, title.height()+o.pt(titleAbove))
	}
	m.h = flatMultiple * m.w
	for _, l := range m.lines {
		m.addPanel(l)
	}
	return m
}

// addPanel makes the panel of a line.
func (m *multiplesDrawing) addPanel(l figures.Line) {
	p := m.o.newPlot(figures.Axis{Log: m.X.Log, Decimal: m.X.Decimal}, figures.Axis{Log: m.Y.Log, Decimal: m.Y.Decimal}, m.XR, m.YR, vg.Point{X: m.w, Y: m.h}, panelTick)
	p.Add(multiple{m.curvesDrawing, l})
	box, i := draw.NewCanvas(nil, m.w, m.h), len(m.plots)
	whole := p.DataCanvas(box)
	for _, a := range []struct {
		of    *plot.Axis
		outer bool
	}{{&p.X, i+m.columns >= len(m.lines)}, {&p.Y, i%m.columns == 0}} {
		if !a.outer {
			a.of.Tick.Marker = unlabelled(a.of.Tick.Marker.Ticks(a.of.Min, a.of.Max))
		}
	}
	bare := p.DataCanvas(box)
	m.plots, m.insets = append(m.plots, p), append(m.insets, vg.Rectangle{Min: whole.Min.Sub(bare.Min), Max: whole.Max.Sub(bare.Max)})
}

// unlabelled returns ticks with the grid of those given, but with blanks for numbers.
func unlabelled(ticks []plot.Tick) (blank plot.ConstantTicks) {
	for _, t := range ticks {
		if !t.IsMinor() {
			t.Label = " "
		}
		blank = append(blank, t)
	}
	return blank
}

// A multiple is what the panel of a line shows.
type multiple struct {
	*curvesDrawing
	line figures.Line
}

// Plot implements plot.Plotter.
func (m multiple) Plot(c draw.Canvas, p *plot.Plot) {
	var own, others []figures.Line
	for _, l := range m.Lines {
		if l.Style == m.line.Style && l.Method == m.line.Method {
			own = append(own, l)
		} else if !l.Beside {
			others = append(others, l)
		}
	}
	m.drawWithin(c, p, own, others, slices.DeleteFunc(slices.Clone(m.Marks), func(k figures.Mark) bool { return k.Style != m.line.Style }))
}

// size returns the size of all panels with the labels and the legend.
func (m *multiplesDrawing) size() (w, h vg.Length) {
	gap := m.o.pt(panelGap)
	columns, rows := vg.Length(m.columns), vg.Length((len(m.lines)+m.columns-1)/m.columns)
	_, lh := m.legend.size()
	if lh > 0 {
		lh += m.o.pt(legendGap)
	}
	return m.y.room() + columns*(m.w+gap) - gap, rows*(m.titleHeight+m.h+gap) - gap + m.x.room() + lh
}

func (m *multiplesDrawing) draw(c draw.Canvas) {
	if page, ok := below(c).(*Sheet); ok {
		page.Split = true
	}
	o, gap := m.o, m.o.pt(panelGap)
	left, low := c.Min.X+m.y.room(), c.Max.Y
	for i, p := range m.plots {
		x := left + vg.Length(i%m.columns)*(m.w+gap)
		top := c.Max.Y - vg.Length(i/m.columns)*(m.titleHeight+m.h+gap)
		low = top - m.titleHeight - m.h
		at := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: low}.Add(m.insets[i].Min), Max: vg.Point{X: x + m.w, Y: low + m.h}.Add(m.insets[i].Max)}}
		p.Draw(at)
		sty := o.lookOf(m.lines[i])
		height := m.titles[i].style.Height("x")
		head := top - m.titleHeight + o.pt(titleAbove) + m.titles[i].height()
		sty.lineSwatch(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: head - height}, Max: vg.Point{X: x + o.pt(multipleSwatch), Y: head},
		}}, figures.Line{Breaks: m.lines[i].Breaks})
		fillText(c, m.titles[i].style, vg.Point{X: x + o.pt(multipleSwatch+swatchGap), Y: head}, m.titles[i].text)
	}
	_, h := m.size()
	_, lh := m.legend.size()
	width := vg.Length(m.columns)*(m.w+gap) - gap
	o.labelAxes(c, m.x, m.y, vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: left + width, Y: c.Max.Y - m.titleHeight}})
	m.legend.draw(c, vg.Point{X: left, Y: c.Max.Y - h + lh})
}
