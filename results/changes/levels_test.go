package changes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/stats"
)

// levels returns versions whose numbers are given, with an interval of one hundredth of them.
func levels(log bool, margin float64, values ...float64) []Version {
	all := make([]Version, len(values))
	for i, v := range values {
		low, high := v-math.Abs(v)/200, v+math.Abs(v)/200
		all[i] = Version{log: log, margin: margin}
		if !math.IsNaN(v) {
			all[i].Value, all[i].Low, all[i].High = &v, &low, &high
		}
	}
	return all
}

func TestLevels(t *testing.T) {
	var values []float64 // the level changes at the ninth version, and the third has no value
	for i := range 16 {
		values = append(values, float64(i%2)+10*float64(i/8))
	}
	values[2] = math.NaN()
	points := Levels(levels(false, 0, values...), stats.DefaultSegments)
	require.Len(t, points, 1)
	assert.Equal(t, 8, points[0].At)

	points = Levels(levels(true, 0.05, 1, 4, 1, 4, 1, 4, 1e6, 4e6, 1e6, 4e6, 1e6, 4e6), stats.DefaultSegments)
	require.Len(t, points, 1)
	assert.InDelta(t, 2, points[0].Before, 1e-9, "a geometric mean")
	assert.InDelta(t, 2e6, points[0].After, 1e-3)

	assert.Len(t, Levels(levels(false, 0, 1, 1, 1, 1, 1+1e-9, 1+1e-9, 1+1e-9), stats.DefaultSegments), 1, "without a margin every change counts")
	assert.Empty(t, Levels(levels(false, 0.05, 1, 1, 1, 1, 1+1e-9, 1+1e-9, 1+1e-9), stats.DefaultSegments), "rounding")
	assert.Len(t, Levels(levels(false, 0.05, 1, 1, 1, 1, 1.0006, 1.0006, 1.0006), stats.DefaultSegments), 1, "a hundredth of the margin")
	drift := make([]float64, 40)
	for i := range drift {
		drift[i] = 1 + 0.0001*float64(i)
	}
	assert.NotEmpty(t, Levels(levels(false, 0.05, drift...), stats.DefaultSegments), "small steps add up")
	assert.Empty(t, Levels(levels(false, 0, math.Inf(1), math.Inf(1), 1e306, 1e306, math.NaN()), stats.DefaultSegments))
}

func TestBand(t *testing.T) {
	s := Series{Seeds: []uint64{1, 2}, Steps: []int{1, 2, 4}, Values: Packed{1, 2, math.NaN(), 8, 4, 8, 5, 8}}
	require.NoError(t, s.Valid())
	b := s.Band()
	assert.Equal(t, []float64{1, 2}, b.X, "a seed has no value at 4")
	assert.InDeltaSlice(t, []float64{2, 4}, b.Y, 1e-12, "geometric means")
	const quantile = 12.7062047362 // of Student's t with one degree of freedom
	assert.InDelta(t, 2*math.Exp(quantile*math.Log(2)), b.High[0], 1e-3)
	assert.InDelta(t, 2*math.Exp(-quantile*math.Log(2)), b.Low[0], 1e-9)
	one := Series{Seeds: []uint64{1}, Steps: []int{1}, Values: Packed{-3, 0}}.Band()
	assert.Equal(t, Band{X: []float64{1}, Y: []float64{-3}, Low: []float64{-3}, High: []float64{-3}}, one)
}
