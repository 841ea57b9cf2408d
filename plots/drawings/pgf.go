package drawings

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgtex"

	"repro/plots/figures"
	"repro/results/printed"
)

// pgfCanvas is a canvas that writes PGF for LaTeX, with text as text that LaTeX sets in its own font. It corrects vgtex: it
// rounds lengths, because TeX does not read 1e-05, and names images after the figure instead of the time.
type pgfCanvas struct {
	*vgtex.Canvas
	figure string
	face   *sfnt.Font // that vgtex measures text with
	images []File
}

func newPGF(w, h vg.Length, figure string, face *sfnt.Font) *pgfCanvas {
	return &pgfCanvas{Canvas: vgtex.New(w, h), figure: figure, face: face}
}

// hundredths returns a length in hundredths of a point.
func hundredths(v vg.Length) vg.Length { return vg.Length(math.Round(100*float64(v))/100) + 0 }

func hundredthsPoint(p vg.Point) vg.Point { return vg.Point{X: hundredths(p.X), Y: hundredths(p.Y)} }

// hundredthsPath rounds the places of a path and joins the ends of closed parts, which vgtex leaves open.
func hundredthsPath(p vg.Path) vg.Path {
	out := make(vg.Path, 0, len(p))
	var start vg.Point
	for _, c := range p {
		c.Pos, c.Radius = hundredthsPoint(c.Pos), hundredths(c.Radius)
		for i, q := range c.Control {
			if i == 0 {
				c.Control = append([]vg.Point(nil), c.Control...)
			}
			c.Control[i] = hundredthsPoint(q)
		}
		switch c.Type {
		case vg.MoveComp:
			start = c.Pos
		case vg.CloseComp:
			out = append(out, vg.PathComp{Type: vg.LineComp, Pos: start})
		}
		out = append(out, c)
	}
	return out
}

// Stroke implements vg.Canvas.
func (c *pgfCanvas) Stroke(p vg.Path) { c.Canvas.Stroke(hundredthsPath(p)) }

// Fill implements vg.Canvas.
func (c *pgfCanvas) Fill(p vg.Path) { c.Canvas.Fill(hundredthsPath(p)) }

// SetLineWidth implements vg.Canvas.
func (c *pgfCanvas) SetLineWidth(w vg.Length) { c.Canvas.SetLineWidth(hundredths(w)) }

// SetLineDash implements vg.Canvas.
func (c *pgfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var dashes []vg.Length
	for _, d := range pattern {
		dashes = append(dashes, hundredths(d))
	}
	c.Canvas.SetLineDash(dashes, hundredths(offset))
}

// Translate implements vg.Canvas.
func (c *pgfCanvas) Translate(p vg.Point) { c.Canvas.Translate(hundredthsPoint(p)) }

// DrawImage implements vg.Canvas. The image becomes a file beside the figure.
func (c *pgfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("plots: " + err.Error()) // a bytes.Buffer takes everything
	}
	suffix := fmt.Sprintf("-%d.png", len(c.images)+1)
	c.images = append(c.images, File{suffix, b.Bytes()})
	size := r.Size()
	c.put(fmt.Sprintf(`\rlap{\includegraphics[width=%gpt,height=%gpt]{%s%s}}`, hundredths(size.X), hundredths(size.Y), c.figure, suffix), 1, r.Min)
}

// write implements textCanvas.
func (c *pgfCanvas) write(line string, sty text.Style, pt vg.Point) error {
	s, err := latex(line)
	if err != nil {
		return err
	}
	switch {
	case sty.XAlign == text.XLeft:
		s = `\rlap{` + s + `}`
	case sty.XAlign == text.XRight:
		s = `\llap{` + s + `}`
	}
	c.put(s, sty.Font.Size, pt)
	return nil
}

// put writes LaTeX whose centre is at a point. vgtex takes the point as the left end of the text as measured by itself.
func (c *pgfCanvas) put(s string, size vg.Length, pt vg.Point) {
	f := font.Face{Font: font.Font{Size: hundredths(size)}, Face: c.face}
	half := f.Width(s) / 2
	c.FillString(f, vg.Point{X: hundredths(pt.X) - half, Y: hundredths(pt.Y)}, s)
}

// latex writes a line with superscripts and subscripts as LaTeX. It returns an error for a character that plain LaTeX cannot
// set.
func latex(line string) (string, error) {
	var b strings.Builder
	for _, s := range figures.Spans(line) {
		t, strange := printed.LaTeX(s.Text)
		if strange != 0 {
			return "", fmt.Errorf("the character %q (%U) in %q has no LaTeX here: use another character, or another format", strange, strange, s.Text)
		}
		switch {
		case s.Shift > 0:
			t = `\textsuperscript{` + t + `}`
		case s.Shift < 0:
			t = `$_{\textrm{` + t + `}}$`
		}
		b.WriteString(t)
	}
	return b.String(), nil
}
