// Package drawings lays figures out and draws them as SVG, PNG and PDF, and for a page. It knows no records. The same figure
// gives the same bytes.
package drawings

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

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
