package tracing

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A sketch is one figure as SVG and as the content of a PDF of 300 by 200 points.
type sketch struct {
	svg, pdf strings.Builder
	turned   int // by quarters to the right; the page is then a square of 300
}

// at returns where a place of the figure is drawn.
func (s *sketch) at(x, y float64) (float64, float64) {
	for range s.turned {
		x, y = 300-y, x
	}
	return x, y
}

// line draws a line of some colour, which attributes of SVG may change.
func (s *sketch) line(colour, attributes string, places ...float64) {
	var d, content strings.Builder
	for i := 0; i < len(places); i += 2 {
		x, y := s.at(places[i], places[i+1])
		fmt.Fprintf(&d, "%c%g %g", "ML"[min(i, 1)], x, y)
		fmt.Fprintf(&content, "%g %g %c ", x, 300-y, "ml"[min(i, 1)])
	}
	var r, g, b int
	fmt.Sscanf(colour, "#%02x%02x%02x", &r, &g, &b)
	fmt.Fprintf(&s.svg, `<path fill="none" stroke="%s" d="%s" %s/>`+"\n", colour, d.String(), attributes)
	fmt.Fprintf(&s.pdf, "%.4f %.4f %.4f RG %sS\n", float64(r)/255, float64(g)/255, float64(b)/255, content.String())
}

// widthOf returns how wide a text of 8 points is.
func widthOf(text string) (width float64) {
	for i, part := range strings.Split(text, "^") {
		width += 0.556 * 8 * float64(len([]rune(part))) * (1 - 0.3*float64(i%2))
	}
	return width
}

// text writes a text of 8 points with its middle at a place. What stands behind ^ is raised, up to a blank.
func (s *sketch) text(x, y float64, text string) {
	x, y = x-widthOf(text)/2, y+0.35*8
	raised := 0.0
	for part := range strings.SplitSeq(text, "^") {
		if part == "" {
			raised = 1 - raised
			continue
		}
		size := 8 * (1 - 0.3*raised)
		px, py := s.at(x, y-4*raised)
		angle := 90 * s.turned
		fmt.Fprintf(&s.svg, `<text font-size="%g" transform="translate(%g %g) rotate(%d)">%s</text>`+"\n", size, px, py, angle, part)
		sin, cos := math.Sincos(float64(angle) * math.Pi / 180)
		latin := strings.NewReplacer("×", "\xd7", "−", "-").Replace(part)
		fmt.Fprintf(&s.pdf, "BT /F %g Tf %g %g %g %g %g %g Tm (%s) Tj ET\n", size, math.Round(cos), -math.Round(sin), math.Round(sin), math.Round(cos), px, 300-py, latin)
		x, raised = x+0.556*size*float64(len([]rune(part))), 1-raised
	}
}

// read reads both forms.
func (s *sketch) read(p Paths) map[string]func() (*Trace, error) {
	pdf := strings.Replace(string(pdfOf(s.pdf.String(), 1, "")), "[0 0 300 200]", "[0 0 300 300]", 1)
	return map[string]func() (*Trace, error){
		"SVG": func() (*Trace, error) { return ReadSVG([]byte(s.file()), p) },
		"PDF": func() (*Trace, error) { return ReadPDF([]byte(pdf), 0, p) },
	}
}

func (s *sketch) file() string {
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300">` + s.svg.String() + `</svg>`
}

// A ruler is an axis: a scale between two values, and what is written at some of them.
type ruler struct {
	scale    func(v float64) float64
	from, to float64
	labels   map[float64]string
	bare     bool // no tick marks
}

// share returns where a value lies.
func (r ruler) share(v float64) float64 {
	return (r.scale(v) - r.scale(r.from)) / (r.scale(r.to) - r.scale(r.from))
}

func same(v float64) float64 { return v }

func symlog(v float64) float64 {
	if math.Abs(v) <= 1 {
		return v
	}
	return math.Copysign(1+math.Log10(math.Abs(v)), v)
}

// linear returns a linear axis with numbers at equal distances.
func linear(from, to float64, n int, format func(v float64) string) ruler {
	r := ruler{same, from, to, map[float64]string{}, false}
	for i := range n + 1 {
		v := from + (to-from)*float64(i)/float64(n)
		r.labels[v] = format(v)
	}
	return r
}

func short(v float64) string { return fmt.Sprintf("%g", math.Round(1e6*v)/1e6) }

// written returns an axis with what is written at its values.
func written(scale func(float64) float64, from, to float64, labels map[float64]string) ruler {
	return ruler{scale, from, to, labels, false}
}

// The frame of sketches.
var sketched = Box{60, 40, 240, 160}

// place returns where an axis has a value.
func (r ruler) place(v float64, vertical bool) float64 {
	if vertical {
		return sketched.Bottom - r.share(v)*sketched.height()
	}
	return sketched.Left + r.share(v)*sketched.width()
}

// axis draws an axis along a side of the frame.
func (s *sketch) axis(r ruler, name string) {
	f := sketched
	for v, text := range r.labels {
		vertical, wide := name == "left" || name == "right", widthOf(text)
		at := r.place(v, vertical)
		mark := map[string][4]float64{"lower": {at, f.Bottom, at, f.Bottom + 4}, "upper": {at, f.Top, at, f.Top - 4}, "left": {f.Left, at, f.Left - 4, at}, "right": {f.Right, at, f.Right + 4, at}}[name]
		label := map[string][2]float64{"lower": {at, f.Bottom + 10}, "upper": {at, f.Top - 10}, "left": {f.Left - 6 - wide/2, at}, "right": {f.Right + 6 + wide/2, at}}[name]
		if !r.bare {
			s.line("#000000", "", mark[:]...)
		}
		s.text(label[0], label[1], text)
	}
}

// A figure has a curve of known values, on an axis below and one at the left if it does not say where.
type figure struct {
	x, y   ruler
	sides  [2]string // empty for lower and left
	more   func(s *sketch)
	turned int
	ink    string // of the curve

	asks  string // what the message names; empty if the figure can be read
	warns string
	paths Paths
	log   bool // y is
}

const knownPoints = 25

// known returns the curve: x along its axis, and y on its scale a bent line, from 2 % to 97 %.
func (g figure) known() (points [][2]float64) {
	at := func(r ruler, share float64) float64 { // by halves
		low, high := r.from, r.to
		for range 200 {
			if mid := (low + high) / 2; r.share(mid) < share {
				low = mid
			} else {
				high = mid
			}
		}
		return (low + high) / 2
	}
	for i := range knownPoints {
		u := float64(i) / (knownPoints - 1)
		points = append(points, [2]float64{at(g.x, 0.03+0.94*u), at(g.y, 0.97-0.95*math.Sqrt(u))})
	}
	return points
}

// curve draws the line of known points.
func (s *sketch) curve(g figure, colour, attributes string) {
	var places []float64
	for _, p := range g.known() {
		places = append(places, g.x.place(p[0], false), g.y.place(p[1], true))
	}
	s.line(colour, attributes, places...)
}

func (g figure) sketch() *sketch {
	s := &sketch{turned: g.turned}
	f := sketched
	s.line("#000000", "", f.Left, f.Top, f.Right, f.Top, f.Right, f.Bottom, f.Left, f.Bottom, f.Left, f.Top)
	for k, r := range []ruler{g.x, g.y} {
		side := [2]string{"lower", "left"}[k]
		if g.sides[k] != "" {
			side = g.sides[k]
		}
		s.axis(r, side)
	}
	colour := g.ink
	if colour == "" {
		colour = "#ff0000"
	}
	s.curve(g, colour, "")
	if g.more != nil {
		g.more(s)
	}
	return s
}

// check holds that the figure is read rightly, or asked about with the option that answers, and never read wrongly without a word.
func (g figure) check(t *testing.T) {
	for form, read := range g.sketch().read(g.paths) {
		trace, err := read()
		if g.asks != "" {
			require.ErrorContains(t, err, g.asks, form)
			continue
		}
		require.NoError(t, err, form)
		if g.warns != "" {
			assert.Contains(t, strings.Join(trace.Warnings, "; "), g.warns, form)
		}
		require.NotEmpty(t, trace.Curves, form)
		assert.Equal(t, g.log, trace.Y.Log, "%s: %v", form, trace.Y)
		points := trace.Curves[0].Points
		require.Len(t, points, knownPoints, form)
		for i, want := range g.known() {
			// a hundredth of the range, of which letters without tick marks take most
			assert.InDelta(t, g.x.share(want[0]), g.x.share(points[i][0]), 1e-2, "%s: x of point %d: want %g, got %g", form, i, want[0], points[i][0])
			assert.InDelta(t, g.y.share(want[1]), g.y.share(points[i][1]), 1e-2, "%s: y of point %d: want %g, got %g", form, i, want[1], points[i][1])
		}
	}
}

// scaled returns a linear axis whose numbers are multiplied, or have something added, by a text at its end.
func scaled(from, to, factor, offset float64, n int) ruler {
	return linear(from, to, n, func(v float64) string { return short((v - offset) / factor) })
}

// comma writes a number with a decimal comma, and thousands one with a mark between its thousands.
func comma(v float64) string { return strings.Replace(fmt.Sprintf("%.1f", v), ".", ",", 1) }

func thousands(mark string) func(v float64) string {
	return func(v float64) string {
		if v < 1000 {
			return short(v)
		}
		return fmt.Sprintf("%d%s%03d", int(v)/1000, mark, int(v)%1000)
	}
}

// write returns what writes texts: x, y, text and so on.
func write(args ...any) func(s *sketch) {
	return func(s *sketch) {
		for i := 0; i < len(args); i += 3 {
			s.text(float64(args[i].(int)), float64(args[i+1].(int)), args[i+2].(string))
		}
	}
}

// second returns what draws another axis and a curve of it.
func second(r ruler, side string) func(s *sketch) {
	return func(s *sketch) {
		s.axis(r, side)
		s.line("#0000ff", "", 65, 150, 100, 140, 150, 90, 235, 50)
	}
}

// Figures of known curves whose axes are easily misread: each is read rightly in both forms, or the message names what answers it.
func TestTraps(t *testing.T) {
	steps, loss := linear(0, 10, 5, short), linear(0, 1, 5, short)
	small, large := scaled(0, 1e-5, 1e-5, 0, 5), scaled(0, 1e7, 1e6, 0, 5)
	logs := func(from, to float64) ruler {
		r := written(math.Log10, from, to, map[float64]string{})
		for v := from; v <= to*1.01; v *= 10 {
			r.labels[v] = fmt.Sprintf("10^%.0f", math.Log10(v))
		}
		return r
	}
	two := map[float64]string{2: "2^1", 8: "2^3", 32: "2^5", 128: "2^7"}
	years := linear(2000, 2020, 4, short)
	bare := years
	bare.bare = true
	const leftTop, rightTop, rightBottom, rightAbove = 62, 238, 182, 16
	for name, g := range map[string]figure{
		"plain":                   {},
		"offset":                  {y: scaled(1e6, 1e6+1, 1, 1e6, 5), more: write(leftTop, 33, "+1e6"), asks: "--y"},
		"offset with a minus":     {y: scaled(-1.12e5, -1.12e5+5, 1, -1.12e5, 5), more: write(leftTop, 33, "-1.12e5"), asks: "--y"},
		"offset as a product":     {y: scaled(-1.12e5, -1.12e5+5, 1, -1.12e5, 5), more: write(leftTop, 33, "−1.12×10^5"), asks: "--y"},
		"factor and offset":       {y: scaled(-1, -1+1e-5, 1e-5, -1, 5), more: write(leftTop, 33, "1e-5-1"), asks: "--y"},
		"two texts at the end":    {y: scaled(-1, -1+1e-5, 1e-5, -1, 5), more: write(leftTop, 33, "1e-5", leftTop+30, 33, "-1"), asks: "--y"},
		"offset of x":             {x: scaled(-1e5, -1e5+5, 1, -1e5, 5), more: write(230, rightBottom, "-1e5"), asks: "--x"},
		"date":                    {x: linear(1, 21, 4, short), more: write(230, rightBottom, "2020-Jan"), asks: "--x"},
		"in words":                {y: scaled(0, 5e3, 1e3, 0, 5), more: write(leftTop+8, 33, "thousands"), asks: "--y"},
		"lost letter":             {y: small, more: write(leftTop, 33, "?10^-5"), asks: "--y"},
		"lost exponent":           {y: small, more: write(leftTop, 33, "×10"), asks: "--y"},
		"factor left":             {y: small, more: write(leftTop, 33, "1e-5")},
		"factor left, raised":     {y: small, more: write(leftTop, 33, "×10^-5")},
		"factor beside":           {y: small, more: write(42, 28, "×10^-5")},
		"factor right":            {y: small, sides: [2]string{"", "right"}, more: write(rightTop, 33, "1e-5")},
		"factor right, at left":   {y: small, sides: [2]string{"", "right"}, more: write(leftTop, 33, "1e-5")},
		"factor below":            {x: large, more: write(230, rightBottom, "1e6")},
		"factor behind the axis":  {x: large, more: write(260, 162, "×10^6")},
		"factor above":            {x: large, sides: [2]string{"upper", ""}, more: write(230, rightAbove, "1e6")},
		"factor above, at bottom": {x: large, sides: [2]string{"upper", ""}, more: write(230, 172, "×10^6")},
		"both factors":            {x: large, y: small, sides: [2]string{"upper", ""}, more: write(230, rightAbove, "1e6", leftTop+8, 34, "1e-5")},
		"whose factor":            {x: large, y: small, sides: [2]string{"upper", "right"}, more: write(238, 20, "1e6"), asks: "--x"},
		"factor of a logarithm":   {y: logs(1, 1e4), more: write(leftTop, 30, "1e3"), asks: "--y"},
		"number in the title":     {more: write(150, 20, "1000")},
		"symlog with two numbers": {y: written(symlog, 0, 8, map[float64]string{0: "0", 1: "10^0"}), asks: "--y"},
		"symlog with a minus":     {y: written(symlog, -8, 8, map[float64]string{-1: "-10^0", 0: "0", 1: "10^0"}), asks: "--y"},
		"symlog with more":        {y: written(symlog, 0, 200, map[float64]string{0: "0", 1: "10^0", 10: "10^1", 100: "10^2"}), asks: "--y"},
		"square root":             {y: written(math.Sqrt, 0, 30, map[float64]string{0: "0", 30: "30"}), asks: "--y"},
		"square":                  {y: written(func(v float64) float64 { return v * v }, 0, 30, map[float64]string{0: "0", 10: "10", 20: "20", 30: "30"}), asks: "--y"},
		"a long end":              {y: written(symlog, 0, 900, map[float64]string{0: "0", 0.5: "0.5", 1: "1"}), asks: "--y"},
		"two y axes":              {more: second(linear(0, 300, 3, short), "right"), asks: "--side left or --side right"},
		"two y axes, one a log":   {more: second(logs(1, 1e3), "right"), asks: "--side"},
		"two x axes":              {more: second(linear(0, 900, 3, short), "upper"), asks: "--side lower or --side upper"},
		"two x axes, symlog":      {more: second(written(symlog, 0, 200, map[float64]string{0: "0", 1: "10^0", 100: "10^2"}), "upper"), asks: "--side"},
		"two x axes, no marks":    {more: second(ruler{same, 0, 90, linear(0, 90, 3, short).labels, true}, "upper"), asks: "--side"},
		"two x axes, the lower":   {more: second(linear(0, 900, 3, short), "upper"), paths: Paths{Side: "lower"}},
		"the same on both sides":  {more: func(s *sketch) { s.axis(loss, "right"); s.axis(steps, "upper") }},
		"words on the right":      {more: second(written(same, 0, 2, map[float64]string{0: "low", 1: "mid", 2: "high"}), "right"), asks: "--side"},
		"numbers within": {asks: "--side", more: func(s *sketch) {
			second(ruler{same, 0, 1, map[float64]string{0.2: "", 0.5: "", 0.8: ""}, false}, "right")(s)
			write(228, 136, "10", 228, 100, "25", 228, 64, "40")(s)
		}},
		"exponents beside decimals": {y: written(same, 0, 0.00015, map[float64]string{0: "0", 0.00005: "5e-05", 0.0001: "0.0001", 0.00015: "0.00015"})},
		"over another number":       {x: linear(0, 10, 5, short), more: write(66, 171, "1e-7"), asks: "--"},
		"no such side":              {paths: Paths{Side: "right"}, asks: "--side"},
		"turned right":              {turned: 1, warns: "lies on its side"},
		"turned left":               {turned: 3, warns: "lies on its side"},
		"upside down":               {turned: 2, warns: "lies on its side"},
		"turned, two y axes":        {turned: 1, more: second(linear(0, 300, 3, short), "right"), asks: "--side left"},
		"years":                     {x: years, y: years},
		"years without marks":       {x: bare, y: years},
		"black on a black frame":    {ink: "#000000"},
		"falling axes":              {x: linear(10, 0, 5, short), y: linear(1, 0, 5, short)},
		"percent":                   {y: linear(0, 100, 5, func(v float64) string { return short(v) + "%" })},
		"decimal commas":            {y: linear(0, 1, 5, comma)},
		"commas of thousands":       {y: linear(0, 5000, 5, thousands(","))},
		"which commas":              {y: linear(1000, 5000, 4, thousands(",")), asks: "--y"},
		"points of thousands":       {y: linear(1000, 5000, 4, thousands(".")), asks: "--y"},
		"some with points":          {y: linear(500, 2500, 4, thousands("."))},
		"broken":                    {x: written(same, 0, 9, map[float64]string{0: "0", 3: "1", 6: "2", 9: "300"}), asks: "--x"},
		"names among numbers":       {x: written(same, 0, 4, map[float64]string{0: "1", 1: "2", 2: "3", 3: "4", 4: "all"}), asks: "--x"},
		"months among days":         {x: written(same, 0, 4, map[float64]string{0: "29", 1: "30", 2: "31", 3: "Feb", 4: "33"}), asks: "--x"},
		"logarithm":                 {y: logs(1, 1e4), log: true},
		"powers of two":             {y: written(math.Log2, 2, 128, two), log: true},
		"minor numbers":             {y: written(math.Log10, 1, 10, map[float64]string{1: "1", 2: "2", 3: "3", 4: "4", 6: "6", 10: "10"}), log: true},
		"legend of numbers": {more: func(s *sketch) {
			for i, text := range []string{"1", "10", "100"} {
				s.line("#00ff0"+short(float64(i)), "", 246, 60+20*float64(i), 262, 60+20*float64(i))
				s.text(272, 60+20*float64(i), text)
			}
		}},
		"a factor as a legend": {more: func(s *sketch) { s.line("#00ff00", "", 62, 33, 74, 33); s.text(86, 33, "1e-5") }},
		"a curve that is not there": {warns: `"SGD" stands in the legend, and no curve looks like its sample`,
			more: func(s *sketch) { s.line("#00ff00", "", 180, 60, 195, 60); s.text(206, 60, "SGD") }},
		"a picture": {warns: "a picture lies in the axes", more: func(s *sketch) {
			s.svg.WriteString(`<image x="60" y="40" width="180" height="120" href="data:image/png;base64,"/>`)
			s.pdf.WriteString("q 180 0 0 120 60 140 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q\n")
		}},
		"a frame within": {warns: "within the axes is left out", more: func(s *sketch) {
			s.line("#000000", "", 150, 50, 230, 50, 230, 100, 150, 100, 150, 50)
			s.line("#0000ff", "", 152, 60, 170, 80, 200, 85, 228, 95)
		}},
		"a panel that shares its axis": {warns: "has an axis without numbers", more: func(s *sketch) {
			s.line("#000000", "", 250, 40, 295, 40, 295, 160, 250, 160, 250, 40)
			s.line("#0000ff", "", 252, 60, 260, 80, 270, 85, 290, 95)
			write(255, 170, "0", 290, 170, "9")(s)
			s.line("#000000", "", 255, 160, 255, 164)
			s.line("#000000", "", 290, 160, 290, 164)
		}},
		"not seen": {more: func(s *sketch) {
			const white, clear = "#ffffff", `opacity="0"`
			s.line(white, "", 70, 50, 100, 120, 180, 130, 230, 150)
			fmt.Fprintf(&s.svg, `<clipPath id="c"><rect x="0" y="0" width="20" height="20"/></clipPath><path d="M70 50L90 90L180 130" stroke="red" fill="none" %s/><path d="M70 50L90 90L180 130" stroke="red" fill="none" clip-path="url(#c)"/>`, clear)
			s.pdf.WriteString("q 0 280 20 20 re W n 1 0 0 RG 70 250 m 90 210 l 180 170 l S Q\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if g.x.scale == nil {
				g.x = steps
			}
			if g.y.scale == nil {
				g.y = loss
			}
			g.check(t)
		})
	}
}

// Lines of SVG have their colours by name, function or style sheet, and some of them cannot be seen; places come through groups, symbols
// and nested drawings. Each variant draws the same curve.
func TestStyles(t *testing.T) {
	g := figure{x: linear(0, 10, 5, short), y: linear(0, 1, 5, short)}
	file := g.sketch().file()
	line := file[strings.Index(file, `<path fill="none" stroke="#ff0000"`):]
	line = line[:strings.Index(line, "\n")]
	d := line[strings.Index(line, ` d="`) : strings.LastIndex(line, `"`)+1]
	for name, c := range map[string]struct{ with, colour string }{
		"a name":              {`<path fill="none" stroke="steelblue"` + d + `/>`, "#4682b4"},
		"hsl":                 {`<path fill="none" stroke="hsl(210, 50%, 40%)"` + d + `/>`, "#336699"},
		"hsla":                {`<path fill="none" stroke="hsla(0,100%,50%,.5)"` + d + `/>`, "#ff0000"},
		"rgb with shares":     {`<path fill="none" stroke="rgb(100%, 0%, 50%)"` + d + `/>`, "#ff0080"},
		"four digits":         {`<path fill="none" stroke="#f00f"` + d + `/>`, "#ff0000"},
		"unknown":             {`<path fill="none" stroke="url(#g)"` + d + `/>`, "url(#g)"},
		"the current colour":  {`<g color="teal"><path fill="none" stroke="currentColor"` + d + `/></g>`, "#008080"},
		"a class":             {`<style>.a{fill:none;stroke:teal}</style><path class="b a"` + d + `/>`, "#008080"},
		"a class in a group":  {`<style>/* {} */ g.s > .a, .z { fill: none; stroke: teal } path{stroke:red}</style><g class="s"><path class="a"` + d + `/></g>`, "#008080"},
		"an id before":        {`<style>#p{stroke:teal;fill:none}.a{stroke:red}</style><path id="p" class="a"` + d + `/>`, "#008080"},
		"important":           {`<style>.a{stroke:teal!important;fill:none}</style><path class="a" style="stroke:red"` + d + `/>`, "#008080"},
		"style before sheet":  {`<style>.a{stroke:red;fill:none}</style><path class="a" style="stroke:teal"` + d + `/>`, "#008080"},
		"the second child":    {`<style>.g :nth-child(2){stroke:teal;fill:none}</style><g class="g"><path d=""/><path stroke="red"` + d + `/></g>`, "#008080"},
		"another's class":     {`<style>.a .b{stroke:red}.b{stroke:teal;fill:none}</style><path class="b"` + d + `/>`, "#008080"},
		"opacity":             {`<path fill="none" stroke="red" opacity="0"` + d + `/>`, ""},
		"opacity of a group":  {`<g opacity="0"><path fill="none" stroke="red" opacity="1"` + d + `/></g>`, ""},
		"opacity of a class":  {`<style>.a{opacity:0}</style><path class="a" fill="none" stroke="red"` + d + `/>`, ""},
		"opacity of strokes":  {`<path fill="none" stroke="red" stroke-opacity="0"` + d + `/>`, ""},
		"no width":            {`<path fill="none" stroke="red" stroke-width="0"` + d + `/>`, ""},
		"not displayed":       {`<style>.a{display:none}</style><g class="a"><path fill="none" stroke="red"` + d + `/></g>`, ""},
		"hidden":              {`<g visibility="hidden"><path fill="none" stroke="red"` + d + `/></g>`, ""},
		"shown in a hidden":   {`<g visibility="hidden"><path visibility="visible" fill="none" stroke="red"` + d + `/></g>`, "#ff0000"},
		"transparent":         {`<path fill="none" stroke="rgba(255,0,0,0)"` + d + `/>`, ""},
		"groups":              {`<g transform="translate(10,20) scale(2)"><g transform="scale(.5) translate(-10 -20)"><path fill="none" stroke="red"` + d + `/></g></g>`, "#ff0000"},
		"skewed":              {`<g transform="skewX(30) skewX(-30)"><path fill="none" stroke="red"` + d + `/></g>`, "#ff0000"},
		"used":                {`<defs><path id="p" fill="none"` + d + `/></defs><use href="#p" x="5" y="5" transform="translate(-5 -5)" stroke="red"/>`, "#ff0000"},
		"a symbol":            {`<symbol id="p" viewBox="0 0 600 600"><g transform="scale(2)"><path fill="none" stroke="red"` + d + `/></g></symbol><use href="#p" width="300" height="300"/>`, "#ff0000"},
		"a nested drawing":    {`<svg x="10" y="10" width="300" height="300" viewBox="20 20 600 600"><g transform="scale(2)"><path fill="none" stroke="red"` + d + `/></g></svg>`, "#ff0000"},
		"in parts of the box": {`<svg x="0" y="0" width="100%" height="50%" viewBox="0 0 300 300" preserveAspectRatio="none"><g transform="scale(1 2)"><path fill="none" stroke="red"` + d + `/></g></svg>`, "#ff0000"},
	} {
		t.Run(name, func(t *testing.T) {
			trace, err := ReadSVG([]byte(strings.Replace(file, line, c.with, 1)), Paths{})
			if c.colour == "" {
				require.ErrorContains(t, err, "no curve in them")
				return
			}
			require.NoError(t, err)
			require.Len(t, trace.Curves, 1)
			assert.Equal(t, c.colour, trace.Curves[0].Colour)
			for i, want := range g.known() {
				assert.InDelta(t, want[0], trace.Curves[0].Points[i][0], 0.01)
				assert.InDelta(t, want[1], trace.Curves[0].Points[i][1], 0.001)
			}
		})
	}
	for with, want := range map[string]string{
		`<g transform="rotate3d(1,1,1,40deg)">` + line + `</g>`:                                         "rotate3d",
		`<g transform="rotate(1turn)">` + line + `</g>`:                                                 "rotate(1turn)",
		`<g style="transform:scale(2);transform-origin:20px 30px">` + line + `</g>`:                     "transform-origin",
		`<svg viewBox="0 0 9 9" width="9" height="8" preserveAspectRatio="xMinYMin">` + line + `</svg>`: "preserveAspectRatio",
	} {
		_, err := ReadSVG([]byte(strings.Replace(file, line, with, 1)), Paths{})
		require.ErrorContains(t, err, want)
	}
	trace, err := ReadSVG([]byte(strings.Replace(file, line, `<style>@import "a.css"; path:dir(ltr){display:none} path:hover{stroke:blue} @media print {path{stroke:blue}}</style>`+line, 1)), Paths{})
	require.NoError(t, err)
	assert.Equal(t, 2, len(slices.DeleteFunc(trace.Warnings, func(w string) bool { return !strings.Contains(w, "which is not read") })), "@import and :dir")
}

// A black curve between black axes: with a frame from the outermost ticks the axes would be read as part of it. What lies above or below
// the curve in its colour is said to.
func TestBlackPicture(t *testing.T) {
	at := func(x int) int { return 100 - x/3 }
	img := painted(t, 200, 150, color.Black, func(x, y int) bool {
		edge := x >= 20 && x <= 180 && y >= 10 && y <= 130 && (x < 22 || x > 178 || y < 12 || y > 128)
		curve := x > 21 && x < 179 && (y == at(x) || y == at(x)+1)
		return edge || curve || y == 20 && x > 130 && x < 165 // the last is a legend
	})
	black, err := ParseColour("SGD=#000000")
	require.NoError(t, err)
	p := Pixels{X: axisOfText(t, "20=0,180=160"), Y: axisOfText(t, "130=0,10=120"), Colours: []Colour{black}}
	_, err = ReadPNG(img, p)
	require.ErrorContains(t, err, "--frame 22,12,178,128")
	p.Frame = Box{22, 12, 178, 128}
	trace, err := ReadPNG(img, p)
	require.NoError(t, err)
	assert.Contains(t, strings.Join(trace.Warnings, ""), "--without")
	for _, q := range trace.Curves[0].Points {
		assert.InDelta(t, 130-float64(at(int(q[0])+20))-0.5, q[1], 1)
	}
	p.Without = []Box{{125, 15, 170, 25}}
	trace, err = ReadPNG(img, p)
	require.NoError(t, err)
	assert.Empty(t, trace.Warnings)
	for _, text := range []string{"0=0,50=10,100=100", "0=1,100=10,190=100"} {
		_, err := ParseAxis(text)
		require.ErrorContains(t, err, "one has another place or value", text)
	}
}
