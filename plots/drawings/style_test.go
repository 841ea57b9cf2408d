package drawings

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/plots/figures"
)

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
