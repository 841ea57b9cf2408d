package drawings

import (
	"fmt"
	"image/color"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gonum.org/v1/plot/vg"

	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/plots/figures"
)

// A look of a style is how a curve with a number of a style looks in the report's colours. Curves differ without colour too.
type styleLook struct {
	Colour, Dark string    // #rrggbb, on a white ground and on a dark one
	Dash         []float64 // lengths of dash and gap in points; empty for a solid line
	Marker       string    // disc, open square, triangle, open diamond, circle, triangle down, square, open triangle or empty
}

// lookOf returns the look of the style with the given number, as in Line.Style. The styles of numbers below 42 differ; two
// styles of one colour differ in dash and in marker.
func lookOf(style int) styleLook {
	light, dark := styleOf(style), themeOf(figures.Style{Name: figures.StyleDark}).styleOf(style)
	l := styleLook{Colour: hexOf(light.colour), Dark: hexOf(dark.colour), Marker: light.marker.Name}
	for _, d := range light.dashes {
		l.Dash = append(l.Dash, float64(d))
	}
	return l
}

// hexOf writes a colour as in HTML.
func hexOf(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Two styles differ in colour, or in dash and marker, on both grounds.
func TestLooksDiffer(t *testing.T) {
	for i := range figures.StyleCount {
		for j := range i {
			a, b := lookOf(i), lookOf(j)
			assert.Equal(t, a.Colour == b.Colour, a.Dark == b.Dark, "%d and %d", i, j)
			if a.Colour == b.Colour {
				assert.NotEqual(t, a.Dash, b.Dash, "%d and %d", i, j)
				assert.NotEqual(t, a.Marker, b.Marker, "%d and %d", i, j)
			}
		}
	}
	assert.Equal(t, styleLook{Colour: "#0072b2", Dark: "#77aadd", Marker: "disc"}, lookOf(0))
	truth := lookOf(figures.TruthStyle)
	assert.Empty(t, truth.Marker)
	assert.NotEmpty(t, truth.Dash)
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
				look := fmt.Sprint(lookOf(style))
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

func TestThemes(t *testing.T) {
	slides := themeOf(figures.Style{Name: figures.StyleSlides, Width: 16})
	assert.InDelta(t, 16, float64(slides.width/vg.Centimeter), 1e-9)
	assert.GreaterOrEqual(t, float64(slides.pt(labelSize)), 18-1e-9)
	paper := themeOf(figures.Style{Name: figures.StylePaper})
	assert.InDelta(t, 238.1, float64(paper.width), 0.1, "8.4 cm in points")
	assert.InDelta(t, 8, float64(paper.pt(labelSize)), 1e-9)
	assert.False(t, paper.titled)
	assert.Less(t, themeOf(figures.Style{Name: figures.StyleDark}).Paper.R, uint8(0x40))
}

// styleOf returns the style with the given number as the report draws it.
func styleOf(i int) curveStyle { return themeOf(figures.Style{}).styleOf(i) }
