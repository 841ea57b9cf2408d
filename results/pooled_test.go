package results

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFitStatistic(t *testing.T) {
	// Means and quantiles over seeds of c·t^-1 and c·t^-2, c = 1 and 1000, are not power laws; those of
	// curves of one slope are, whatever their constants.
	recs := []*Record{power("a", 1, 1, -1), power("a", 2, 10, -1), power("a", 3, 2, -1), power("a", 4, 5, -1)}
	for _, statistic := range Statistics {
		r, err := FitStatistic(recs, "error", "step", [2]float64{}, statistic)
		require.NoError(t, err)
		assert.InDelta(t, -1, r.Mean, 1e-12, statistic)
		assert.InDelta(t, -1, r.Low, 1e-12)
		assert.InDelta(t, -1, r.High, 1e-12)
		assert.Equal(t, 4, r.N)
		assert.Len(t, r.Sensitivity, 4, "as FitRate's")
	}

	// The mean follows the curve that is largest; the median of three the one between.
	recs = []*Record{power("a", 1, 1e6, -0.5), power("a", 2, 1, -1), power("a", 3, 1e-6, -2)}
	mean, err := FitStatistic(recs, "error", "step", [2]float64{}, "mean")
	require.NoError(t, err)
	assert.InDelta(t, -0.5, mean.Mean, 1e-5) // the others are at most 1e-6 of it at step 1
	middle, err := FitStatistic(recs, "error", "step", [2]float64{}, "q50")
	require.NoError(t, err)
	assert.InDelta(t, -1, middle.Mean, 1e-12)
	assert.InDelta(t, -2, middle.Low, 1e-12, "a sample of the third seed alone")
	assert.InDelta(t, -0.5, middle.High, 1e-12)
	again, err := FitStatistic(recs, "error", "step", [2]float64{}, "q50")
	require.NoError(t, err)
	assert.Equal(t, middle, again, "the same samples every time")
}

func TestFitStatisticErrors(t *testing.T) {
	one, err := FitStatistic([]*Record{power("a", 1, 1, -1)}, "error", "step", [2]float64{}, "mean")
	require.NoError(t, err)
	assert.False(t, one.Bounded())
	assert.True(t, math.IsNaN(one.Low))

	late := power("a", 2, 1, -1)
	late.Points[12].Step++
	_, err = FitStatistic([]*Record{power("a", 1, 1, -1), late}, "error", "step", [2]float64{}, "q90")
	assert.EqualError(t, err, "seeds 1 and 2 were evaluated at different values of step, so a 90 % quantile over seeds means nothing")
}

// sized returns a record of a grid over data.inputs whose metric ends at the value.
func sized(seed uint64, inputs int, value float64) *Record {
	return with(record("a,inputs="+Number(float64(inputs)), seed, 9, value), func(r *Record) {
		r.Header.Settings = map[string]any{
			"data": map[string]any{"inputs": float64(inputs)}, "method": map[string]any{"features": float64(2 * inputs)},
		}
	})
}

func TestFitAcross(t *testing.T) {
	var recs []*Record
	for seed := range uint64(2) {
		for _, d := range []int{8, 2, 4, 16} {
			recs = append(recs, sized(seed+1, d, float64(d*d)*float64(seed+1)))
		}
	}
	for _, key := range []string{"data.inputs", "features"} {
		r, err := FitAcross(recs, "error", key, At{})
		require.NoError(t, err)
		assert.InDelta(t, 2, r.Mean, 1e-12)
		assert.InDelta(t, 2, r.High, 1e-12)
		assert.Equal(t, 4, r.Points)
		assert.Equal(t, 2, r.N)
	}
	r, err := FitAcross(recs, "error", "data.inputs", At{X: "step", Value: 1})
	require.NoError(t, err)
	assert.InDelta(t, 0, r.Mean, 1e-12, "every curve starts at 9")
	assert.Equal(t, [2]float64{2, 16}, r.Window)

	c := AcrossCurve(recs, "error", "data.inputs")
	assert.Equal(t, []float64{2, 4, 8, 16}, c.X)
	assert.Equal(t, []float64{6, 24, 96, 384}, c.Median)
	assert.Equal(t, []float64{4, 16, 64, 256}, c.Low)
	assert.Equal(t, 2, c.Seeds)
	assert.Empty(t, c.Warnings)
}

func TestFitAcrossErrors(t *testing.T) {
	tests := []struct {
		name string
		recs []*Record
		key  string
		want string
	}{
		{"no records", nil, "data.inputs", "no records"},
		{"unknown setting", []*Record{sized(1, 2, 1)}, "batch", "a,inputs=2-1 has no number as its setting batch"},
		{"few values", []*Record{sized(1, 2, 1), sized(1, 4, 1)}, "data.inputs", "seed 1: 2 values of data.inputs, a line needs 4; give the grid more"},
		{"zero", []*Record{sized(1, 2, 0)}, "data.inputs", "seed 1: error is 0 at data.inputs 2, which has no logarithm"},
		{"null", []*Record{sized(1, 2, math.NaN())}, "data.inputs", "error of a,inputs=2 seed 1 is not finite at the end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := FitAcross(test.recs, "error", test.key, At{})
			assert.EqualError(t, err, test.want)
			if len(test.recs) > 0 && test.key == "batch" {
				assert.NotEmpty(t, AcrossCurve(test.recs, "error", test.key).Warnings)
			}
		})
	}
}

func TestJudgeAcrossAndStatistic(t *testing.T) {
	var recs []*Record
	var members []string
	for _, d := range []int{2, 4, 8, 16} {
		members = append(members, "a,inputs="+Number(float64(d)))
		for seed := range uint64(2) {
			recs = append(recs, sized(seed+1, d, float64(d)))
		}
	}
	across := Claim{ID: "d", Kind: KindRate, Method: "a", Metric: "error", Published: "1", Tolerance: 0.1, Across: "data.inputs", Members: members}
	mean := Claim{ID: "t", Kind: KindRate, Method: "b", Metric: "error", X: "step", Published: "-1", Tolerance: 0.1, Statistic: "mean"}
	recs = append(recs, power("b", 1, 1, -1), power("b", 2, 2, -1))
	v := Judge(experiment(across, mean), recs)
	assert.Equal(t, Reproduced, v[0].Verdict, v[0].Reason)
	assert.Contains(t, v[0].Reason, "slope of log error of a against log data.inputs from 2 to 16 is 1,")
	assert.Equal(t, Reproduced, v[1].Verdict, v[1].Reason)
	assert.Contains(t, v[1].Reason, "slope of log mean over seeds of error of b against log step")

	v = Judge(experiment(across), recs[2:])
	assert.Equal(t, NotRun, v[0].Verdict)
	assert.Contains(t, v[0].Reason, "no record of a,inputs=2")

	across.Members = nil
	v = Judge(experiment(across), recs)
	assert.Equal(t, NotRun, v[0].Verdict, "no method of the grid is laid out")
}

func TestStatisticCurve(t *testing.T) {
	recs := flat("a", 1, 2, 3, 10)
	c := StatisticCurve(recs, "error", "step", "mean")
	assert.Equal(t, []float64{9, 4}, c.Median)
	assert.Empty(t, c.Low)
	c = StatisticCurve(recs, "error", "step", "q50")
	assert.Equal(t, []float64{9, 2.5}, c.Median)
	assert.Equal(t, "median", StatisticName("q50"))
	assert.Equal(t, "90 % quantile", StatisticName("q90"))
}
