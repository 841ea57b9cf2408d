package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pngDPI is the resolution of the PNG.
const pngDPI = 150

// Room around a figure and below its title, in points.
const (
	margin   = 6
	titleGap = 6
)

// By default the PDF backend writes the current date and lists images in map order. vgpdf gives no access to the document,
// so the package changes the defaults.
func init() {
	fpdf.SetDefaultCatalogSort(true)
	fixed := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(fixed)
	fpdf.SetDefaultModificationDate(fixed)
}

// A Picture is a drawn figure in three formats, and as the report shows it. The same figure gives the same bytes.
type Picture struct {
	SVG, PNG, PDF []byte
	sheet         *sheet
}

// A drawing is a figure with its layout. It knows its size and draws itself on a canvas of that size.
type drawing interface {
	size() (w, h vg.Length)
	draw(draw.Canvas)
}

// Render draws a figure. It returns an error if there is nothing to draw, or if the font has no glyph for a character.
func Render(f Figure) (*Picture, error) {
	glyphs, err := newOutlines()
	if err != nil {
		return nil, err
	}
	var d drawing
	switch {
	case f.Curves != nil && f.Heat != nil:
		panic("plots: a figure is either curves or heat maps")
	case f.Curves != nil:
		d, err = layOutCurves(f.Curves, glyphs)
	case f.Heat != nil:
		d, err = layOutHeat(f.Heat, glyphs)
	default:
		err = ErrNoData
	}
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	p, err := drawAll(titled(d, f.Title, glyphs), f)
	if err == nil {
		err = glyphs.err
	}
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	return p, nil
}

// drawAll draws on the canvas of each format.
func drawAll(d drawing, f Figure) (*Picture, error) {
	w, h := d.size()
	var p Picture
	for _, format := range []struct {
		canvas vg.Canvas
		output io.WriterTo
		into   *[]byte
	}{
		svgFormat(w, h, &p.SVG), pngFormat(w, h, &p.PNG), pdfFormat(w, h, &p.PDF),
	} {
		c := draw.NewCanvas(format.canvas, w, h)
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		d.draw(c)
		var b bytes.Buffer
		if _, err := format.output.WriteTo(&b); err != nil {
			return nil, err
		}
		*format.into = b.Bytes()
	}
	p.SVG = tidySVG(p.SVG, f.Title)
	p.sheet = drawSheet(d)
	return &p, nil
}

type format = struct {
	canvas vg.Canvas
	output io.WriterTo
	into   *[]byte
}

func svgFormat(w, h vg.Length, into *[]byte) format {
	c := vgsvg.New(w, h)
	return format{c, c, into}
}

func pngFormat(w, h vg.Length, into *[]byte) format {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}
	return format{c, c, into}
}

func pdfFormat(w, h vg.Length, into *[]byte) format {
	c := vgpdf.New(w, h)
	return format{pdfCanvas{c, map[int]bool{}}, c, into}
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

// style returns the look of text in a figure.
func (o *outlines) style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	sty := text.Style{Color: ink, XAlign: x, YAlign: y, Handler: o}
	sty.Font.Size = size
	return sty
}

// fillText draws text so that pt is on the edge of its box that the style names. gonum/plot puts the box lower by the
// descent.
func fillText(c draw.Canvas, sty text.Style, pt vg.Point, txt string) {
	pt.Y += sty.FontExtents().Descent
	c.FillText(sty, pt, txt)
}

// newPlot returns a gonum plot in this package's style, without data.
func (o *outlines) newPlot(x, y Axis, xr, yr interval) *plot.Plot {
	p := plot.New()
	p.TextHandler = o
	p.BackgroundColor = nil
	p.Title.TextStyle.Handler, p.Legend.TextStyle.Handler = o, o
	for _, a := range []struct {
		to    *plot.Axis
		from  Axis
		shown interval
	}{{&p.X, x, xr}, {&p.Y, y, yr}} {
		a.to.Min, a.to.Max = a.shown.lo, a.shown.hi
		a.to.Label.Text = a.from.Label
		a.to.Label.TextStyle = o.style(labelSize, a.to.Label.TextStyle.XAlign, a.to.Label.TextStyle.YAlign)
		a.to.Label.Padding = 3
		a.to.Tick.Label = o.style(tickSize, a.to.Tick.Label.XAlign, a.to.Tick.Label.YAlign)
		a.to.Tick.Length = 4
		a.to.Tick.Color, a.to.Color = ink, ink
		a.to.Tick.Marker = plot.ConstantTicks(a.from.ticks(a.shown.lo, a.shown.hi))
		a.to.Padding = 0
	}
	return p
}

// A withTitle is a drawing below a title.
type withTitle struct {
	drawing
	title string // wrapped
	style text.Style
}

// titled returns a drawing with a title above it and a margin around both.
func titled(d drawing, title string, o *outlines) drawing {
	w, _ := d.size()
	sty := o.style(titleSize, text.XLeft, text.YTop)
	if title != "" {
		title = o.wrap(title, titleSize, w)
	}
	return withTitle{d, title, sty}
}

// height returns the height of the title and the gap below it.
func (t withTitle) height() vg.Length {
	if t.title == "" {
		return 0
	}
	return t.style.Height(t.title) + titleGap
}

func (t withTitle) size() (w, h vg.Length) {
	w, h = t.drawing.size()
	return w + 2*margin, h + t.height() + 2*margin
}

func (t withTitle) draw(c draw.Canvas) {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	if t.title != "" {
		fillText(c, t.style, vg.Point{X: c.Min.X, Y: c.Max.Y}, t.title)
	}
	t.drawing.draw(draw.Crop(c, 0, 0, 0, -t.height()))
}
