package drawings

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/figures"
)

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
