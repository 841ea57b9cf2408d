package plots

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
)

// Rows of two classes are drawn at the edges, and their numbers do not widen the axis of the function.
func TestRowsOfClasses(t *testing.T) {
	dir, exp, recs := t.TempDir(), experiment(), demoRecords()
	cell := records.Select(recs, "dsg")[0].Header.Cell
	writeFunctions(t, dir, exp.ID, map[string]string{cell: "x,f\n0,10\n1,20\n", "sample": "x,y\n0.2,1\n0.4,-1\n"})
	fig := claims.Figure{ID: "ratio", Kind: "functions", YLabel: "log(p/q)", Series: []claims.Series{{Method: "dsg"}}, Classes: []string{"points of q", "points of p"}}
	f := built(t, dir, caseOf(exp, recs, nil), fig)
	assert.Contains(t, f.Caption.String(), "points of q at the lower edge, points of p at the upper edge")
	assert.Equal(t, "log(p/q)", f.Curves.Y.Label)
	assert.Equal(t, &figures.Dots{Label: "training rows", X: []float64{0.2, 0.4}, Y: []float64{1, -1}, Classes: fig.Classes}, f.Curves.Dots)
}

func TestCurvesOutsideTheRangeAreNamed(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	f := built(t, "", caseOf(exp, recs, nil), claims.Figure{ID: "x", X: "step", Y: "l2-error", YRange: [2]float64{10, 100}, Series: []claims.Series{{Method: "dsg"}}})
	assert.Contains(t, f.Warnings, "doubly stochastic gradients: outside the range of y that is shown")
}
