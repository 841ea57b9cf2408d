package plots

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/results/claims"
	"repro/results/records"
)

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
	assert.Contains(t, warnings, "claim elsewhere: the published value is not marked")
	assert.Contains(t, warnings, "claim other: the published value is not marked")
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
	assert.Contains(t, f.Caption.String(), "grey cells diverged")

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
