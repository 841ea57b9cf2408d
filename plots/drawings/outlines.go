package drawings

import (
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

// unitsPerEm is the size glyphs are loaded at; they are scaled from there.
const unitsPerEm = 2048

// outlines is a gonum/plot text handler that draws the outlines of DejaVu Sans as filled paths, so that SVG and PNG show the same
// letters on machines without the font; a PDF has the font. The methods of a handler return no errors, so err holds the first
// one; check it after drawing.
type outlines struct {
	*theme
	face *sfnt.Font
	buf  sfnt.Buffer
	err  error
}

var _ text.Handler = (*outlines)(nil)

// newOutlines returns a handler for one figure. It is not safe for concurrent use.
func newOutlines(t *theme) (*outlines, error) {
	face, err := figures.DejaVu()
	if err != nil {
		return nil, err
	}
	return &outlines{theme: t, face: face}, nil
}

// Cache implements text.Handler; the only font is the handler's own.
func (*outlines) Cache() *plotfont.Cache { return nil }

// Extents implements text.Handler.
func (o *outlines) Extents(f plotfont.Font) plotfont.Extents {
	m, err := o.face.Metrics(&o.buf, fixed.I(unitsPerEm), font.HintingNone)
	o.keep(err)
	return plotfont.Extents{
		Ascent:  scaled(m.Ascent, f.Size),
		Descent: scaled(m.Descent, f.Size),
		Height:  scaled(m.Height, f.Size),
	}
}

// Lines implements text.Handler.
func (*outlines) Lines(txt string) []string {
	return strings.Split(strings.TrimRight(txt, "\n"), "\n")
}

// Box implements text.Handler.
func (o *outlines) Box(line string, f plotfont.Font) (width, height, depth vg.Length) {
	ext := o.Extents(f)
	return o.width(line, f.Size), ext.Ascent, ext.Descent
}

// Draw implements text.Handler. The last line's baseline is at pt moved by the style's alignment.
func (o *outlines) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if strings.TrimSpace(txt) == "" {
		return
	}
	c.Push()
	defer c.Pop()
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		// the canvas is rotated, so the point is rotated back to stay where it is
		sin, cos := math.Sincos(-sty.Rotation)
		c.Rotate(sty.Rotation)
		x, y := float64(pt.X), float64(pt.Y)
		pt = vg.Point{X: vg.Length(x*cos - y*sin), Y: vg.Length(x*sin + y*cos)}
	}
	written, isText := below(c).(textCanvas)
	lines, ext := o.Lines(txt), o.Extents(sty.Font)
	y := pt.Y + vg.Length(sty.YAlign)*sty.Height(txt) + vg.Length(len(lines)-1)*ext.Height
	for _, line := range lines {
		if isText {
			o.keep(written.write(line, sty, vg.Point{X: pt.X, Y: y}))
			y -= ext.Height
			continue
		}
		o.parts(line, sty, vg.Point{X: pt.X, Y: y}, func(txt string, size, _ vg.Length, at vg.Point) { o.fill(c, txt, size, at) })
		y -= ext.Height
	}
}

// parts calls do with every part of a line that has one size and one baseline, with its width and the left end of its baseline. The
// baseline of the line is at pt; only the horizontal alignment of the style counts.
func (o *outlines) parts(line string, sty text.Style, pt vg.Point, do func(txt string, size, width vg.Length, at vg.Point)) {
	pt.X += vg.Length(sty.XAlign) * o.width(line, sty.Font.Size)
	for _, s := range figures.Spans(line) {
		size := sty.Font.Size * vg.Length(s.Scale)
		width := o.set(s.Text, size, func(sfnt.GlyphIndex, vg.Length) {})
		do(s.Text, size, width, vg.Point{X: pt.X, Y: pt.Y + sty.Font.Size*vg.Length(s.Shift)})
		pt.X += width
	}
}

// fill fills the outlines of a text of one size from a point on.
func (o *outlines) fill(c vg.Canvas, txt string, size vg.Length, from vg.Point) {
	o.set(txt, size, func(g sfnt.GlyphIndex, at vg.Length) {
		if outline := o.glyph(g, size); len(outline) > 0 {
			c.Push()
			c.Translate(vg.Point{X: from.X + at, Y: from.Y})
			c.Fill(outline)
			c.Pop()
		}
	})
}

// A textCanvas writes text as text. It gets lines with superscripts and subscripts, in a style of the handler outlines; only the
// horizontal alignment of the style counts.
type textCanvas interface {
	write(line string, sty text.Style, pt vg.Point) error
}

// below returns the canvas below gonum/plot's canvases.
func below(c vg.Canvas) vg.Canvas {
	for {
		switch d := c.(type) {
		case draw.Canvas:
			c = d.Canvas
		case *draw.Canvas:
			c = d.Canvas
		default:
			return c
		}
	}
}

// width returns the width of a line.
func (o *outlines) width(line string, size vg.Length) vg.Length {
	var w vg.Length
	for _, s := range figures.Spans(line) {
		w += o.set(s.Text, size*vg.Length(s.Scale), func(sfnt.GlyphIndex, vg.Length) {})
	}
	return w
}

// set calls place with every glyph of a text and its place on the baseline, and returns the width of the text.
func (o *outlines) set(s string, size vg.Length, place func(g sfnt.GlyphIndex, at vg.Length)) (advance vg.Length) {
	var previous sfnt.GlyphIndex
	for _, r := range s {
		glyph, err := figures.Glyph(o.face, &o.buf, r, s)
		if err != nil {
			o.keep(err)
			continue
		}
		if previous != 0 {
			// a font without a pair in its table kerns by nothing
			if k, err := o.face.Kern(&o.buf, previous, glyph, fixed.I(unitsPerEm), font.HintingNone); err == nil {
				advance += scaled(k, size)
			}
		}
		place(glyph, advance)
		a, err := o.face.GlyphAdvance(&o.buf, glyph, fixed.I(unitsPerEm), font.HintingNone)
		o.keep(err)
		advance += scaled(a, size)
		previous = glyph
	}
	return advance
}

// glyph returns the outline of one glyph at the origin. It rounds to a hundredth of a point, which is invisible and keeps
// files small.
func (o *outlines) glyph(g sfnt.GlyphIndex, size vg.Length) vg.Path {
	segments, err := o.face.LoadGlyph(&o.buf, g, fixed.I(unitsPerEm), nil)
	o.keep(err)
	round := func(v vg.Length) vg.Length { return vg.Length(math.Round(100*float64(v))/100) + 0 } // no negative zero
	at := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: round(scaled(p.X, size)), Y: round(-scaled(p.Y, size))}
	}
	var path vg.Path
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(at(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(at(s.Args[0]), at(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}

// keep remembers the first error.
func (o *outlines) keep(err error) {
	if o.err == nil && err != nil {
		o.err = err
	}
}

// scaled converts a length measured at unitsPerEm to one at the given size.
func scaled(v fixed.Int26_6, size vg.Length) vg.Length {
	return size * vg.Length(v) / (64 * unitsPerEm)
}

// fitted breaks a text into at most the given number of lines, in the standard size or a smaller one down to 60 % of it, and
// returns the lines and the size.
func (o *outlines) fitted(txt string, size, width vg.Length, lines int) (string, vg.Length) {
	least := 0.6 * size
	for {
		out := o.wrap(txt, size, width)
		if strings.Count(out, "\n") < lines || size-0.5 < least {
			return out, size
		}
		size -= 0.5
	}
}

// wrap breaks a text of a standard size at spaces into lines that are no wider than width. It does not break words.
func (o *outlines) wrap(txt string, size, width vg.Length) string {
	size = o.pt(size)
	var lines []string
	line := ""
	for _, word := range strings.Fields(txt) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && o.width(longer, size) > width {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return strings.Join(append(lines, line), "\n")
}
