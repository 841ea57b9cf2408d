package plots

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/plots/live"
	"repro/results/claims"
)

// otherRun returns the runs of the sample experiment in another folder: those of dsg are twice as far off, the others are equal.
func otherRun(dir string) *Run {
	exp, recs := experiment(), demoRecords()
	for _, r := range recs {
		if r.Header.Method != "dsg" {
			continue
		}
		for _, p := range r.Points {
			*p.Values["l2-error"] *= 2
			*p.Values["test-error"] += 0.0001
		}
	}
	return &Run{Dir: dir, Cases: []claims.Case{claims.Judge(exp, recs)}}
}

func TestCurvesBeside(t *testing.T) {
	exp, recs, other := experiment(), demoRecords(), otherRun("yesterday")
	ours := built(t, "", caseOf(exp, recs, verdicts(exp, recs)), exp.Figures[0])
	theirs := built(t, "", other.Cases[0], exp.Figures[0])
	ours.Beside(theirs, "yesterday")
	require.Len(t, ours.Curves.Lines, 4, "the equal curves are not drawn twice")
	added := ours.Curves.Lines[3]
	assert.Equal(t, "doubly stochastic gradients (yesterday)", added.Label)
	assert.True(t, added.Beside)
	assert.Equal(t, ours.Curves.Lines[0].Style, added.Style)
	assert.InDelta(t, 2*ours.Curves.Lines[0].Y[3], added.Y[3], 1e-12)
	assert.False(t, added.Banded())
	assert.True(t, strings.HasPrefix(ours.Caption.String(), "Fainter and dotted: the runs in yesterday. 2 of 3 curves in yesterday are equal to ours and not drawn twice."), ours.Caption)
	light, own := live.LineLookOf(added), live.LineLookOf(ours.Curves.Lines[0])
	assert.NotEqual(t, own.Colour, light.Colour)
	assert.NotEqual(t, own.Dashes, light.Dashes)
	_, err := drawings.Render(ours)
	require.NoError(t, err)
}

func TestMapsBeside(t *testing.T) {
	ours, theirs := twoMaps(), twoMaps()
	theirs.Heat.Panels[1].Z = [][]float64{{-0.5, 0, 7}, {0.25, math.NaN(), -1}}
	ours.Beside(theirs, "there")
	require.Len(t, ours.Heat.Panels, 3)
	assert.Equal(t, "learnt (there)", ours.Heat.Panels[2].Title)
	assert.Contains(t, ours.Caption.String(), "1 of 2 maps in there is equal to ours and not drawn twice.")
}

func TestReportOfTwoRuns(t *testing.T) {
	dir, there := t.TempDir(), t.TempDir()
	exp, recs, other := experiment(), demoRecords(), otherRun(there)
	writeSurfaces(t, dir, exp, 9)
	writeSurfaces(t, there, exp, 9)
	paths, err := Write(dir, []claims.Case{judgedBeside(exp, recs)}, nil, Output{Beside: other})
	require.NoError(t, err)
	b, err := os.ReadFile(paths[len(paths)-1])
	require.NoError(t, err)
	report := string(b)
	holds(t, report, "doubly stochastic gradients ("+filepath.Base(there)+")")
}

func TestNameOfAFolder(t *testing.T) {
	for dir, want := range map[string]string{
		"out": "out", "./yesterday/": "yesterday", "../main/results/of/monday": "monday", "結果": "the other run",
		strings.Repeat("long", 20): "the other run",
	} {
		assert.Equal(t, want, nameOf(dir), dir)
	}
}
