package plots

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
)

// writeFunctions writes function files of an experiment's cells.
func writeFunctions(t *testing.T, dir, experiment string, text map[string]string) {
	t.Helper()
	for cell, s := range text {
		path := figures.FunctionPath(dir, experiment, cell)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(s), 0o600))
	}
}

func TestFunctions(t *testing.T) {
	dir, exp, recs := t.TempDir(), experiment(), demoRecords()
	cell := records.Select(recs, "dsg")[0].Header.Cell
	writeFunctions(t, dir, exp.ID, map[string]string{
		cell:     "x,f\n0,1\n0.5,2\n1,-1\n",
		"truth":  "x,f\n0,0\n0.5,0\n1,0\n",
		"sample": "x,y\n0.2,9\n0.4,-3\n",
	})
	fig := claims.Figure{ID: "fits", Kind: "functions", Caption: "What to see", YRange: [2]float64{-2, 3},
		Series: []claims.Series{{Method: "truth"}, {Method: "dsg"}, {Method: "norma"}}}
	f := built(t, dir, caseOf(exp, recs, nil), fig)
	require.Len(t, f.Curves.Lines, 2)
	assert.Equal(t, "generating function", f.Curves.Lines[0].Label)
	assert.Equal(t, figures.Line{Label: "doubly stochastic gradients", X: []float64{0, 0.5, 1}, Y: []float64{1, 2, -1}}, f.Curves.Lines[1])
	assert.Equal(t, &figures.Dots{Label: "training rows", X: []float64{0.2, 0.4}, Y: []float64{9, -3}}, f.Curves.Dots)
	assert.Equal(t, figures.Axis{Label: "f(x)", Min: -2, Max: 3}, f.Curves.Y)
	assert.Equal(t, []string{"NORMA, γ_{0} = 20: no function was written; run it with evaluate.surface set"}, f.Warnings)
	assert.Contains(t, f.Caption.String(), "What to see. Dots are 2 of the training rows. Each method is shown as its first seed learnt it.")

	require.NoError(t, os.Remove(figures.FunctionPath(dir, exp.ID, "sample")))
	fig.Series = nil // the generating function and every method
	f = built(t, dir, caseOf(exp, recs, nil), fig)
	assert.Nil(t, f.Curves.Dots)
	require.Len(t, f.Curves.Lines, 2)
	assert.Equal(t, "generating function", f.Curves.Lines[0].Label)

	_, err := figures.Build(t.TempDir(), caseOf(exp, recs, nil), fig)
	assert.ErrorIs(t, err, figures.ErrNoData)
}

func TestReadFunctionErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":    {"", `line 1: header "", want ["x,f" "x,y"]`},
		"header":   {"a,b\n1,2\n", `line 1: header "a,b", want ["x,f" "x,y"]`},
		"number":   {"x,f\n1,2\n3,zwei\n", `line 3: f "zwei" is not a number`},
		"too many": {"x,f\n1,2,3\n", `line 2: 3 numbers, want 2`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.function.csv")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, _, err := figures.ReadFunction(path)
			require.Error(t, err)
			assert.Contains(t, err.Error(), path+": ")
			assert.Contains(t, err.Error(), c.want)
		})
	}
	_, _, err := figures.ReadFunction(filepath.Join(t.TempDir(), "none.csv"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// A heat map's colours span the range that the figure gives.
func TestHeatRange(t *testing.T) {
	dir, exp := t.TempDir(), experiment()
	writeSurfaces(t, dir, exp, 5)
	fig := claims.Figure{ID: "f", Kind: "heatmap", YRange: [2]float64{-0.25, 0.5}, Series: []claims.Series{{Method: "truth"}}}
	f := built(t, dir, caseOf(exp, demoRecords(), nil), fig)
	assert.Equal(t, [2]float64{-0.25, 0.5}, [2]float64{f.Heat.Min, f.Heat.Max})
}
