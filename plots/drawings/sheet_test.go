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
