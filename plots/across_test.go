package plots

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/figures"
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
	f, err := figures.Build(t.TempDir(), exp, fig, recs, nil)
	require.NoError(t, err)
	require.Len(t, f.Curves.Lines, 1)
	assert.Equal(t, []float64{2, 4}, f.Curves.Lines[0].X)
	assert.Equal(t, []float64{20, 40}, f.Curves.Lines[0].Y)
	assert.Equal(t, "doubly SGD", f.Curves.Lines[0].Label)
	assert.Equal(t, "input dimension d", f.Curves.X.Label)
}

func TestStatisticsAreDrawnWithoutABand(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	series := []claims.Series{{Method: "dsg", Statistic: "mean"}, {Method: "dsg", Statistic: "q90", Label: "bad luck"}}
	f, err := figures.Build(t.TempDir(), exp, claims.Figure{ID: "s", X: "step", Y: "l2-error", Series: series}, recs, nil)
	require.NoError(t, err)
	assert.Equal(t, "doubly stochastic gradients, mean", f.Curves.Lines[0].Label)
	assert.Equal(t, "bad luck", f.Curves.Lines[1].Label)
	assert.Nil(t, f.Curves.Lines[0].Low)
	assert.Contains(t, f.Caption.String(), "Lines are the mean and the 90 % quantile over 5 seeds.")

	series = append(series, claims.Series{Method: "dsg"})
	f, err = figures.Build(t.TempDir(), exp, claims.Figure{ID: "s", X: "step", Y: "l2-error", Series: series}, recs, nil)
	require.NoError(t, err)
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
	f, err := figures.Build(t.TempDir(), exp, fig, recs, nil)
	require.NoError(t, err)
	require.Len(t, f.Heat.Panels, 1)
	p := f.Heat.Panels[0]
	assert.Equal(t, []float64{1, 10}, p.X)
	assert.Equal(t, []float64{0.1, 1}, p.Y)
	assert.Equal(t, []float64{0.1, 1}, p.Best)
	assert.InDeltaSlice(t, []float64{10, 1}, p.Z[0], 1e-12)
	assert.True(t, math.IsInf(p.Z[1][0], 1), "the run diverged")
	assert.InDelta(t, 0.1, p.Z[1][1], 1e-12)
	assert.Contains(t, f.Caption.String(), "hatched cells diverged")
}
