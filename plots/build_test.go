package plots

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/plots/live"
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
		"published −1: too small to judge · reproduced.",
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
	assert.Contains(t, f.Caption.String(), "mark numbers published")

	exp.Claims[0].Published, exp.Claims[0].Derived = "", "17"
	f = built(t, "", caseOf(exp, recs, claims.Judge(exp, recs).Verdicts), fig)
	assert.Equal(t, "doubly stochastic gradients: computed by us 17 %", f.Curves.Marks[0].Label)
	assert.Contains(t, f.Caption.String(), "mark numbers computed by us and published")
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
	exp.Figures[2].YRange = [2]float64{-0.25, 0.5}
	g := built(t, dir, caseOf(exp, recs, nil), exp.Figures[2])
	assert.Equal(t, [2]float64{-0.25, 0.5}, [2]float64{g.Heat.Min, g.Heat.Max})
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

func TestFigureAcrossAGrid(t *testing.T) {
	exp, template := experiment(), demoRecords()[0]
	var recs []*records.Record
	var members []string
	for _, d := range []int{4, 2} {
		id := fmt.Sprintf("dsg,inputs=%d", d)
		members = append(members, id)
		r := *template
		r.Header.Method, r.Header.Cell = id, id
		r.Header.Settings = map[string]any{"data": map[string]any{"inputs": d}}
		r.Points = []records.Point{{Step: 1, Counters: records.Counters{Flops: int64(10 * d)}}}
		recs = append(recs, &r)
	}
	fig := claims.Figure{ID: "d", Across: "data.inputs", Y: "flops", Series: []claims.Series{{Method: "dsg", Label: "doubly SGD", Members: members}}}
	f := built(t, "", caseOf(exp, recs, nil), fig)
	require.Len(t, f.Curves.Lines, 1)
	assert.Equal(t, []float64{2, 4}, f.Curves.Lines[0].X)
	assert.Equal(t, []float64{20, 40}, f.Curves.Lines[0].Y)
	assert.Equal(t, "doubly SGD", f.Curves.Lines[0].Label)
	assert.Equal(t, "input dimension d", f.Curves.X.Label)
}

// Across a grid a method without it is a level, and the published values of combinations and of a curve are marked, or said not to be.
func TestPublishedValuesAcrossAGrid(t *testing.T) {
	exp, template := experiment(), demoRecords()[0]
	var recs []*records.Record
	var members []string
	add := func(id string, settings map[string]any, v float64) {
		r := *template
		r.Header.Method, r.Header.Cell, r.Header.Settings = id, id, settings
		r.Points = []records.Point{{Step: 1, Values: map[string]*float64{"l2-error": &v}}}
		recs = append(recs, &r)
	}
	for _, d := range []int{2, 4, 8} {
		members = append(members, fmt.Sprintf("dsg,inputs=%d", d))
		add(members[len(members)-1], map[string]any{"data": map[string]any{"inputs": d}}, 1/float64(d))
	}
	add("exact", nil, 0.1)
	value := func(id, method string) claims.Claim {
		return claims.Claim{ID: id, Kind: "value", Method: method, Metric: "l2-error", Published: "0.25", PublishedIs: "run"}
	}
	curve := claims.Claim{ID: "curve", Kind: "curve", Method: "dsg", Metric: "l2-error", Across: "data.inputs", PublishedIs: "run",
		Reference: &claims.PublishedCurve{ID: "p", Points: [][]float64{{2, 0.5}, {4, 0.25}, {8, 0.1}}}}
	elsewhere, other := value("elsewhere", members[1]), curve
	elsewhere.At = records.At{X: "step", Value: 1}
	other.ID, other.Across, other.X = "other", "", "step"
	exp.Claims = []claims.Claim{value("cell", members[1]), value("level", "exact"), curve, elsewhere, other}
	fig := claims.Figure{ID: "d", Across: "data.inputs", Y: "l2-error", Claims: []string{"cell", "level", "curve", "elsewhere", "other"}, Series: []claims.Series{
		{Method: "dsg", Label: "doubly SGD", Members: members}, {Method: "exact", Label: "exact", Level: true}}}
	f := built(t, "", caseOf(exp, recs, nil), fig)
	require.Len(t, f.Curves.Lines, 2)
	assert.Equal(t, []float64{2, 8}, f.Curves.Lines[1].X)
	assert.Equal(t, []float64{0.1, 0.1}, f.Curves.Lines[1].Y)
	at := map[string][]float64{}
	for _, m := range f.Curves.Marks {
		at[m.Claim] = append(at[m.Claim], m.X)
	}
	assert.Equal(t, []float64{4}, at["cell"])
	require.Len(t, at["level"], 1)
	assert.True(t, math.IsNaN(at["level"][0]), "a line across the panel")
	assert.Equal(t, []float64{2, 4, 8}, at["curve"])
	warnings := fmt.Sprint(f.Warnings)
	assert.Contains(t, warnings, "claim elsewhere: the number published is not marked")
	assert.Contains(t, warnings, "claim other: the number published is not marked")
	assert.NotContains(t, warnings, "claim cell")
	_, err := drawings.Render(f)
	require.NoError(t, err)
}

func TestStatisticsAreDrawnWithoutABand(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	series := []claims.Series{{Method: "dsg", Statistic: "mean"}, {Method: "dsg", Statistic: "q90", Label: "bad luck"}}
	f := built(t, "", caseOf(exp, recs, nil), claims.Figure{ID: "s", X: "step", Y: "l2-error", Series: series})
	assert.Equal(t, "doubly stochastic gradients, mean", f.Curves.Lines[0].Label)
	assert.Equal(t, "bad luck", f.Curves.Lines[1].Label)
	assert.Nil(t, f.Curves.Lines[0].Low)
	assert.Contains(t, f.Caption.String(), "Lines are the mean and the 90 % quantile over 5 seeds.")

	series = append(series, claims.Series{Method: "dsg"})
	f = built(t, "", caseOf(exp, recs, nil), claims.Figure{ID: "s", X: "step", Y: "l2-error", Series: series})
	assert.NotNil(t, f.Curves.Lines[2].Low)
	assert.Contains(t, f.Caption.String(), "Lines are medians over 5 seeds; bands: quartiles of 5 seeds. The mean and the 90 % quantile have no band.")
}

// A map has the metric at the end of the runs of a grid, the best setting of each column, and no number where a run diverged.
func TestMapOfAGrid(t *testing.T) {
	exp, template := experiment(), demoRecords()[0]
	var recs []*records.Record
	var members []string
	for _, batch := range []int{1, 10} {
		for _, gamma := range []float64{0.1, 1} {
			id := fmt.Sprintf("dsg,batch=%d,gamma0=%v", batch, gamma)
			members = append(members, id)
			r := *template
			r.Header.Method, r.Header.Cell = id, id
			r.Header.Settings = map[string]any{"method": map[string]any{"batch": batch, "step": map[string]any{"gamma0": gamma}}}
			v := 1 / (gamma * float64(batch))
			r.Points = []records.Point{{Step: 1, Values: map[string]*float64{"l2-error": &v}}}
			if batch == 1 && gamma == 1 {
				r.Points, r.End = []records.Point{{Step: 1, Values: map[string]*float64{"l2-error": nil}}}, &records.End{Status: records.Diverged}
			}
			recs = append(recs, &r)
		}
	}
	fig := claims.Figure{ID: "m", Kind: "map", Across: "batch", By: "step.gamma0", Y: "l2-error", Series: []claims.Series{{Method: "dsg", Members: members}}}
	f := built(t, "", caseOf(exp, recs, nil), fig)
	require.Len(t, f.Heat.Panels, 1)
	p := f.Heat.Panels[0]
	assert.Equal(t, []float64{1, 10}, p.X)
	assert.Equal(t, []float64{0.1, 1}, p.Y)
	assert.Equal(t, []float64{0.1, 1}, p.Best)
	assert.InDeltaSlice(t, []float64{10, 1}, p.Z[0], 1e-12)
	assert.True(t, math.IsInf(p.Z[1][0], 1), "the run diverged")
	assert.InDelta(t, 0.1, p.Z[1][1], 1e-12)
	assert.Contains(t, f.Caption.String(), "grey diverged")

	second := *recs[0]
	second.Header.Seed++
	var others []string
	for _, r := range recs {
		other := *r
		other.Header.Method, other.Header.Cell = "other "+r.Header.Method, "other "+r.Header.Cell
		others, recs = append(others, other.Header.Method), append(recs, &other)
	}
	fig.Series = append(fig.Series, claims.Series{Method: "dsg", Members: others})
	f = built(t, "", caseOf(exp, append(recs, &second), nil), fig)
	assert.Contains(t, f.Caption.String(), "the median over 2 seeds", "the second panel has one")
}

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
