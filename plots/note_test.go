package plots

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/figures"
	"repro/results/claims"
)

// TestReducedRunsSaySoInTheFigure draws figures of runs with 4096 rows of 65,536 in every format, and of the paper's.
func TestReducedRunsSaySoInTheFigure(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	const note = "Profile quick, not the paper's size: n 4,096, not 65,536"
	surface := t.TempDir()
	writeSurfaces(t, surface, exp, 8)
	for _, fig := range exp.Figures {
		f, err := figures.Build(surface, exp, fig, recs, verdicts(exp, recs))
		require.NoError(t, err)
		require.Equal(t, note, f.Note, fig.ID)
		p, err := Render(f, Formats...)
		require.NoError(t, err)
		assert.Contains(t, string(p.file(".pgf")), "{"+note+"}", fig.ID)
		p.sheet.short = shortNames(p.sheet.looks)
		assert.Contains(t, string(p.sheet.Inline("", "")), ">Profile quick, not the paper&#39;s size: n 4,096, not 65,536</text>", "the page's drawing of %s", fig.ID)
		plain := f
		plain.Note = ""
		without, err := Render(plain, Formats...)
		require.NoError(t, err)
		for i, file := range p.Files {
			if !strings.HasPrefix(file.Suffix, "-") { // it is no picture that a PGF file names
				assert.NotEqual(t, without.Files[i].Data, file.Data, "%s%s", fig.ID, file.Suffix)
			}
		}
		if f.Curves != nil {
			var d liveData
			d.addCurves(exp, fig, &f, recs, nil)
			text, err := json.Marshal(d.Figures[0])
			require.NoError(t, err)
			assert.Contains(t, string(text), `"note":"Profile quick`)
		}
	}

	exp.Profile = "誤"
	for _, r := range recs {
		r.Header.Profile = exp.Profile
	}
	f, err := figures.Build(surface, exp, exp.Figures[0], recs, nil)
	require.NoError(t, err)
	_, err = Render(f)
	require.NoError(t, err)
	assert.Contains(t, f.Note, "Profile U+8AA4, ", "the name of a profile can have any character")

	exp.Original = claims.Original{Settings: map[string]map[string]any{}}
	for _, m := range exp.Methods {
		exp.Original.Settings[m.ID] = recs[0].Header.Settings
	}
	f, err = figures.Build(surface, exp, exp.Figures[0], recs, nil)
	require.NoError(t, err)
	assert.Empty(t, f.Note)
}

// A note takes room from the drawing where the figure has a size of its own.
func TestNoteFits(t *testing.T) {
	for _, style := range append(figures.StyleNames, "") {
		f := smallFigure()
		f.Style.Name = style
		f.Style.Width, f.Style.Height = 24, 18
		bare, _, err := layOut(f)
		require.NoError(t, err)
		f.Note = "Profile quick, not the paper's size: n 144 to 1,024, not 256 to 36,864; steps 12 to 32, not 16 to 192; features 3 to 444, not 4 to 4,040"
		d, _, err := layOut(f)
		require.NoError(t, err)
		w, h := bare.size()
		nw, nh := d.size()
		assert.Equal(t, [2]float64{float64(w), float64(h)}, [2]float64{float64(nw), float64(nh)}, style)
		assert.Greater(t, float64(d.(framed).noteHeight()), 5.0)
	}
}
