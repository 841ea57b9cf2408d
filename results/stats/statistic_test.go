package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestFitStatistic(t *testing.T) {
	// Means and quantiles over seeds of c·t^-1 and c·t^-2, c = 1 and 1000, are not power laws; those of
	// curves of one slope are, whatever their constants.
	recs := []*records.Record{recordstest.Power("a", 1, 1, -1), recordstest.Power("a", 2, 10, -1), recordstest.Power("a", 3, 2, -1), recordstest.Power("a", 4, 5, -1)}
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
	recs = []*records.Record{recordstest.Power("a", 1, 1e6, -0.5), recordstest.Power("a", 2, 1, -1), recordstest.Power("a", 3, 1e-6, -2)}
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
	one, err := FitStatistic([]*records.Record{recordstest.Power("a", 1, 1, -1)}, "error", "step", [2]float64{}, "mean")
	require.NoError(t, err)
	assert.False(t, one.Bounded())
	assert.True(t, math.IsNaN(one.Low))

	late := recordstest.Power("a", 2, 1, -1)
	late.Points[12].Step++
	_, err = FitStatistic([]*records.Record{recordstest.Power("a", 1, 1, -1), late}, "error", "step", [2]float64{}, "q90")
	assert.EqualError(t, err, "seeds 1 and 2 were evaluated at different values of step, so a 90 % quantile over seeds means nothing")
}

func TestCurveOfAStatistic(t *testing.T) {
	recs := recordstest.Flat("a", 1, 2, 3, 10)
	c := CurveOf(recs, "error", "step", "mean")
	assert.Equal(t, []float64{9, 4}, c.Median)
	assert.Empty(t, c.Low)
	c = CurveOf(recs, "error", "step", "q50")
	assert.Equal(t, []float64{9, 2.5}, c.Median)
	assert.Equal(t, "median", StatisticName("q50"))
	assert.Equal(t, "90 % quantile", StatisticName("q90"))
}
