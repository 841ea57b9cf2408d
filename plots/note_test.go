package plots

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/plots/live"
	"repro/results/claims"
)

// TestReducedRunsSaySoInTheFigure draws figures of runs with 4096 rows of 65,536, and of the paper's.
func TestReducedRunsSaySoInTheFigure(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	const note = "Profile quick, not the paper's size: n 4,096, not 65,536"
	surface := t.TempDir()
	writeSurfaces(t, surface, exp, 8)
	for _, fig := range exp.Figures {
		f := built(t, surface, caseOf(exp, recs, verdicts(exp, recs)), fig)
		require.Equal(t, note, f.Note, fig.ID)
		p, err := drawings.Render(f)
		require.NoError(t, err)
		drawings.SheetsCSS(p.Sheet)
		assert.Contains(t, string(p.Sheet.Inline("", "")), ">Profile quick, not the paper&#39;s size: n 4,096, not 65,536</text>", "the page's drawing of %s", fig.ID)
		if f.Curves != nil {
			var d live.Data
			d.AddCurves(caseOf(exp, recs, nil), fig, &f, nil)
			text, err := json.Marshal(d.Figures[0])
			require.NoError(t, err)
			assert.Contains(t, string(text), `"note":"Profile quick`)
		}
	}

	exp.Profile = "誤"
	for _, r := range recs {
		r.Header.Profile = exp.Profile
	}
	f := built(t, surface, caseOf(exp, recs, nil), exp.Figures[0])
	_, err := drawings.Render(f)
	require.NoError(t, err)
	assert.Contains(t, f.Note, "Profile U+8AA4, ", "the name of a profile can have any character")

	exp.Original = claims.Original{Settings: map[string]map[string]any{}}
	for _, m := range exp.Methods {
		exp.Original.Settings[m.ID] = recs[0].Header.Settings
	}
	f = built(t, surface, caseOf(exp, recs, nil), exp.Figures[0])
	assert.Empty(t, f.Note)
}
