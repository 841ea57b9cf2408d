package plots

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
)

// writeTruth writes a surface of the generating function.
func writeTruth(t *testing.T, dir string, exp claims.Experiment, text string) {
	t.Helper()
	path := figures.SurfacePath(dir, exp.ID, figures.Truth)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// A map of classes has a legend of their names and lines between them in place of a colour bar.
func TestMapOfClasses(t *testing.T) {
	dir, exp := t.TempDir(), experiment()
	fig := claims.Figure{ID: "c", Kind: "heatmap", Series: []claims.Series{{Method: figures.Truth}}, Classes: []string{"cats", "dogs"}}
	writeTruth(t, dir, exp, "x1,x2,f\n0,0,1\n0,1,1\n1,0,2\n1,1,1\n")
	f, err := figures.Build(dir, caseOf(exp, nil, nil), fig)
	require.NoError(t, err)
	assert.Contains(t, f.Caption.String(), "Colour shows the class")
	_, err = drawings.Render(f, drawings.Formats...)
	require.NoError(t, err)

	writeTruth(t, dir, exp, "x1,x2,f\n0,0,1\n0,1,1\n1,0,3\n1,1,1\n")
	_, err = figures.Build(dir, caseOf(exp, nil, nil), fig)
	require.ErrorContains(t, err, "classes names 2 classes, but a panel has values other than their numbers 1 to 2")
}

// Rows of two classes are drawn at the edges, and their numbers do not widen the axis of the function.
func TestRowsOfClasses(t *testing.T) {
	dir, exp, recs := t.TempDir(), experiment(), demoRecords()
	cell := records.Select(recs, "dsg")[0].Header.Cell
	writeFunctions(t, dir, exp.ID, map[string]string{cell: "x,f\n0,10\n1,20\n", "sample": "x,y\n0.2,1\n0.4,-1\n"})
	fig := claims.Figure{ID: "ratio", Kind: "functions", YLabel: "log(p/q)", Series: []claims.Series{{Method: "dsg"}}, Classes: []string{"points of q", "points of p"}}
	f, err := figures.Build(dir, caseOf(exp, recs, nil), fig)
	require.NoError(t, err)
	assert.Contains(t, f.Caption.String(), "points of q at the lower edge, points of p at the upper edge")
	assert.Equal(t, "log(p/q)", f.Curves.Y.Label)
	assert.Equal(t, &figures.Dots{Label: "training rows", X: []float64{0.2, 0.4}, Y: []float64{1, -1}, Classes: fig.Classes}, f.Curves.Dots)
}

func TestCurvesOutsideTheRangeAreNamed(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	f, err := figures.Build(t.TempDir(), caseOf(exp, recs, nil), claims.Figure{ID: "x", X: "step", Y: "l2-error", YRange: [2]float64{10, 100}, Series: []claims.Series{{Method: "dsg"}}})
	require.NoError(t, err)
	assert.Contains(t, f.Warnings, "doubly stochastic gradients: outside the range of y that is shown")
}
