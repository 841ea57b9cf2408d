package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// cellOf is a run of a grid over inputs and features with the given error at its end, which diverged if that is NaN.
func cellOf(seed uint64, inputs, features int, value float64) *records.Record {
	r := recordstest.Sized(seed, inputs, value)
	r.Header.Settings["method"] = map[string]any{"features": float64(features)}
	if math.IsNaN(value) {
		r.End.Status = records.Diverged
	}
	return r
}

func TestMapAndBestOfAGrid(t *testing.T) {
	var recs []*records.Record
	for seed := range uint64(2) {
		for _, x := range []int{16, 2, 4, 8} {
			for _, y := range []int{512, 1, 8, 64} {
				v := math.Exp(math.Pow(math.Log(float64(y)/float64(x*x)), 2)) * float64(seed+1) // least at y = x²
				if y > 50*x*x {
					v = math.NaN()
				}
				recs = append(recs, cellOf(seed+1, x, y, v))
			}
		}
	}
	m, err := MapOf(recs, "error", "data.inputs", "features", false)
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 4, 8, 16}, m.X)
	assert.Equal(t, []float64{1, 8, 64, 512}, m.Y)
	assert.Equal(t, 2, m.Seeds)
	assert.Equal(t, []float64{8, 8, 64, 512}, m.Best)
	assert.Equal(t, math.Inf(1), m.Z[3][0], "diverged")
	assert.InDelta(t, 1.5, m.Z[2][2], 1e-12)

	rate, err := FitBest(recs, "error", "features", "data.inputs", records.At{}, false)
	require.NoError(t, err)
	// The parabola is exact but for 16 inputs, where the best is at an end of the grid.
	want := LogSlope([]float64{2, 4, 8, 16}, []float64{4, 16, 64, 512})
	assert.InDelta(t, want, rate.Mean, 1e-9)

	_, err = FitBest([]*records.Record{cellOf(1, 2, 8, math.NaN())}, "error", "features", "data.inputs", records.At{}, false)
	assert.ErrorContains(t, err, "seed 1: no value of features gives a finite error at data.inputs 2")
	larger, err := MapOf(recs[:4], "error", "data.inputs", "features", true)
	require.NoError(t, err)
	assert.Equal(t, []float64{1}, larger.Best)
}
