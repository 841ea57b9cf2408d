package drawings

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/plots/browsertest"
	"repro/plots/figures"
	"repro/plots/web"
)

// everyMarker is a figure with a curve in every style of the colours and markers, whose markers overlap.
func everyMarker() figures.Figure {
	f := figures.Figure{ID: "markers", Title: "Every marker", Curves: &figures.Curves{X: figures.Axis{Label: "iterations t"}, Y: figures.Axis{Label: "test error"}}}
	for i := range 2 * len(figures.Light.Colours) {
		y := float64(i / 2)
		f.Curves.Lines = append(f.Curves.Lines, figures.Line{
			Label: fmt.Sprint("method ", i), Style: i, X: []float64{1, 1.02, 2, 3}, Y: []float64{y, y, y + 1, y}, Beside: i%5 == 4, Level: i%5 == 4, At: 2,
		})
	}
	return f
}

func TestNothingInASheetIsTransparent(t *testing.T) {
	for _, f := range []figures.Figure{smallFigure(), smallHeat(), everyMarker()} {
		p := rendered(t, f)
		require.NotEmpty(t, p.Sheet.looks, f.ID)
		for class, l := range p.Sheet.looks {
			assert.NotZero(t, l.colour.A, "%s: class %s", f.ID, class)
		}
	}
}

// TestSheetLooksLikeTheFile draws figures in a browser as the report has them and as their SVG files have them, without
// text, whose font in the report is the reader's.
func TestSheetLooksLikeTheFile(t *testing.T) {
	rules, err := web.Files.ReadFile("base.css")
	require.NoError(t, err)
	camera := browsertest.New(t, "")
	camera.Viewport(1200, 1000)
	blank := photograph(t, camera, "<svg></svg>", "")
	for _, f := range []figures.Figure{smallFigure(), smallHeat(), everyMarker()} {
		t.Run(f.ID, func(t *testing.T) {
			p := rendered(t, f)
			css := SheetsCSS(p.Sheet)
			ofPage := photograph(t, camera, string(p.Sheet.Inline(f.Title, "d")), string(rules)+css)
			ofFile := photograph(t, camera, string(p.SVG()), "")
			assert.Empty(t, apart(ofPage, ofFile), "pixels of the page unlike the file")
			assert.Empty(t, apart(ofFile, ofPage), "pixels of the file unlike the page")
			assert.NotEmpty(t, apart(ofFile, blank), "pixels drawn")
		})
	}
}

// photograph draws an SVG element 1200 pixels wide, without text.
func photograph(t *testing.T, b *browsertest.Browser, svg, css string) image.Image {
	t.Helper()
	page, picture := filepath.Join(t.TempDir(), "page.html"), filepath.Join(t.TempDir(), "page.png")
	require.NoError(t, os.WriteFile(page, fmt.Appendf(nil, `<!DOCTYPE html><meta charset="utf-8"><style>%s
svg { position: absolute; top: 0; left: 0; width: 1200px !important; max-width: none !important; height: auto; } text, g[transform^="translate("] { display: none; }
</style><p id="spoken"></p><div class="sheet">%s</div>`, css, svg), 0o666))
	b.Load(page)
	b.Open("")
	b.Picture(picture)
	data, err := os.ReadFile(picture)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return img
}

// apart returns the pixels of a in which a channel lies outside the range of the nine pixels of b around them by more than
// 0.4 of the scale. A sheet rounds places and its width to a tenth of a point, which moves an edge by up to 0.2 pixels here,
// and two edges that face each other by 0.4.
func apart(a, b image.Image) []image.Point {
	const most = 0.4 * 255
	at := func(img image.Image, x, y int) [3]float64 {
		c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
		return [3]float64{float64(c.R), float64(c.G), float64(c.B)}
	}
	var out []image.Point
	box := a.Bounds().Inset(1)
	for i := range box.Dx() * box.Dy() {
		p := box.Min.Add(image.Point{X: i % box.Dx(), Y: i / box.Dx()})
		lo, hi := [3]float64{255, 255, 255}, [3]float64{}
		for k := range 9 {
			for c, v := range at(b, p.X+k%3-1, p.Y+k/3-1) {
				lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
			}
		}
		for c, v := range at(a, p.X, p.Y) {
			if v < lo[c]-most || v > hi[c]+most {
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// Two styles differ in colour, or in dash and marker, on both grounds.
func TestLooksDiffer(t *testing.T) {
	dark := themeOf(figures.Style{Name: figures.StyleDark})
	for i := range figures.StyleCount {
		for j := range i {
			a, b := styleOf(i), styleOf(j)
			assert.Equal(t, a.colour == b.colour, dark.styleOf(i).colour == dark.styleOf(j).colour, "%d and %d", i, j)
			if a.colour == b.colour {
				assert.NotEqual(t, a.dashes, b.dashes, "%d and %d", i, j)
				assert.NotEqual(t, a.marker, b.marker, "%d and %d", i, j)
			}
		}
	}
	truth := styleOf(figures.TruthStyle)
	assert.Empty(t, truth.marker.Name)
	assert.NotEmpty(t, truth.dashes)
}

// In every figure that comes with repro no two series look the same, no two methods have one colour while another colour is
// free, and a method looks the same as in the other figures of its paper.
func TestStylesOfTheCatalog(t *testing.T) {
	entries, err := catalog.Entries()
	require.NoError(t, err)
	known := map[string]int{} // style by paper and method
	for _, e := range entries {
		s, err := catalog.Load(catalog.Ref{ID: e.ID}, experiments.LoadOptions{})
		require.NoError(t, err)
		exp := s.Experiment()
		for _, fig := range exp.Figures {
			series := figures.Series(exp, fig)
			looks, of := map[string]bool{}, map[int]string{}
			first := map[string]bool{}
			for i, style := range figures.Styles(exp, series) {
				method := series[i].Method
				own := styleOf(style)
				look := fmt.Sprint(own.colour, own.dashes, own.marker)
				assert.False(t, looks[look], "%s %s: two series look like %s", e.ID, fig.ID, look)
				looks[look] = true
				if first[method] || method == figures.Truth {
					continue
				}
				first[method] = true
				key := e.Paper.Key + " " + method
				if before, ok := known[key]; ok {
					assert.Equal(t, before, style, "%s in %s %s", method, e.ID, fig.ID)
				}
				known[key] = style
				if other := of[figures.ColourOf(style)]; len(series) <= figures.ColourCount {
					assert.Empty(t, other, "%s %s: one colour with %s", e.ID, fig.ID, method)
				}
				of[figures.ColourOf(style)] = method
			}
		}
	}
}

func TestStyleFlags(t *testing.T) {
	for _, c := range []struct {
		in   string
		want float64
	}{{"16cm", 16}, {"160mm", 16}, {"4in", 10.16}, {"1cm", 0}, {"16", 0}, {"wide", 0}, {"2000cm", 0}} {
		got, err := ParseWidth(c.in)
		assert.InDelta(t, c.want, got, 1e-9, "%s, but for rounding", c.in)
		assert.Equal(t, c.want == 0, err != nil, c.in)
	}
	for in, want := range map[string]float64{"20pt": 20, "9.5": 9.5, "1pt": 0, "big": 0} {
		got, err := ParseFont(in)
		assert.Equal(t, want, got, in)
		assert.Equal(t, want == 0, err != nil, in)
	}
}

// styleOf returns the style with the given number as the report draws it.
func styleOf(i int) curveStyle { return themeOf(figures.Style{}).styleOf(i) }

func TestMissingGlyphIsAnError(t *testing.T) {
	for _, where := range []func(*figures.Figure){
		func(f *figures.Figure) { f.Title = "Fehler 誤差" },
		func(f *figures.Figure) { f.Curves.X.Label = "誤" },
		func(f *figures.Figure) { f.Curves.Lines[0].Label = "curve 誤" },
	} {
		f := smallFigure()
		where(&f)
		_, err := Render(f)
		require.ErrorContains(t, err, `figure small: the figure font DejaVu Sans has no glyph for '誤' (U+8AA4)`)
	}
}

func TestTextMeasures(t *testing.T) {
	o, err := newOutlines(themeOf(figures.Style{}))
	require.NoError(t, err)
	assert.Greater(t, o.width("mm", 10), o.width("m", 10))
	assert.InDelta(t, 2*float64(o.width("10^{3}", 10)), float64(o.width("10^{3}", 20)), 1e-9, "widths scale with the size, but for rounding")
	assert.Less(t, o.width("10^{3}", 10), o.width("103", 10), "a raised digit is smaller")
	assert.Equal(t, "one two\nthree", o.wrap("one two three", 10, o.width("one two", 10)))
	assert.Equal(t, "unbreakable", o.wrap("unbreakable", 10, 1))
	assert.NoError(t, o.err)
}
