package plots

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       []span
	}{
		{"plain", "test error (%)", []span{{"test error (%)", 0, 1}}},
		{"raised", "10^{-3} s", []span{{"10", 0, 1}, {"−3", supShift, scriptScale}, {" s", 0, 1}}},
		{"lowered then raised", "f_{t}^{2}", []span{{"f", 0, 1}, {"t", subShift, scriptScale}, {"2", supShift, scriptScale}}},
		{"no brace", "my_method^2", []span{{"my_method^2", 0, 1}}},
		{"open brace", "a^{b", []span{{"a^{b", 0, 1}}},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, spans(c.line)) })
	}
}

func TestMinusSigns(t *testing.T) {
	for in, want := range map[string]string{
		"-1": "−1", "slope -0.5": "slope −0.5", "[-1.02, -0.92]": "[−1.02, −0.92]", "x-.5": "x-.5",
		"2-D": "2-D", "kernel-2": "kernel-2", "1e-3": "1e-3", "non-convex": "non-convex", "-": "-", "(-.5)": "(−.5)",
	} {
		assert.Equal(t, want, minusSigns(in))
	}
}

func TestPlainText(t *testing.T) {
	assert.Equal(t, "ft at 10^−3", plainText("f_{t} at 10^{-3}"))
}

func TestMissingGlyphIsAnError(t *testing.T) {
	for _, where := range []func(*Figure){
		func(f *Figure) { f.Title = "Fehler 誤差" },
		func(f *Figure) { f.Curves.X.Label = "誤" },
		func(f *Figure) { f.Curves.Lines[0].Label = "curve 誤" },
	} {
		f := smallFigure()
		where(&f)
		_, err := Render(f)
		require.ErrorContains(t, err, `figure small: the figure font DejaVu Sans has no glyph for '誤' (U+8AA4)`)
	}
}

func TestTextMeasures(t *testing.T) {
	o, err := newOutlines(themeOf(Style{}))
	require.NoError(t, err)
	assert.Greater(t, o.width("mm", 10), o.width("m", 10))
	assert.InDelta(t, 2*float64(o.width("10^{3}", 10)), float64(o.width("10^{3}", 20)), 1e-9, "widths scale with the size, but for rounding")
	assert.Less(t, o.width("10^{3}", 10), o.width("103", 10), "a raised digit is smaller")
	assert.Equal(t, "one two\nthree", o.wrap("one two three", 10, o.width("one two", 10)))
	assert.Equal(t, "unbreakable", o.wrap("unbreakable", 10, 1))
	assert.NoError(t, o.err)
}
