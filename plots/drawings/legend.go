package drawings

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

// Legend measures, in points.
const (
	leastLegend = 6.5 // smallest standard size of text in points, if the legend is too high otherwise
	swatchWidth = 30
	swatchGap   = 5
	entryGap    = 4
	columnGap   = 16
	legendGap   = 12 // between panel and legend
)

// An entry is one label of the legend with its swatch, which swatch draws in its box.
type entry struct {
	label  string
	swatch func(draw.Canvas)
	end    *lineEnd // nil if the entry is of no line that ends in the panel
}

// A lineEnd is where a line ends in the panel.
type lineEnd struct {
	at     vertex
	colour color.Color
	clear  bool // the line has an end that can be labelled
}

// A legend is a block of entries in columns.
type legend struct {
	*theme
	entries []entry
	columns int
	style   text.Style
}

// newLegend returns a legend in text of a standard size whose labels are broken into lines so that a column is no wider than
// widest, with as many columns as fit in the width.
func newLegend(entries []entry, o *outlines, size, widest, width vg.Length) legend {
	l := legend{theme: o.theme, columns: 1, style: o.style(size, text.XLeft, text.YTop)}
	label := max(widest-o.pt(swatchWidth+swatchGap), o.pt(40))
	for _, e := range entries {
		e.label = o.wrap(e.label, size, label)
		l.entries = append(l.entries, e)
	}
	gap := o.pt(columnGap)
	l.columns = max(1, min(len(entries), int((width+gap)/(l.columnWidth()+gap))))
	return l
}

// newLowLegend returns a legend for the room below a panel, as low as it can be: its labels are broken so that one to four columns
// fit in the width. If it is higher than wanted, its text is smaller, down to leastLegend.
func newLowLegend(entries []entry, o *outlines, width, wanted vg.Length) legend {
	const mostColumns = 4
	gap := o.pt(columnGap)
	for size := vg.Length(legendSize); ; size -= 0.5 {
		var best legend
		least := vg.Length(math.Inf(1))
		for n := range mostColumns {
			columns := vg.Length(n + 1)
			l := newLegend(entries, o, size, (width-(columns-1)*gap)/columns, width)
			if w, h := l.size(); h < least && (w <= width || n == 0) {
				best, least = l, h
			}
		}
		if least <= wanted || size-0.5 < leastLegend {
			return best
		}
	}
}

// columnWidth returns the width of a column.
func (l legend) columnWidth() vg.Length {
	var w vg.Length
	for _, e := range l.entries {
		w = max(w, l.style.Width(e.label))
	}
	return l.pt(swatchWidth+swatchGap) + w
}

// rows returns how many entries stand in a column.
func (l legend) rows() int { return (len(l.entries) + l.columns - 1) / l.columns }

// rowHeight returns the height of the row with the given index, without the gap below it.
func (l legend) rowHeight(row int) vg.Length {
	var h vg.Length
	for i := row; i < len(l.entries); i += l.rows() {
		h = max(h, l.style.Height(l.entries[i].label))
	}
	return h
}

// size returns the width and the height of the legend.
func (l legend) size() (w, h vg.Length) {
	if len(l.entries) == 0 {
		return 0, 0
	}
	for row := range l.rows() {
		h += l.rowHeight(row) + l.pt(entryGap)
	}
	return vg.Length(l.columns)*(l.columnWidth()+l.pt(columnGap)) - l.pt(columnGap), h - l.pt(entryGap)
}

// draw writes the legend from its upper left corner on, column by column.
func (l legend) draw(c draw.Canvas, corner vg.Point) {
	for i, e := range l.entries {
		row, column := i%l.rows(), i/l.rows()
		x := corner.X + vg.Length(column)*(l.columnWidth()+l.pt(columnGap))
		y := corner.Y
		for r := range row {
			y -= l.rowHeight(r) + l.pt(entryGap)
		}
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y - l.style.Height("x")}, Max: vg.Point{X: x + l.pt(swatchWidth), Y: y}}
		e.swatch(draw.Canvas{Canvas: c.Canvas, Rectangle: box})
		fillText(c, l.style, vg.Point{X: box.Max.X + l.pt(swatchGap), Y: y}, e.label)
	}
}

// Room around a figure, below its title and above its note, in points.
const (
	margin   = 6
	titleGap = 6
	noteGap  = 4
)

// A drawing is a figure with its layout. It knows its size and draws itself on a canvas of that size.
type drawing interface {
	size() (w, h vg.Length)
	draw(draw.Canvas)
}

// style returns the look of text of a standard size in a figure.
func (o *outlines) style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	sty := text.Style{Color: o.Ink, XAlign: x, YAlign: y, Handler: o}
	sty.Font.Size = o.pt(size)
	return sty
}

// fillText draws text so that pt is on the edge of its box that the style names. gonum/plot puts the box lower by the
// descent.
func fillText(c draw.Canvas, sty text.Style, pt vg.Point, txt string) {
	pt.Y += sty.FontExtents().Descent
	c.FillText(sty, pt, txt)
}

// newPlot returns a gonum plot in the theme's style, without data, for a panel with axes of the given size. It breaks axis
// labels that are longer than the panel into two lines, in smaller letters if necessary.
func (o *outlines) newPlot(x, y figures.Axis, xr, yr figures.Interval, panel vg.Point, tick vg.Length) *plot.Plot {
	p := plot.New()
	p.TextHandler = o
	p.BackgroundColor = nil
	p.Title.TextStyle.Handler, p.Legend.TextStyle.Handler = o, o
	em := o.pt(tick)
	for _, a := range []struct {
		to     *plot.Axis
		from   figures.Axis
		shown  figures.Interval
		length vg.Length // of the axis, about
		room   vg.Length // that a tick label needs
	}{{&p.X, x, xr, panel.X - o.pt(40), 4 * em}, {&p.Y, y, yr, panel.Y - o.pt(34), 2 * em}} {
		a.to.Min, a.to.Max = a.shown.Lo, a.shown.Hi
		words, size := o.fitted(a.from.Label, labelSize, a.length, 2)
		a.to.Label.Text = words
		a.to.Label.TextStyle = o.style(size, a.to.Label.TextStyle.XAlign, a.to.Label.TextStyle.YAlign)
		a.to.Label.Padding = o.pt(3)
		a.to.Tick.Label = o.style(tick, a.to.Tick.Label.XAlign, a.to.Tick.Label.YAlign)
		a.to.Tick.Length = o.pt(4)
		a.to.Tick.Width, a.to.Width = o.pt(thinWidth), o.pt(thinWidth)
		a.to.Tick.Color, a.to.Color = o.Ink, o.Ink
		a.to.Tick.Marker = marks(a.from.Ticks(a.shown.Lo, a.shown.Hi, int(a.length/a.room)))
		a.to.Padding = 0
	}
	return p
}

// marks are ticks for gonum/plot.
func marks(ticks []figures.Tick) (marks plot.ConstantTicks) {
	for _, t := range ticks {
		marks = append(marks, plot.Tick{Value: t.At, Label: t.Label})
	}
	return marks
}

// A textBlock is a text broken into lines, with a gap between it and what it belongs to. That without a text takes no room.
type textBlock struct {
	text  string
	style text.Style
	gap   vg.Length
}

// block breaks a text into two lines at most, so that it fits in a width, in smaller letters if necessary.
func (o *outlines) block(txt string, size, width, gap vg.Length) textBlock {
	if txt == "" {
		return textBlock{style: o.style(size, text.XLeft, text.YTop)}
	}
	lines, size := o.fitted(txt, size, width, 2)
	return textBlock{lines, o.style(size, text.XLeft, text.YTop), o.pt(gap)}
}

// height returns the height of the text, and room that with the gap.
func (b textBlock) height() vg.Length { return b.style.Height(b.text) }

func (b textBlock) room() vg.Length {
	if b.text == "" {
		return 0
	}
	return b.height() + b.gap
}

// labelAxes writes the labels that the axes of several panels have in common below and left of them.
func (o *outlines) labelAxes(c draw.Canvas, x, y textBlock, panels vg.Rectangle) {
	sty := x.style
	sty.XAlign = text.XCenter
	fillText(c, sty, vg.Point{X: (panels.Min.X + panels.Max.X) / 2, Y: panels.Min.Y - x.gap}, x.text)
	sty = y.style
	sty.XAlign, sty.Rotation = text.XCenter, math.Pi/2
	c.FillText(sty, vg.Point{X: panels.Min.X - y.room(), Y: (panels.Min.Y + panels.Max.Y) / 2}, y.text)
}

// A framed is a drawing between a title and a note.
type framed struct {
	drawing
	*theme
	title, note textBlock
}

func (t framed) size() (w, h vg.Length) {
	w, h = t.drawing.size()
	w = max(w, t.title.style.Width(t.title.text), t.note.style.Width(t.note.text)) + 2*t.pt(margin)
	h += t.title.room() + t.note.room() + 2*t.pt(margin)
	return w, h
}

func (t framed) draw(c draw.Canvas) {
	m := t.pt(margin)
	c = draw.Crop(c, m, -m, m, -m)
	fillText(c, t.title.style, vg.Point{X: c.Min.X, Y: c.Max.Y}, t.title.text)
	fillText(c, t.note.style, vg.Point{X: c.Min.X, Y: c.Min.Y + t.note.height()}, t.note.text)
	c = draw.Crop(c, 0, 0, t.note.room(), -t.title.room())
	t.drawing.draw(c)
}
