package plots

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
)

func TestCaptionOfCurves(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	judged := verdicts(exp, recs)
	exp.Expected = []claims.Planned{{Cell: "dsg-seed0"}, {Cell: "dsg-seed9"}}
	f := built(t, "", caseOf(exp, recs, judged), exp.Figures[0])
	assert.Equal(t, "Distance to the function that generated the data (Fig. 4(2))", f.Title)
	for _, want := range []string{
		"The slope of doubly stochastic gradients.",
		"Horizontal: iterations t (logarithmic); vertical: squared L_{2} distance to f (logarithmic).",
		"Lines are medians over seeds; bands: quartiles of 5 seeds (doubly stochastic gradients, NORMA, γ_{0} = 20); none for a single seed (exact solution).",
		"Grey lines are guides of slope −1; they are not fitted.",
		"A cross marks where a run diverged: 1 of 5 seeds of NORMA, γ_{0} = 20. A seed that diverged counts as infinite from there on.",
		"Claim rate (Thm 4): slope −0.9",
		"published −1: smaller run · reproduced.",
		"These runs have another size than the paper's: data.train 4096, not 65536.",
		"Data is incomplete: 1 of 2 planned runs without a record.",
	} {
		assert.Contains(t, f.Caption.String(), want)
	}
	require.Len(t, f.Curves.Lines, 3)
	assert.Equal(t, "NORMA, γ_{0} = 20 (1 of 5 seeds diverged)", f.Curves.Lines[1].Label)
	assert.Equal(t, []float64{316}, f.Curves.Lines[1].Breaks)
	assert.Nil(t, f.Curves.Lines[2].Low, "one seed has no band")
	assert.Equal(t, []figures.Guide{{Slope: -1, Name: "slope −1", Label: "slope −1"}}, f.Curves.Guides)
	assert.Contains(t, strings.Join(f.Warnings, "; "), "1 of 5 seeds diverged")
}

func TestCaptionOfOneSeedAtThePapersSize(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	exp.Profile = "paper"
	exp.Methods = exp.Methods[2:]
	last := recs[len(recs)-1]
	last.Header.Profile = "paper"
	last.End = nil
	f := built(t, "", caseOf(exp, recs, nil), claims.Figure{ID: "one", X: "step", Y: "l2-error"})
	assert.Contains(t, f.Caption.String(), "Every line is a single run, so there are no bands.")
	assert.Contains(t, f.Caption.String(), "Data is incomplete: 1 partial.")
	assert.NotContains(t, f.Caption.String(), "Reduced")
	assert.Equal(t, exp.Title, f.Title)
}

func TestErrorsAreShownInPerCent(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	exp.Figures[1].YRange = [2]float64{0.1, 0.4}
	f := built(t, "", caseOf(exp, recs, verdicts(exp, recs)), exp.Figures[1])
	assert.Equal(t, figures.Axis{Label: "test error (%)", Decimal: true, Min: 10, Max: 40}, f.Curves.Y)
	exact := f.Curves.Lines[2]
	assert.True(t, exact.Level, "a single point is a level line")
	assert.InDeltaSlice(t, []float64{14.9, 14.9, 14.9}, exact.Y, 1e-12, "0.149 in per cent, but for rounding")
	assert.Equal(t, 20.0, exact.At, "seconds count the setup")
	require.Len(t, f.Curves.Marks, 1)
	mark := f.Curves.Marks[0]
	assert.True(t, math.IsNaN(mark.X), "a value at the end is a line across")
	assert.Equal(t, [3]float64{15.25, 15.3, 15.35}, [3]float64{mark.Low, mark.Y, mark.High})
	assert.Equal(t, "published 15.3 %", mark.Label)
	assert.Equal(t, 0, mark.Style, "the look of its curve")
}

func TestMarksOnTheCurve(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	exp.Claims = []claims.Claim{
		{ID: "a", Kind: "value", Method: "dsg", Metric: "test-error", Published: "0.17", At: records.At{X: "step", Value: 100}},
		{ID: "b", Kind: "value", Method: "norma", Metric: "test-error", Published: "17", Unit: "percent", At: records.At{X: "seconds", Value: 5}},
	}
	exp.Claims = exp.Converted(exp.Claims)
	fig := exp.Figures[1]
	fig.Claims = []string{"b", "a"}
	f := built(t, "", caseOf(exp, recs, nil), fig)
	require.Len(t, f.Curves.Marks, 2)
	a, b := f.Curves.Marks[0], f.Curves.Marks[1]
	assert.Equal(t, "doubly stochastic gradients: published 17 %", a.Label)
	assert.Equal(t, 17.0, a.Y, "0.17 in per cent")
	assert.InDelta(t, 1, a.X, 1e-12, "step 100 was reached after a second")
	assert.Equal(t, "NORMA, γ_{0} = 20: published 17 %", b.Label)
	assert.Equal(t, 5.0, b.X)
	assert.Contains(t, f.Caption.String(), "mark published values")

	exp.Claims[0].Published, exp.Claims[0].Derived = "", "17"
	f = built(t, "", caseOf(exp, recs, claims.Judge(exp, recs).Verdicts), fig)
	assert.Equal(t, "doubly stochastic gradients: derived 17 %", f.Curves.Marks[0].Label)
	assert.Contains(t, f.Caption.String(), "mark derived and published values")
}

func TestSeriesOfOtherMetrics(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	fig := claims.Figure{ID: "x", X: "step", Y: "l2-error", Scale: "semilogy", Guides: []claims.Guide{{Slope: -1}}, Series: []claims.Series{
		{Method: "norma"}, {Method: "norma", Metric: "test-error"}, {Method: "dsg", Label: "named"},
		{Method: "dsg", Metric: "l2-error@average"},
	}}
	f := built(t, "", caseOf(exp, recs, nil), fig)
	var names []string
	var styles []int
	for _, l := range f.Curves.Lines {
		names, styles = append(names, l.Label), append(styles, l.Style)
	}
	assert.Equal(t, []string{"NORMA, γ_{0} = 20 (1 of 5 seeds diverged)", "NORMA, γ_{0} = 20: test error (1 of 5 seeds diverged)", "named"}, names)
	assert.Equal(t, []int{1, 1 + figures.ColourCount, 0}, styles, "a method looks the same in all figures; its second curve has its colour")
	assert.Contains(t, f.Warnings, "doubly stochastic gradients has no curve of squared L_{2} distance to f of the averaged iterate: it was not run, or did not measure this")
	const wrong = "guides of a slope are drawn on two logarithmic axes, those of a factor where the vertical one alone is logarithmic"
	assert.Contains(t, f.Warnings, wrong)
	assert.Empty(t, f.Curves.Guides)

	fig.Guides = []claims.Guide{{Factor: 0.9}, {Factor: 0.5, Label: "half"}}
	f = built(t, "", caseOf(exp, recs, nil), fig)
	assert.NotContains(t, f.Warnings, wrong)
	assert.Equal(t, []figures.Guide{{Slope: math.Log10(0.9), Name: "factor 0.9", Label: "factor 0.9"}, {Slope: math.Log10(0.5), Name: "factor 0.5", Label: "half"}}, f.Curves.Guides)
	assert.Contains(t, f.Caption.String(), "Grey lines are guides of factor 0.9 and factor 0.5; they are not fitted")
	fig.Scale = ""
	f = built(t, "", caseOf(exp, recs, nil), fig)
	assert.Contains(t, f.Warnings, wrong)
	assert.Empty(t, f.Curves.Guides)
}

// A level series is as high as its last point all along the others, and has their range.
func TestLevelSeries(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	fig := claims.Figure{ID: "x", X: "step", Y: "l2-error", Series: []claims.Series{{Method: "dsg"}, {Method: "norma", Level: true}}}
	whole := fig
	whole.Series = []claims.Series{{Method: "dsg"}, {Method: "norma"}}
	f := built(t, "", caseOf(exp, recs, nil), fig)
	w := built(t, "", caseOf(exp, recs, nil), whole)
	got, curve, other := f.Curves.Lines[1], w.Curves.Lines[1], w.Curves.Lines[0]
	last := len(curve.X) - 1
	lo, hi := min(curve.X[0], other.X[0]), max(curve.X[last], other.X[len(other.X)-1])
	assert.Equal(t, slices.Compact([]float64{lo, curve.X[last], hi}), got.X)
	assert.Equal(t, curve.X[last], got.At)
	for i := range got.X {
		assert.Equal(t, [3]float64{curve.Y[last], curve.Low[last], curve.High[last]}, [3]float64{got.Y[i], got.Low[i], got.High[i]})
	}
	assert.Equal(t, other, f.Curves.Lines[0])
}

func TestValuesWithoutAPlaceAreReported(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	for _, r := range records.Select(recs, "dsg") {
		r.Points[3].Values["l2-error"] = records.Value(0)
	}
	f := built(t, "", caseOf(exp, recs, nil), exp.Figures[0])
	assert.Contains(t, f.Warnings, "doubly stochastic gradients: 1 point is not positive and cannot be shown on the logarithmic axis")
}

func TestBuildErrors(t *testing.T) {
	exp := experiment()
	for _, c := range []struct {
		name   string
		fig    claims.Figure
		noData bool
		want   string
	}{
		{"kind", claims.Figure{ID: "f", Kind: "pie"}, false, `figure f of dai2014/krr-synthetic: unknown kind "pie": want one of curves, functions, heatmap, map`},
		{"scale", claims.Figure{ID: "f", Scale: "cubic"}, false, `unknown scale "cubic": want loglog, semilogx, semilogy or linear`},
		{"no runs", claims.Figure{ID: "f", X: "step", Y: "l2-error"}, true, "run the experiment"},
		{"no surfaces", claims.Figure{ID: "f", Kind: "heatmap"}, true, "evaluate.surface"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := figures.Build(t.TempDir(), caseOf(exp, nil, nil), c.fig)
			require.ErrorContains(t, err, c.want)
			if c.noData {
				require.ErrorIs(t, err, figures.ErrNoData)
			} else {
				require.NotErrorIs(t, err, figures.ErrNoData)
			}
		})
	}
}

func TestHeatMaps(t *testing.T) {
	dir, exp, recs := t.TempDir(), experiment(), demoRecords()
	writeSurfaces(t, dir, exp, 9)
	f := built(t, dir, caseOf(exp, recs, nil), exp.Figures[2])
	require.Len(t, f.Heat.Panels, 2)
	assert.Equal(t, "generating function", f.Heat.Panels[0].Title)
	assert.Equal(t, "doubly stochastic gradients, 10000 iterations", f.Heat.Panels[1].Title)
	assert.Equal(t, []string{"exact solution: no surface was written; run it with evaluate.surface set"}, f.Warnings)
	assert.Equal(t, -f.Heat.Min, f.Heat.Max, "zero is in the middle")
	assert.NotContains(t, f.Caption.String(), "beyond the scale", "20 %% more than the generating function fits")
	assert.Contains(t, f.Caption.String(), "Colour shows f(x) over x_{1} (horizontal) and x_{2} (vertical), on the same scale")
	_, err := drawings.Render(f)
	require.NoError(t, err)
}

// A file of predictions that was damaged or edited is left out with a warning; the rest is drawn.
func TestDamagedSurfacesAreWarnings(t *testing.T) {
	dir, exp, recs := t.TempDir(), experiment(), demoRecords()
	writeSurfaces(t, dir, exp, 9)
	cell := records.Select(recs, "dsg")[0]
	path := figures.SurfacePath(dir, exp.ID, cell.Header.Cell)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	cell.End.Files = map[string]string{cell.Header.Cell + ".surface.csv": hex.EncodeToString(sum[:])}
	f := built(t, dir, caseOf(exp, recs, nil), exp.Figures[2])
	require.Len(t, f.Heat.Panels, 2)

	require.NoError(t, os.WriteFile(path, append(data, "1,x,2\n"...), 0o666))
	f = built(t, dir, caseOf(exp, recs, nil), exp.Figures[2])
	require.Len(t, f.Heat.Panels, 1)
	assert.Contains(t, f.Warnings[0], "doubly stochastic gradients, 10000 iterations: left out: "+path+`: line 83: x2 "x" is not a number; remove the file and run the experiment again`)

	require.NoError(t, os.WriteFile(path, []byte("x1,x2,f\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n"), 0o666))
	f = built(t, dir, caseOf(exp, recs, nil), exp.Figures[2])
	require.Len(t, f.Heat.Panels, 1)
	assert.Contains(t, f.Warnings[0], path+": its checksum is not the one in the record: the file was changed after it was written; remove the file")
}
