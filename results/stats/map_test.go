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

	diverged := cellOf(1, 2, 8, 1e-9)
	diverged.End.Status = records.Diverged
	m, err = MapOf([]*records.Record{diverged, cellOf(1, 2, 16, 1)}, "error", "data.inputs", "features", false)
	require.NoError(t, err)
	assert.Equal(t, math.Inf(1), m.Z[0][0], "its last value may be finite, and good")
	assert.Equal(t, []float64{16}, m.Best)

	_, err = FitBest([]*records.Record{cellOf(1, 2, 8, math.NaN())}, "error", "features", "data.inputs", records.At{}, false)
	assert.ErrorContains(t, err, "seed 1: at data.inputs 2 no value of features gives a finite error")
	infinite := cellOf(1, 2, 8, math.NaN())
	infinite.End.Status = records.Budget
	m, err = MapOf([]*records.Record{infinite, cellOf(1, 2, 16, 1)}, "error", "data.inputs", "features", true)
	require.NoError(t, err)
	assert.Equal(t, []float64{16}, m.Best, "what is not finite is no largest value")
	larger, err := MapOf(recs[:4], "error", "data.inputs", "features", true)
	require.NoError(t, err)
	assert.Equal(t, []float64{1}, larger.Best)
}

// The errors exceed 1 beyond y = x², and diverge beyond 50x².
func TestFrontierOfAGrid(t *testing.T) {
	grid := []int{1, 3, 8, 30, 64, 200, 500, 2000}
	var recs []*records.Record
	for seed := range uint64(2) {
		for _, x := range []int{16, 2, 4, 8} {
			for _, y := range grid {
				v := float64(y) / float64(x*x) * (1 - 1e-9)
				if y > 50*x*x {
					v = math.NaN()
				}
				recs = append(recs, cellOf(seed+1, x, y, v))
			}
		}
	}
	rate, err := FitFrontier(recs, "error", "features", "data.inputs", records.At{}, 1, false)
	require.NoError(t, err)
	// 2² is between 3 and 8, 4² between 8 and 30, 8² = 64 reaches 1, and 16² is between 200 and 500.
	want := LogSlope([]float64{2, 4, 8, 16}, []float64{math.Sqrt(3 * 8), math.Sqrt(8 * 30), math.Sqrt(64 * 200), math.Sqrt(200 * 500)})
	assert.InDelta(t, want, rate.Mean, 1e-9)

	_, err = FitFrontier(recs, "error", "features", "data.inputs", records.At{}, 1e-9, false)
	assert.ErrorContains(t, err, "seed 1: at data.inputs 2 error misses 1e-9 with the smallest features already; give the grid smaller values")
	_, err = FitFrontier(recs[:4], "error", "features", "data.inputs", records.At{}, 1, false)
	assert.ErrorContains(t, err, "error reaches 1 with every features; give the grid larger values")
}
