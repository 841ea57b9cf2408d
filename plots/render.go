// Package plots draws figures as SVG, PNG and PDF and writes the HTML report. Package figures makes the figures from records and
// verdicts, Render draws one. The same input gives the same bytes.
package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"repro/plots/figures"
)

// pngDPI is the resolution of the PNG.
const pngDPI = 150

// Room around a figure, below its title and above its note, in points.
const (
	margin   = 6
	titleGap = 6
	noteGap  = 4
)

// By default the PDF backend writes the current date and lists images in map order. vgpdf gives no access to the document,
// so the package changes the defaults.
func init() {
	fpdf.SetDefaultCatalogSort(true)
	fixed := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(fixed)
	fpdf.SetDefaultModificationDate(fixed)
}

// Formats of figures.
const (
	formatSVG = "svg"
	formatPNG = "png"
	formatPDF = "pdf"
	formatPGF = "pgf"
)

// Formats lists the formats that figures can be drawn in.
var Formats = []string{formatSVG, formatPNG, formatPDF, formatPGF}

// A Picture is a drawn figure: a file in each format, and the images that a PGF file names. The same figure gives the same
// bytes.
type Picture struct {
	Files []File
	sheet *sheet // as the report shows it
}

// A File is the content of a file. Its name is that of the figure with Suffix, such as .svg.
type File struct {
	Suffix string
	Data   []byte
}

// SVG returns the picture as SVG; nil if it was not drawn as such.
func (p *Picture) SVG() []byte { return p.file("." + formatSVG) }

// file returns the content of the file with a suffix.
func (p *Picture) file(suffix string) []byte {
	for _, f := range p.Files {
		if f.Suffix == suffix {
			return f.Data
		}
	}
	return nil
}

// A drawing is a figure with its layout. It knows its size and draws itself on a canvas of that size.
type drawing interface {
	size() (w, h vg.Length)
	draw(draw.Canvas)
}

// Render draws a figure in its own style in the formats given, or as SVG if none is. It returns an error if there is nothing
// to draw, or if the font has no glyph for a character.
func Render(f figures.Figure, formats ...string) (*Picture, error) {
	d, glyphs, err := layOut(f)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	if len(formats) == 0 {
		formats = []string{formatSVG}
	}
	onPage, err := sheetOf(f, d, glyphs)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	p := Picture{sheet: onPage}
	for _, name := range formats {
		if err = p.add(name, d, f, glyphs); err == nil {
			err = glyphs.err
		}
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.ID, err)
		}
	}
	return &p, nil
}

// sheetOf draws a figure, laid out as d, for the report, whose page has a style of its own.
func sheetOf(f figures.Figure, d drawing, glyphs *outlines) (*sheet, error) {
	if f.Style != (figures.Style{}) {
		f.Style = figures.Style{}
		return sheetIn(f)
	}
	s := drawSheet(d)
	return s, glyphs.err
}

// sheetIn draws a figure in its own style, for a page.
func sheetIn(f figures.Figure) (*sheet, error) {
	d, glyphs, err := layOut(f)
	if err != nil {
		return nil, err
	}
	s := drawSheet(d)
	return s, glyphs.err
}

// layOut finds the places of everything in a figure.
func layOut(f figures.Figure) (drawing, *outlines, error) {
	t := themeOf(f.Style)
	glyphs, err := newOutlines(t)
	if err != nil {
		return nil, nil, err
	}
	room := vg.Point{X: t.width - 2*t.pt(margin)}
	whole := framed{theme: t, titleStyle: glyphs.style(titleSize, text.XLeft, text.YTop), noteStyle: glyphs.style(noteSize, text.XLeft, text.YTop)}
	if t.titled && f.Title != "" {
		var size vg.Length
		whole.title, size = glyphs.fitted(f.Title, titleSize, room.X, 2)
		whole.titleStyle = glyphs.style(size, text.XLeft, text.YTop)
	}
	if f.Note != "" {
		var size vg.Length
		whole.note, size = glyphs.fitted(f.Note, noteSize, room.X, 2)
		whole.noteStyle = glyphs.style(size, text.XLeft, text.YTop)
	}
	if t.height > 0 {
		room.Y = t.height - 2*t.pt(margin) - whole.titleHeight() - whole.noteHeight()
	}
	switch {
	case f.Curves != nil && f.Heat != nil:
		panic("plots: a figure is either curves or heat maps")
	case f.Curves != nil:
		whole.drawing, err = layOutCurves(f.Curves, glyphs, room)
	case f.Heat != nil:
		whole.drawing, err = layOutHeat(f.Heat, glyphs, room)
	default:
		err = figures.ErrNoData
	}
	return whole, glyphs, err
}

// add draws the figure in one format.
func (p *Picture) add(name string, d drawing, f figures.Figure, o *outlines) error {
	w, h := d.size()
	var canvas vg.Canvas
	var output io.WriterTo
	var images *pgfCanvas
	switch name {
	case formatSVG:
		c := vgsvg.New(w, h)
		canvas, output = c, c
	case formatPNG:
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}
		canvas, output = c, c
	case formatPDF:
		c := vgpdf.New(w, h)
		canvas, output = pdfCanvas{c, map[int]bool{}}, c
	case formatPGF:
		images = newPGF(w, h, f.ID, o.face)
		canvas, output = images, images
	default:
		return fmt.Errorf("unknown format %q: want %s", name, strings.Join(Formats, ", "))
	}
	c := draw.NewCanvas(canvas, w, h)
	c.SetColor(o.ground)
	c.Fill(c.Rectangle.Path())
	d.draw(c)
	var b bytes.Buffer
	if _, err := output.WriteTo(&b); err != nil {
		return err
	}
	data := b.Bytes()
	if name == formatSVG {
		data = tidySVG(data, f.Title)
	}
	p.Files = append(p.Files, File{"." + name, data})
	if images != nil {
		p.Files = append(p.Files, images.images...)
	}
	return nil
}

// pdfCanvas is a canvas that corrects vgpdf. It passes colours without multiplying them by their opacity, because
// translucent bands would be grey otherwise. It turns images upside down. It gives all images different widths, because
// fpdf writes images in the order of their widths, and images of one width in any order.
type pdfCanvas struct {
	vg.Canvas
	widths map[int]bool // of the images so far
}

// DrawImage implements vg.Canvas.
func (s pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	b := img.Bounds()
	times := 1
	for s.widths[times*b.Dx()] {
		times++
	}
	s.widths[times*b.Dx()] = true
	out := image.NewNRGBA(image.Rect(0, 0, times*b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range times * b.Dx() {
			out.Set(x, b.Dy()-1-y, img.At(b.Min.X+x/times, b.Min.Y+y))
		}
	}
	s.Canvas.DrawImage(r, out)
}

// SetColor implements vg.Canvas.
func (s pdfCanvas) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	s.Canvas.SetColor(components(color.NRGBA64Model.Convert(c).(color.NRGBA64)))
}

// components is a colour whose RGBA are not multiplied with its opacity.
type components color.NRGBA64

// RGBA implements color.Color.
func (c components) RGBA() (r, g, b, a uint32) {
	return uint32(c.R), uint32(c.G), uint32(c.B), uint32(c.A)
}

// style returns the look of text of a standard size in a figure.
func (o *outlines) style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	sty := text.Style{Color: o.ink, XAlign: x, YAlign: y, Handler: o}
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
		a.to.Tick.Color, a.to.Color = o.ink, o.ink
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

// A framed is a drawing between a title and a note.
type framed struct {
	drawing
	*theme
	title, note           string // wrapped
	titleStyle, noteStyle text.Style
}

// titleHeight returns the height of a wrapped title and the gap below it.
func (t framed) titleHeight() vg.Length {
	if t.title == "" {
		return 0
	}
	return t.titleStyle.Height(t.title) + t.pt(titleGap)
}

// noteHeight returns the height of a wrapped note and the gap above it.
func (t framed) noteHeight() vg.Length {
	if t.note == "" {
		return 0
	}
	return t.noteStyle.Height(t.note) + t.pt(noteGap)
}

func (t framed) size() (w, h vg.Length) {
	w, h = t.drawing.size()
	w = max(w, t.titleStyle.Width(t.title), t.noteStyle.Width(t.note)) + 2*t.pt(margin)
	h += t.titleHeight() + t.noteHeight() + 2*t.pt(margin)
	if t.height > 0 {
		return max(w, t.width), max(h, t.height)
	}
	return w, h
}

func (t framed) draw(c draw.Canvas) {
	m := t.pt(margin)
	c = draw.Crop(c, m, -m, m, -m)
	if t.title != "" {
		fillText(c, t.titleStyle, vg.Point{X: c.Min.X, Y: c.Max.Y}, t.title)
	}
	if t.note != "" {
		fillText(c, t.noteStyle, vg.Point{X: c.Min.X, Y: c.Min.Y + t.noteStyle.Height(t.note)}, t.note)
	}
	c = draw.Crop(c, 0, 0, t.noteHeight(), -t.titleHeight())
	if w, _ := t.drawing.size(); t.height > 0 {
		c = draw.Crop(c, (c.Size().X-w)/2, 0, 0, 0)
	}
	t.drawing.draw(c)
}
