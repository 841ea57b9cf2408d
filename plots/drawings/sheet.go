package drawings

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repro/plots/figures"
)

// sheetUnit is how many units of a sheet make a point. Coordinates are integers, so that the page stays small.
const sheetUnit = 10

// A Sheet is a canvas that writes a figure as part of an HTML page: with text as text, with classes in place of styles,
// because the page's policy allows no style attributes, and with integer coordinates.
type Sheet struct {
	w, h  vg.Length
	body  bytes.Buffer
	looks map[string]look   // by class
	short map[string]string // the names of the classes in the page
	last  string            // class of the path that is still open
	Areas [][4]int          // the places of the panels' data: left, top, width and height
	state []pen
}

var _ vg.Canvas = (*Sheet)(nil)

// A pen is what a canvas saves and restores.
type pen struct {
	colour color.NRGBA
	width  vg.Length
	dashes []vg.Length
	at     [6]float64 // x' = at[0] x + at[2] y + at[4], y' = at[1] x + at[3] y + at[5]
}

// A look is what a class of a sheet stands for.
type look struct {
	colour color.NRGBA
	stroke bool
	width  vg.Length
	dashes []vg.Length
	size   vg.Length // of text; zero otherwise
}

func newSheet(w, h vg.Length) *Sheet {
	s := &Sheet{w: w, h: h, looks: map[string]look{}, state: []pen{{at: [6]float64{1, 0, 0, -1, 0, float64(h)}}}}
	vg.Initialize(s)
	return s
}

func (s *Sheet) pen() *pen { return &s.state[len(s.state)-1] }

// Push implements vg.Canvas.
func (s *Sheet) Push() { s.state = append(s.state, *s.pen()) }

// Pop implements vg.Canvas.
func (s *Sheet) Pop() { s.state = s.state[:len(s.state)-1] }

// SetLineWidth implements vg.Canvas.
func (s *Sheet) SetLineWidth(w vg.Length) { s.pen().width = w }

// SetLineDash implements vg.Canvas. No figure starts a line within its pattern, so the offset is ignored.
func (s *Sheet) SetLineDash(pattern []vg.Length, _ vg.Length) { s.pen().dashes = slices.Clone(pattern) }

// SetColor implements vg.Canvas.
func (s *Sheet) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	s.pen().colour = color.NRGBAModel.Convert(c).(color.NRGBA)
}

// Rotate implements vg.Canvas.
func (s *Sheet) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	s.transform([6]float64{cos, sin, -sin, cos, 0, 0})
}

// Translate implements vg.Canvas.
func (s *Sheet) Translate(p vg.Point) {
	s.transform([6]float64{1, 0, 0, 1, float64(p.X), float64(p.Y)})
}

// Scale implements vg.Canvas.
func (s *Sheet) Scale(x, y float64) { s.transform([6]float64{x, 0, 0, y, 0, 0}) }

// transform makes the drawing coordinates those of m.
func (s *Sheet) transform(m [6]float64) {
	a := s.pen().at
	s.pen().at = [6]float64{
		a[0]*m[0] + a[2]*m[1], a[1]*m[0] + a[3]*m[1],
		a[0]*m[2] + a[2]*m[3], a[1]*m[2] + a[3]*m[3],
		a[0]*m[4] + a[2]*m[5] + a[4], a[1]*m[4] + a[3]*m[5] + a[5],
	}
}

// place returns a point in units of the sheet.
func (s *Sheet) place(p vg.Point) (x, y int) {
	a, px, py := s.pen().at, float64(p.X), float64(p.Y)
	return int(math.Round(sheetUnit * (a[0]*px + a[2]*py + a[4]))), int(math.Round(sheetUnit * (a[1]*px + a[3]*py + a[5])))
}

// Stroke implements vg.Canvas.
func (s *Sheet) Stroke(p vg.Path) {
	pen := s.pen()
	if pen.width <= 0 {
		return
	}
	class := fmt.Sprintf("s%s-%d", colourCode(pen.colour), units(pen.width))
	for _, d := range pen.dashes {
		class += fmt.Sprintf("-%d", units(d))
	}
	s.looks[class] = look{colour: pen.colour, stroke: true, width: pen.width, dashes: pen.dashes}
	s.path(class, p)
}

// Fill implements vg.Canvas.
func (s *Sheet) Fill(p vg.Path) {
	class := "f" + colourCode(s.pen().colour)
	s.looks[class] = look{colour: s.pen().colour}
	s.path(class, p)
}

// path writes a path. Paths that follow each other and look alike become one element if they are opaque: overlaps then look the same.
func (s *Sheet) path(class string, p vg.Path) {
	if s.last != class || s.pen().colour.A != 0xFF {
		s.end()
		fmt.Fprintf(&s.body, `<path class="%s" d="`, class)
		s.last = class
	}
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			s.command('M', c.Pos)
		case vg.LineComp:
			s.command('L', c.Pos)
		case vg.ArcComp:
			s.arc(c)
		case vg.CurveComp:
			s.command(map[int]byte{1: 'Q', 2: 'C'}[len(c.Control)], append(slices.Clone(c.Control), c.Pos)...)
		case vg.CloseComp:
			s.body.WriteByte('Z')
		}
	}
}

// command writes a command of a path with its points.
func (s *Sheet) command(name byte, points ...vg.Point) {
	for _, p := range points {
		x, y := s.place(p)
		fmt.Fprintf(&s.body, "%c%d %d", name, x, y)
		name = ' '
	}
}

// arc writes an arc. The vertical axis of the page points down, so that an arc against the clock has the sweep flag 0. A whole
// circle ends a unit beside its start, because SVG leaves out an arc that ends where it starts.
func (s *Sheet) arc(c vg.PathComp) {
	at := func(angle float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: c.Pos.X + c.Radius*vg.Length(cos), Y: c.Pos.Y + c.Radius*vg.Length(sin)}
	}
	s.command('L', at(c.Start))
	sweep, large := 0, 0
	if c.Angle < 0 {
		sweep = 1
	}
	if math.Abs(c.Angle) > math.Pi {
		large = 1
	}
	x0, y0 := s.place(at(c.Start))
	x, y := s.place(at(c.Start + c.Angle))
	if x == x0 && y == y0 {
		y += 1 - 2*sweep
	}
	fmt.Fprintf(&s.body, "A%d %[1]d 0 %d %d %d %d", units(c.Radius), large, sweep, x, y)
}

// end closes the element that is still open.
func (s *Sheet) end() {
	if s.last != "" {
		s.body.WriteString("\"/>\n")
	}
	s.last = ""
}

// rectangle returns the left and upper edge, the width and the height of a rectangle.
func (s *Sheet) rectangle(r vg.Rectangle) [4]int {
	x0, y0 := s.place(vg.Point{X: r.Min.X, Y: r.Max.Y})
	x1, y1 := s.place(vg.Point{X: r.Max.X, Y: r.Min.Y})
	return [4]int{x0, y0, x1 - x0, y1 - y0}
}

// write implements textCanvas. Every part of the line is as wide as in the figure's own font, whatever font the reader has.
func (s *Sheet) write(line string, sty text.Style, p vg.Point) error {
	sty.Handler.(*outlines).parts(line, sty, p, func(txt string, size, width vg.Length, at vg.Point) { s.text(txt, size, at, width) })
	return nil
}

// text writes a text on one baseline that starts at p and is as wide as given.
func (s *Sheet) text(txt string, size vg.Length, p vg.Point, width vg.Length) {
	s.end()
	pen := s.pen()
	class := fmt.Sprintf("t%s-%d", colourCode(pen.colour), units(size))
	s.looks[class] = look{colour: pen.colour, size: size}
	x, y := s.place(p)
	turn := ""
	if a := math.Atan2(pen.at[1], pen.at[0]); math.Abs(a) > 1e-9 {
		turn = fmt.Sprintf(` transform="rotate(%s %d %d)"`, strconv.FormatFloat(math.Round(a*1800/math.Pi)/10, 'g', -1, 64), x, y)
	}
	length := ""
	if len([]rune(txt)) > 3 {
		length = fmt.Sprintf(` textLength=%d`, units(width))
	}
	fmt.Fprintf(&s.body, "<text class=\"%s\" x=%d y=%d%s%s>%s</text>\n", class, x, y, length, turn, html.EscapeString(txt))
}

// FillString implements vg.Canvas. All text of a figure goes through the handler outlines, which calls write.
func (s *Sheet) FillString(font.Face, vg.Point, string) {
	panic("plots: text without the handler of this package")
}

// DrawImage implements vg.Canvas.
func (s *Sheet) DrawImage(r vg.Rectangle, img image.Image) {
	s.end()
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, paletted(img)); err != nil {
		panic("plots: " + err.Error()) // a bytes.Buffer takes everything
	}
	at := s.rectangle(r)
	fmt.Fprintf(&s.body, "<image preserveAspectRatio=\"none\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" href=\"data:image/png;base64,%s\"/>\n",
		at[0], at[1], at[2], at[3], base64.StdEncoding.EncodeToString(b.Bytes()))
}

// paletted returns an image with a palette, which is shorter as a file, unless it has too many colours.
func paletted(img image.Image) image.Image {
	out := image.NewPaletted(img.Bounds(), nil)
	index := map[color.Color]uint8{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			c := img.At(x, y)
			i, known := index[c]
			if !known {
				if len(out.Palette) == 256 {
					return img
				}
				i = uint8(len(out.Palette))
				index[c], out.Palette = i, append(out.Palette, c)
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}

// Inline returns the figure as an element of an HTML page, whose content has the given id.
func (s *Sheet) Inline(title, id string) template.HTML {
	s.end()
	body := sheetClass.ReplaceAllStringFunc(s.body.String(), func(attribute string) string {
		return "class=" + s.short[sheetClass.FindStringSubmatch(attribute)[1]] + " "
	})
	return template.HTML(fmt.Sprintf("<svg role=\"img\" aria-label=\"%s\" viewBox=\"%s\">\n<g id=\"%s\" fill=\"none\">\n%s</g></svg>",
		html.EscapeString(figures.PlainText(title)), s.ViewBox(), id, body))
}

var sheetClass = regexp.MustCompile(`class="([^"]*)" `)

// ViewBox returns the rectangle of the figure in its units.
func (s *Sheet) ViewBox() string { return fmt.Sprintf("0 0 %d %d", units(s.w), units(s.h)) }

// Thumb returns the rectangle of the panels' data, with a margin for lines and symbols at their edges.
func (s *Sheet) Thumb() string {
	const margin = 6 * sheetUnit
	left, top, right, bottom := math.MaxInt, math.MaxInt, 0, 0
	for _, a := range s.Areas {
		left, top, right, bottom = min(left, a[0]), min(top, a[1]), max(right, a[0]+a[2]), max(bottom, a[1]+a[3])
	}
	return fmt.Sprintf("%d %d %d %d", left-margin, top-margin, right-left+2*margin, bottom-top+2*margin)
}

// units returns a length in units of a sheet.
func units(v vg.Length) int { return int(math.Round(sheetUnit * float64(v))) }

// colourCode writes a colour, with its opacity unless it is opaque.
func colourCode(c color.NRGBA) string {
	if c.A == 0xFF {
		return fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B)
	}
	return fmt.Sprintf("%02X%02X%02X%02X", c.R, c.G, c.B, c.A)
}

// drawSheet draws a figure for the page.
func drawSheet(d drawing) *Sheet {
	w, h := d.size()
	s := newSheet(w, h)
	c := draw.NewCanvas(s, w, h)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	d.draw(c)
	return s
}

// SheetsCSS names the classes of all sheets of a page and returns their rules: on paper, and on a dark screen.
func SheetsCSS(sheets ...*Sheet) string {
	looks, short := map[string]look{}, map[string]string{}
	for _, s := range sheets {
		maps.Copy(looks, s.looks)
		s.short = short
	}
	for i, name := range slices.Sorted(maps.Keys(looks)) {
		short[name] = "_" + strconv.FormatInt(int64(i), 36)
	}
	var light, dark strings.Builder
	for _, name := range slices.Sorted(maps.Keys(looks)) {
		l, class := looks[name], short[name]
		property := "fill"
		switch {
		case l.stroke:
			property = "stroke"
			fmt.Fprintf(&light, ".%s{stroke:#%s;stroke-width:calc(var(--thick,1)*%dpx)", class, colourCode(l.colour), units(l.width))
			for i, d := range l.dashes {
				fmt.Fprintf(&light, "%s%d", map[bool]string{true: ";stroke-dasharray:", false: " "}[i == 0], units(d))
			}
		case l.size > 0:
			fmt.Fprintf(&light, ".%s{fill:#%s;visibility:var(--letters);font-size:%dpx", class, colourCode(l.colour), units(l.size))
		default:
			fmt.Fprintf(&light, ".%s{fill:#%s", class, colourCode(l.colour))
		}
		light.WriteString("}\n")
		if n := atNight(l.colour); n != l.colour {
			fmt.Fprintf(&dark, ".%s{%s:#%s}\n", class, property, colourCode(n))
		}
	}
	return light.String() + "@media screen and (prefers-color-scheme:dark){\n" + dark.String() + "}\n"
}
