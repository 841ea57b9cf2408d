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
	// Means and quantiles over seeds of curves of one slope have that slope, whatever their constants.
	var recs []*records.Record
	for seed := range uint64(40) {
		recs = append(recs, recordstest.Power("a", seed, float64(seed+1), -1))
	}
	for _, statistic := range Statistics {
		r, err := FitStatistic(recs, "error", "step", [2]float64{}, statistic)
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float64{-1, -1, -1}, []float64{r.Mean, r.Low, r.High}, 1e-9, statistic)
		assert.Equal(t, 40, r.N)
		assert.Len(t, r.Sensitivity, 4, "as FitRate's")
	}

	// The mean follows the curve that is largest; without its seed, the next one.
	recs = []*records.Record{recordstest.Power("a", 1, 1e6, -0.5), recordstest.Power("a", 2, 1, -1), recordstest.Power("a", 3, 1e-6, -2)}
	mean, err := FitStatistic(recs, "error", "step", [2]float64{}, "mean")
	require.NoError(t, err)
	assert.InDelta(t, -0.5, mean.Mean, 1e-5) // the others are at most 1e-6 of it at step 1
	// Pseudo-values: 3·(−0.5) − 2·(−1), and twice 3·(−0.5) − 2·(−0.5).
	assert.InDeltaSlice(t, []float64{0.5, -0.5, -0.5}, mean.Values, 1e-4)
	// t = 4.302653 with 2 degrees of freedom; the standard deviation is 1/√3.
	assert.InDelta(t, -0.5+4.302653/3, mean.High, 1e-4)
	assert.InDelta(t, -0.5-4.302653/3, mean.Low, 1e-4)
}

func TestQuantilesNeedSeedsBeyondThem(t *testing.T) {
	assert.Equal(t, []int{3, 4, 8, 20, 40}, []int{LeastSeeds("mean"), LeastSeeds("q50"), LeastSeeds("q75"), LeastSeeds("q90"), LeastSeeds("q95")})
	recs := []*records.Record{recordstest.Power("a", 1, 1, -1), recordstest.Power("a", 2, 2, -1), recordstest.Power("a", 3, 3, -1)}
	r, err := FitStatistic(recs, "error", "step", [2]float64{}, "q90")
	require.NoError(t, err)
	assert.InDelta(t, -1, r.Mean, 1e-12)
	assert.False(t, r.Bounded())
	assert.True(t, math.IsNaN(r.Low))
}

// The weights of Harrell and Davis for the median of three: P(B ≤ 1/3) of a beta(2, 2) variable B, 3/9 − 2/27 = 7/27.
func TestHarrellDavis(t *testing.T) {
	assert.InDeltaSlice(t, []float64{7.0 / 27, 13.0 / 27, 7.0 / 27}, harrellDavis(3, 0.5), 1e-12)
}

func TestFitStatisticErrors(t *testing.T) {
	one, err := FitStatistic([]*records.Record{recordstest.Power("a", 1, 1, -1)}, "error", "step", [2]float64{}, "mean")
	require.NoError(t, err)
	assert.False(t, one.Bounded())
	assert.True(t, math.IsNaN(one.Low))

	late := recordstest.Power("a", 2, 1, -1)
	late.Points[12].Step++
	_, err = FitStatistic([]*records.Record{recordstest.Power("a", 1, 1, -1), late}, "error", "step", [2]float64{}, "q90")
	assert.EqualError(t, err, "seeds 1 and 2 were evaluated at different values of step, so their 90 % quantile is not defined; use a budget in steps or epochs")
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
