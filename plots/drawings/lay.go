package drawings

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

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
