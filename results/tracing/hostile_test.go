package tracing

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pdfOf returns a PDF of some pages with one content, compressed, and more keys in its trailer.
func pdfOf(content string, pages int, trailer string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), pages))
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write([]byte(content))
	w.Close()
	object(fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", z.Len(), z.String()))
	for range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 3 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> >> >>")
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, trailer, start)
	return b.Bytes()
}

// plain is a page with a frame, numbers and a curve.
const plain = `50 30 200 150 re S
BT /F 8 Tf 1 0 0 1 48 20 Tm (0) Tj 1 0 0 1 146 20 Tm (5) Tj 1 0 0 1 244 20 Tm (10) Tj ET
BT /F 8 Tf 1 0 0 1 40 27 Tm (0) Tj 1 0 0 1 40 102 Tm (1) Tj 1 0 0 1 40 177 Tm (2) Tj ET
50 30 m 50 34 l S 150 30 m 150 34 l S 250 30 m 250 34 l S
50 30 m 54 30 l S 50 105 m 54 105 l S 50 180 m 54 180 l S
1 0 0 RG 60 40 m 100 60 l 150 100 l 240 170 l S
`

// TestHostile: what cannot be read is told so in a line, soon, and without much memory.
func TestHostile(t *testing.T) {
	trace, err := ReadPDF(pdfOf(plain, 1, ""), 0, Paths{})
	require.NoError(t, err)
	require.Len(t, trace.Curves, 1)
	assert.InDelta(t, 5, trace.Curves[0].Points[2][0], 1e-9)
	assert.InDelta(t, 14.0/15, trace.Curves[0].Points[2][1], 1e-9)

	part, err := ReadPDF(pdfOf(plain, 1, ""), 0, Paths{X: axisOfText(t, "50=0,250=10"), Y: axisOfText(t, "170=0,95=1"), Frame: Box{50, 20, 160, 170}})
	require.NoError(t, err)
	assert.Equal(t, trace.Curves[0].Points[:3], part.Curves[0].Points, "what lies in the frame that is given")

	bomb := strings.Repeat("0 0 m 1 1 l S\n", 3_000_000)
	for name, c := range map[string]struct {
		text []byte
		page int
		want string
	}{
		"no PDF":           {[]byte("hello"), 0, "is no PDF"},
		"cut":              {pdfOf(plain, 1, "")[:300], 0, "cannot be read"},
		"nothing":          {[]byte("%PDF-1.4\n"), 0, "cannot be read"},
		"encrypted":        {pdfOf(plain, 1, "/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O (12345678901234567890123456789012) /U (12345678901234567890123456789012) /P 0 >>"), 0, "is encrypted"},
		"two pages":        {pdfOf(plain, 2, ""), 0, "has 2 pages; choose one with --page"},
		"2,000 pages":      {pdfOf(plain, 2000, ""), 0, "has 2000 pages; choose one with --page"},
		"a page too many":  {pdfOf(plain, 2, ""), 3, "there is no page 3"},
		"no lines":         {pdfOf("BT /F 8 Tf (text) Tj ET", 1, ""), 0, "draws no lines"},
		"no axes":          {pdfOf("1 0 0 RG 60 40 m 100 60 l 150 100 l S", 1, ""), 0, "no tick labels"},
		"no curve":         {pdfOf(strings.Split(plain, "1 0 0 RG")[0], 1, ""), 0, "no curve in them"},
		"a huge size":      {bytes.Replace(pdfOf(plain, 1, ""), []byte("/Size 5"), []byte("/Size 99999999999"), 1), 0, "made to harm"},
		"42 MB of letters": {pdfOf(bomb, 1, ""), 0, "more than 5 million operators"},
		"deep arrays":      {pdfOf(strings.Repeat("[", 1_000_000), 1, ""), 0, ""},
		"an open string":   {pdfOf("("+strings.Repeat("a", 30_000_000), 1, ""), 0, ""},
		"NaN":              {pdfOf(strings.ReplaceAll(plain, "100 60 l", "1e999 nan l 1e308 1e308 l"), 1, ""), 0, ""},
		"huge scales":      {pdfOf("1e300 0 0 1e300 0 0 cm 1e300 0 0 1e300 0 0 cm\n"+plain, 1, ""), 0, ""},
		"many states":      {pdfOf(strings.Repeat("q ", 1_000_000)+plain, 1, ""), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			_, err := ReadPDF(c.text, c.page, Paths{})
			runtime.ReadMemStats(&after)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
			}
			if err != nil {
				assert.Less(t, len(err.Error()), 700)
			}
			assert.Less(t, time.Since(began), 60*time.Second)
			assert.Less(t, after.Sys, uint64(6<<30))
		})
	}
	for name, c := range map[string]struct{ text, want string }{
		"no SVG":         {"<html></html>", "has no element svg"},
		"cut":            {"<svg", "cannot be read"},
		"uses itself":    {`<svg><g id="a"><use href="#a"/><use href="#a"/></g></svg>`, "draws no lines"},
		"a picture":      {`<svg><image href="x.png"/></svg>`, "shows a picture and draws no lines"},
		"deep":           {"<svg>" + strings.Repeat("<g>", 100_000), "in each other"},
		"a broken path":  {`<svg><path stroke="red" d="l1 1zzMMM0 0L1"/></svg>`, ""},
		"a huge viewBox": {`<svg viewBox="0 0 1e308 1e308"><path stroke="red" d="M0 0L1e308 1e308L-1e308 1"/></svg>`, "no tick labels"},
	} {
		_, err := ReadSVG([]byte(c.text), Paths{})
		require.ErrorContains(t, err, c.want, name)
	}
}

// axisOfText returns the axis that a text is.
func axisOfText(t *testing.T, text string) Axis {
	t.Helper()
	x, err := ParseAxis(text)
	require.NoError(t, err)
	return x
}

// painted returns a picture of coloured pixels on white.
func painted(t *testing.T, width, height int, colour color.Color, has func(x, y int) bool) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			img.Set(x, y, color.White)
			if has(x, y) {
				img.Set(x, y, colour)
			}
		}
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}

// framed reads a figure of parts in a frame from 50, 20 to 250, 200, with these axes.
func framed(t *testing.T, x, y Axis, parts string) *Trace {
	t.Helper()
	const head = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="450"><path d="M50 20 H250 V200 H50 Z" stroke="#000" fill="none"/>`
	trace, err := ReadSVG([]byte(head+parts+`</svg>`), Paths{X: x, Y: y})
	require.NoError(t, err)
	return trace
}

// TestPictures holds what wrong pictures and calibrations are told.
func TestPictures(t *testing.T) {
	blank, axis := painted(t, 50, 50, color.White, func(int, int) bool { return false }), axisOfText(t, "10=0,40=1")
	for name, c := range map[string]struct {
		text []byte
		p    Pixels
		want string
	}{
		"no PNG":    {[]byte("\x89PNGxx"), Pixels{}, "is no PNG"},
		"no axes":   {blank, Pixels{}, "give two ticks of each axis"},
		"no curves": {blank, Pixels{X: axis, Y: axis}, "no curve was found"},
		"outside":   {blank, Pixels{X: axis, Y: axis, Frame: Box{-1e9, -1e9, 1e9, 1e9}}, "no curve was found"},
	} {
		_, err := ReadPNG(c.text, c.p)
		require.ErrorContains(t, err, c.want, name)
	}
	large := axisOfText(t, "log,56=1,1014=10000,1493=1e+06")
	assert.Equal(t, large, axisOfText(t, large.String()), "what is printed can be given")
	for _, text := range []string{"", "10=1", "10=1,10=2", "10=1,20=1", "log,10=0,20=1", "10=a,20=2", "1e999=1,2=2", "10=NaN,20=2"} {
		_, err := ParseAxis(text)
		assert.Error(t, err, text)
	}
	for _, text := range []string{"", "red", "a=#12345", "a=#gggggg"} {
		_, err := ParseColour(text)
		assert.Error(t, err, text)
	}
}

// The error of a value is by how much it changes within that of its place, and the residual is the distance of a tick from its place on
// the line of least squares.
func TestErrorsOfAxes(t *testing.T) {
	for _, text := range []string{"10=0,40=1", "40=-1,10=3", "log,56=1,535=100", "log,535=0.01,56=100"} {
		x := axisOfText(t, text)
		for _, at := range []float64{20, 300} {
			v, most := x.Value(at), 0.0
			for _, d := range []float64{-1.5, 1.5} {
				most = max(most, math.Abs(x.Value(at+d)-v))
			}
			assert.InEpsilon(t, most, x.Error(v, 1.5), 1e-9, "%s at %v", text, at)
		}
	}
	x := axisOfText(t, "0=0,100=1,200=2.05")
	assert.InDelta(t, 0.05/3/(2.05/200), x.Residual, 1e-9, "the middle one lies 1/60 below the line")
	_, err := ParseAxis("0=0,100=1,200=2.1")
	assert.ErrorContains(t, err, "lie up to 3.2 from a line")
	_, err = ParseAxis("0=0,1000=504,2000=1000")
	assert.NoError(t, err, "5 of 2000 pixels off")
}

// A line of rows of pixels lies in the middle of them, to half of its thickness or, where it is flat, no more than 1.5 pixels, and to half a
// pixel along x, beside the error of the axes.
func TestMiddleOfALine(t *testing.T) {
	x := axisOfText(t, "0=0,50=101,99=198")
	y := axisOfText(t, "log,0=100,49=10.2,99=1")
	for rows, half := range map[int]float64{1: 0.5, 2: 1, 3: 1.5, 5: 1.5} {
		img := painted(t, 100, 100, color.NRGBA{214, 39, 40, 255}, func(_, y int) bool { return y >= 40 && y < 40+rows })
		trace, err := ReadPNG(img, Pixels{X: x, Y: y})
		require.NoError(t, err)
		require.Len(t, trace.Curves, 1)
		assert.Len(t, trace.Curves[0].Points, 100)
		q := trace.Curves[0].Points[50]
		assert.InEpsilon(t, y.Value(40+float64(rows-1)/2), q[1], 1e-9)
		assert.InEpsilon(t, x.Error(q[0], 0.5+x.Residual), q[2], 1e-9)
		assert.InEpsilon(t, y.Error(q[1], half+y.Residual), q[3], 1e-9, "%d rows", rows)
	}
}

// Lines, bars and markers of a vector figure are where they are drawn, to a part of a point, beside the error of the axes.
func TestErrorsOfPaths(t *testing.T) {
	figure := `<text x="100" y="240" font-size="9">steps</text><path fill="none" stroke="#008000" d="M60 60 L150 80 L240 120"/>`
	for i := range 5 {
		figure += fmt.Sprintf(`<rect x="%d" y="%d" width="20" height="%d" fill="#ff0000"/>`, 60+30*i, 190-10*i, 10+10*i)
		figure += fmt.Sprintf(`<path fill="#0000ff" d="M%d 50 l3 5 l-6 0 Z"/>`, 70+30*i)
	}
	x := axisOfText(t, "50=0,150=5.05,250=10")
	y := axisOfText(t, "log,200=1,110=10.1,20=100")
	trace := framed(t, x, y, figure)
	off := map[string]float64{"#008000": 0.05, "#ff0000": 0.1, "#0000ff": 0.1}
	require.Len(t, trace.Curves, len(off))
	for _, c := range trace.Curves {
		for _, p := range c.Points {
			assert.InEpsilon(t, x.Error(p[0], x.Residual+off[c.Colour]), p[2], 1e-9, c.Colour)
			assert.InEpsilon(t, y.Error(p[1], y.Residual+off[c.Colour]), p[3], 1e-9, c.Colour)
		}
	}
}

// Bars are points at the middle of their ends: above 0 and below it. A rectangle beside a text is the sample of the legend, and one that
// stands nowhere is no bar.
func TestBars(t *testing.T) {
	rect := func(x, y, w, h float64, fill string) string {
		return fmt.Sprintf(`<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>`, x, y, w, h, fill)
	}
	bars := `<text x="222" y="38" font-size="9">SGD</text>` + rect(60, 80, 20, 20, "#ff0000") + rect(100, 40, 20, 60, "#ff0000") + rect(140, 100, 20, 50, "#ff0000") + rect(200, 30, 18, 8, "#ff0000") + rect(100, 150, 5, 20, "#00ff00")
	trace := framed(t, axisOfText(t, "50=0,250=10"), axisOfText(t, "200=-5,20=4"), bars)
	require.Len(t, trace.Curves, 1)
	assert.Equal(t, "SGD", trace.Curves[0].Name)
	var at [][2]float64
	for _, p := range trace.Curves[0].Points {
		at = append(at, [2]float64{math.Round(1e9*p[0]) / 1e9, math.Round(1e9*p[1]) / 1e9})
	}
	assert.Equal(t, [][2]float64{{1, 1}, {3, 3}, {5, -2.5}}, at)
}

// A line that leads from the end of a curve to its name beside the frame is no part of a curve, even of one that looks like it, and names
// none. Another panel may have curves of the same look.
func TestLeaders(t *testing.T) {
	line := func(d, more string) string { return `<path fill="none" stroke="#ff0000" d="` + d + `" ` + more + `/>` }
	const dashed = `stroke-dasharray="4 2"`
	figure := line("M50 150 L150 120 L250 100", "") + line("M50 180 L150 170 L250 160", dashed) +
		line("M250 100 L252 100 L264 90", "") + line("M264 90 H282", "") + line("M250 160 L252 160 L264 170", "") + line("M264 170 H282", dashed) +
		`<text x="286" y="93" font-size="9">last</text><text x="286" y="173" font-size="9">averaged</text>` +
		`<path d="M50 250 H250 V400 H50 Z" stroke="#000" fill="none"/>` + line("M50 300 L250 310 L240 300", "")
	trace := framed(t, axisOfText(t, "50=0,250=10"), axisOfText(t, "200=0,20=9"), figure)
	require.Len(t, trace.Curves, 2)
	for i, want := range []string{"last", "averaged"} {
		assert.Equal(t, want, trace.Curves[i].Name)
		require.Len(t, trace.Curves[i].Points, 3)
		assert.InDelta(t, []float64{5, 2}[i], trace.Curves[i].Points[2][1], 1e-9)
	}
}

// Errors of reading on two logarithmic axes are shares, and on two linear ones lengths: the largest of the points.
func TestErrorsOfReading(t *testing.T) {
	points := [][4]float64{{10, 0.5, 0.1, 0.01}, {1000, 0.1, 20, 0.001}}
	linear := Trace{Curves: []Curve{{Name: "a", Points: points}}}
	assert.Contains(t, linear.TOML("Fig. 1", 0, "so"), "x_error = 20\ny_error = 0.01\npoints")
	back := Trace{Curves: []Curve{{Name: "a", Points: [][4]float64{{1, 0.5, 20, 0.001}, {1000, 0.1, 0.1, 0.01}}}}}
	assert.Contains(t, back.TOML("Fig. 1", 0, "so"), "x_error = 20\ny_error = 0.01\npoints")
	log := linear
	log.X.Log, log.Y.Log = true, true
	assert.Contains(t, log.TOML("Fig. 1", 0, "so"), "x_error = 0.02\ny_error = 0.02\nrelative = true\npoints")
	log.Y.Log = false
	assert.Contains(t, log.TOML("Fig. 1", 0, "so"), "[1000, 0.1, 20, 0.001]")
	assert.NotContains(t, log.TOML("Fig. 1", 0, "so"), "x_error")
}

// TestNumbers holds how labels of ticks are read.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "-1.5": -1.5, "−2": -2, "1e-03": 1e-3, "10^-3": 1e-3, "4 × 10^-1": 0.4, "10^3": 1000, "-10^2": -100, ".5": 0.5, "20k": 20000, "1.5M": 1.5e6, "2·10^3": 2000, "50%": 50,
	} {
		v, _, ok := numberOf(text)
		assert.True(t, ok, text)
		assert.InDelta(t, want, v, 1e-9*math.Abs(want), text)
	}
	for _, text := range []string{"", "abc", "0 5", "10 000", "1e999", "x", "5 m", "1-2", "a 1"} {
		_, _, ok := numberOf(text)
		assert.False(t, ok, text)
	}
}

// FuzzPDF: any file is read or refused, and what is read is finite. The seeds are whole figures.
func FuzzPDF(f *testing.F) {
	for _, name := range []string{"mpl-one-linear.pdf", "gp-linear-plain.pdf", "r-linear-0.pdf", "repro-linear.pdf"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add(pdfOf(plain, 1, ""))
	f.Fuzz(func(t *testing.T, text []byte) {
		trace, err := ReadPDF(text, 0, Paths{})
		finite(t, trace, err)
	})
}

// FuzzContent: any content of a page is read or refused.
func FuzzContent(f *testing.F) {
	f.Add(plain)
	f.Add("q 1 0 0 1 0 0 cm /M Do Q BI /W 1 ID x EI (a(b)\\) <00> [1 (x)] TJ")
	f.Fuzz(func(t *testing.T, content string) {
		trace, err := ReadPDF(pdfOf(content, 1, ""), 0, Paths{})
		finite(t, trace, err)
	})
}

// FuzzSVG: any text is read or refused.
func FuzzLetters(f *testing.F) {
	f.Add("1 beginbfrange <0000> <FFFF> <0000> endbfrange", "\x22\x12")
	f.Add("2 beginbfchar <01> <0066> <02> <D835DC00> endbfchar 1 beginbfrange <05> <06> [<0031> <0032>] endbfrange", "\x01\x06\x09")
	f.Fuzz(func(t *testing.T, text, raw string) {
		for _, wide := range []bool{false, true} {
			c := &face{wide: wide}
			if n := len(lettersOf(c, text)(raw)); n > 64*4*len(raw) {
				t.Fatalf("%d bytes of %d letters", n, len(raw))
			}
		}
	})
}

// lettersOf returns what turns strings of a font with a map of letters into text.
func lettersOf(f *face, text string) func(string) string {
	return f.decoder(stretchesOf(strings.NewReader(text)))
}

// Letters are those of the map of a font: single ones, ranges, and ranges that list their letters.
func TestLetters(t *testing.T) {
	const maps = "1 beginbfrange <0000> <FFFF> <0000> endbfrange"
	assert.Equal(t, "−5", lettersOf(&face{wide: true}, maps)("\x22\x12\x00\x35"), "as fpdf writes it")
	const some = "2 beginbfchar <01> <0066> <02> <D835DC00> endbfchar 2 beginbfrange <05> <06> [<0031> <00320033>] <10> <12> <0041> endbfrange"
	assert.Equal(t, "f𝐀1 23B??", strings.Replace(lettersOf(&face{}, some)("\x01\x02\x05\x06\x11\x03\x13"), "123", "1 23", 1))
	assert.Equal(t, "?", lettersOf(&face{}, "<01> <0066> endbfchar (open")("\x02"))
}

func FuzzSVG(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "gp-linear-plain.svg"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(`<svg viewBox="0 0 9 9"><g transform="rotate(3) scale(1,2)"><use href="#a"/></g><path id="a" d="M0 0c1 1 2 2 3 3h1v2z"/><text x="1">10<tspan dy="-3">2</tspan></text></svg>`)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := ReadSVG([]byte(text), Paths{})
		finite(t, trace, err)
	})
}

// finite fails unless there is either an error or a trace whose places are numbers.
func finite(t *testing.T, trace *Trace, err error) {
	if err != nil {
		require.NotContains(t, err.Error(), "%!")
		return
	}
	require.NotEmpty(t, trace.Curves)
	for _, c := range trace.Curves {
		for _, p := range c.Points {
			for _, v := range p {
				require.False(t, math.IsNaN(v), c)
			}
		}
	}
	require.NotEmpty(t, trace.CSV())
	require.NotEmpty(t, trace.Overlay())
	require.NotEmpty(t, trace.TOML("f", 1, "h"))
}
