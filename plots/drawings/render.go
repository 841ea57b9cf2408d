// Package drawings lays figures out and draws them as SVG, PNG and PDF, and for a page. It knows no records. The same figure
// gives the same bytes.
package drawings

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"repro/plots/figures"
	"repro/results/printed"
)

// The resolution of a PNG, unless it then has more than so many pixels.
const (
	pngDPI     = 300
	mostPixels = 40e6
)

// dpiOf returns the resolution of a PNG.
func dpiOf(w, h vg.Length) int {
	inches := math.Sqrt(float64(w / vg.Inch * (h / vg.Inch)))
	return int(min(pngDPI, math.Sqrt(mostPixels)/inches))
}

// Formats of figures.
const (
	formatSVG = "svg"
	formatPNG = "png"
	formatPDF = "pdf"
)

// Formats lists the formats that figures can be drawn in.
var Formats = []string{formatSVG, formatPNG, formatPDF}

// A Picture is a drawn figure: a file in each format. The same figure gives the same bytes.
type Picture struct {
	Files []File
	Sheet *Sheet // as the report shows it
}

// A File is the content of a file. Its name is that of the figure with Suffix, such as .svg.
type File struct {
	Suffix string
	Data   []byte
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
	p := Picture{Sheet: onPage}
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
func sheetOf(f figures.Figure, d drawing, glyphs *outlines) (*Sheet, error) {
	if f.Style != (figures.Style{}) {
		f.Style = figures.Style{}
		var err error
		if d, glyphs, err = layOut(f); err != nil {
			return nil, err
		}
	}
	s := drawSheet(d)
	return s, glyphs.err
}

// add draws the figure in one format.
func (p *Picture) add(name string, d drawing, f figures.Figure, o *outlines) error {
	w, h := d.size()
	var canvas vg.Canvas
	var output io.WriterTo
	switch name {
	case formatSVG:
		c := vgsvg.New(w, h)
		canvas, output = c, c
	case formatPNG:
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpiOf(w, h)))}
		canvas, output = c, c
	case formatPDF:
		c := newPDF(w, h)
		canvas, output = c, c
	default:
		return fmt.Errorf("unknown format %q: want %s", name, strings.Join(Formats, ", "))
	}
	c := draw.NewCanvas(canvas, w, h)
	c.SetColor(o.Paper)
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
	return nil
}

// layOut finds the places of everything in a figure.
func layOut(f figures.Figure) (drawing, *outlines, error) {
	t := themeOf(f.Style)
	glyphs, err := newOutlines(t)
	if err != nil {
		return nil, nil, err
	}
	room := t.width - 2*t.pt(margin)
	if !t.titled {
		f.Title = ""
	}
	whole := framed{theme: t, title: glyphs.block(f.Title, titleSize, room, titleGap), note: glyphs.block(f.Note, noteSize, room, noteGap)}
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

var svgTag = regexp.MustCompile(`(?s)^.*?<svg width="([0-9.]+)pt" height="([0-9.]+)pt" viewBox="([^"]*)"[^>]*>`)

// tidySVG rewrites a file of vgsvg. It removes the generator's comment, adds the title for screen readers, and corrects the type of
// embedded images and makes them fill their rectangles.
func tidySVG(svg []byte, title string) []byte {
	tag := svgTag.FindSubmatch(svg)
	if tag == nil {
		panic("plots: vgsvg writes another head than it used to")
	}
	body := svg[len(tag[0]):]
	body = bytes.ReplaceAll(body, []byte("data:image/jpg;"), []byte("data:image/png;"))
	body = bytes.ReplaceAll(body, []byte("<image "), []byte(`<image preserveAspectRatio="none" `))
	var out bytes.Buffer
	fmt.Fprintf(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+
		"<svg width=\"%spt\" height=\"%spt\" viewBox=\"%s\" role=\"img\"\n"+
		"\txmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n<title>", tag[1], tag[2], tag[3])
	if err := xml.EscapeText(&out, []byte(printed.Visible(figures.PlainText(title)))); err != nil {
		panic("plots: " + err.Error()) // a bytes.Buffer takes everything
	}
	out.WriteString("</title>\n")
	out.Write(body)
	return out.Bytes()
}

// pdfFont is the name of the font in a PDF.
const pdfFont = "dejavu"

// pdfCanvas is a canvas that writes a PDF. Text is text, in the letters of the font that it uses, which the file has: others can search
// it, and read the axes of the figure. gonum/plot's own canvas has no letters beyond code page 1252.
type pdfCanvas struct {
	doc    *fpdf.Fpdf
	widths []vg.Length  // of lines, a stack
	images map[int]bool // widths of the images so far
}

// newPDF returns a page of a size. fpdf's axis points down and that of canvases up.
func newPDF(w, h vg.Length) *pdfCanvas {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: w.Points(), Ht: h.Points()}})
	doc.SetCatalogSort(true) // not in the order of maps
	fixed := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	doc.SetCreationDate(fixed)
	doc.SetModificationDate(fixed)
	doc.SetMargins(0, 0, 0)
	doc.AddUTF8FontFromBytes(pdfFont, "", dejavusans.TTF)
	doc.AddPage()
	c := &pdfCanvas{doc: doc, widths: make([]vg.Length, 1), images: map[int]bool{}}
	c.Push()
	c.Translate(vg.Point{Y: h})
	c.Scale(1, -1)
	vg.Initialize(c)
	return c
}

// WriteTo implements io.WriterTo. It closes the canvas.
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	c.Pop()
	var b bytes.Buffer
	if err := c.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}

// SetLineWidth implements vg.Canvas.
func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.widths[len(c.widths)-1] = w
	c.doc.SetLineWidth(w.Points())
}

// SetLineDash implements vg.Canvas.
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	dashes := make([]float64, len(pattern))
	for i, d := range pattern {
		dashes[i] = d.Points()
	}
	c.doc.SetDashPattern(dashes, offset.Points())
}

// SetColor implements vg.Canvas. Components are not multiplied by the opacity, or translucent bands would be grey.
func (c *pdfCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	n := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(n.A)/0xFF, "Normal")
}

// Rotate implements vg.Canvas.
func (c *pdfCanvas) Rotate(angle float64) { c.doc.TransformRotate(-angle*180/math.Pi, 0, 0) }

// Translate implements vg.Canvas.
func (c *pdfCanvas) Translate(p vg.Point) { c.doc.TransformTranslate(p.X.Points(), p.Y.Points()) }

// Scale implements vg.Canvas.
func (c *pdfCanvas) Scale(x, y float64) { c.doc.TransformScale(100*x, 100*y, 0, 0) }

// Push implements vg.Canvas.
func (c *pdfCanvas) Push() {
	c.widths = append(c.widths, c.widths[len(c.widths)-1])
	c.doc.TransformBegin()
}

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() {
	c.widths = c.widths[:len(c.widths)-1]
	c.doc.TransformEnd()
}

// Stroke implements vg.Canvas.
func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.widths[len(c.widths)-1] > 0 {
		c.path(p, "D")
	}
}

// Fill implements vg.Canvas.
func (c *pdfCanvas) Fill(p vg.Path) { c.path(p, "F") }

// path draws a path.
func (c *pdfCanvas) path(p vg.Path, how string) {
	bend := func(a, b, to vg.Point) {
		c.doc.CurveBezierCubicTo(a.X.Points(), a.Y.Points(), b.X.Points(), b.Y.Points(), to.X.Points(), to.Y.Points())
	}
	var at vg.Point
	for _, k := range p {
		switch k.Type {
		case vg.MoveComp:
			c.doc.MoveTo(k.Pos.X.Points(), k.Pos.Y.Points())
		case vg.LineComp:
			c.doc.LineTo(k.Pos.X.Points(), k.Pos.Y.Points())
		case vg.CurveComp:
			a, b := k.Control[0], k.Control[len(k.Control)-1]
			if len(k.Control) == 1 { // a parabola
				a, b = at.Add(a.Sub(at).Scale(2./3)), k.Pos.Add(a.Sub(k.Pos).Scale(2./3))
			}
			bend(a, b, k.Pos)
		case vg.ArcComp:
			on := func(angle float64, tangent vg.Length) vg.Point {
				sin, cos := math.Sincos(angle)
				return k.Pos.Add(vg.Point{X: k.Radius*vg.Length(cos) - tangent*vg.Length(sin), Y: k.Radius*vg.Length(sin) + tangent*vg.Length(cos)})
			}
			from := on(k.Start, 0)
			c.doc.LineTo(from.X.Points(), from.Y.Points())
			parts := math.Ceil(math.Abs(k.Angle) / (math.Pi / 2))
			for i := range int(parts) {
				a, b := k.Start+k.Angle*float64(i)/parts, k.Start+k.Angle*float64(i+1)/parts
				tangent := k.Radius * vg.Length(4./3*math.Tan((b-a)/4))
				bend(on(a, tangent), on(b, -tangent), on(b, 0))
			}
		case vg.CloseComp:
			c.doc.ClosePath()
		}
		at = k.Pos
	}
	c.doc.DrawPath(how)
}

// write implements textCanvas.
func (c *pdfCanvas) write(line string, sty text.Style, p vg.Point) error {
	o := sty.Handler.(*outlines)
	o.parts(line, sty, p, func(txt string, size, _ vg.Length, at vg.Point) {
		if strings.ContainsFunc(txt, func(r rune) bool { return r > 0xFFFF }) { // fpdf has no letters beyond
			o.fill(c, txt, size, at)
			return
		}
		c.Push()
		c.Translate(at)
		c.Scale(1, -1)
		c.doc.SetFont(pdfFont, "", size.Points())
		c.doc.Text(0, 0, txt)
		c.Pop()
	})
	return c.doc.Error()
}

// FillString implements vg.Canvas. All text of a figure goes through the handler outlines, which calls write.
func (c *pdfCanvas) FillString(font.Face, vg.Point, string) {
	panic("plots: text without the handler of this package")
}

// DrawImage implements vg.Canvas. All images have different widths, because fpdf writes images in the order of their widths, and
// images of one width in any order. They are turned upside down with the axis.
func (c *pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	out := c.distinct(img)
	var b bytes.Buffer
	if err := png.Encode(&b, out); err != nil {
		panic("plots: " + err.Error()) // a bytes.Buffer takes everything
	}
	name, how := strconv.Itoa(len(c.images)), fpdf.ImageOptions{ImageType: "png", ReadDpi: true}
	c.doc.RegisterImageOptionsReader(name, how, &b)
	size := r.Size()
	c.doc.ImageOptions(name, r.Min.X.Points(), r.Min.Y.Points(), size.X.Points(), size.Y.Points(), false, how, 0, "")
}

// distinct returns an image upside down, each pixel so many times that no other image is as wide.
func (c *pdfCanvas) distinct(img image.Image) image.Image {
	b, times := img.Bounds(), 1
	for c.images[times*b.Dx()] {
		times++
	}
	c.images[times*b.Dx()] = true
	out := image.NewNRGBA(image.Rect(0, 0, times*b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range times * b.Dx() {
			out.Set(x, b.Dy()-1-y, img.At(b.Min.X+x/times, b.Min.Y+y))
		}
	}
	return out
}
