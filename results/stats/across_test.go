package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestFitAcross(t *testing.T) {
	var recs []*records.Record
	for seed := range uint64(2) {
		for _, d := range []int{8, 2, 4, 16} {
			recs = append(recs, recordstest.Sized(seed+1, d, float64(d*d)*float64(seed+1)))
		}
	}
	for _, key := range []string{"data.inputs", "features"} {
		r, err := FitAcross(recs, "error", key, records.At{}, "")
		require.NoError(t, err)
		assert.InDelta(t, 2, r.Mean, 1e-12)
		assert.InDelta(t, 2, r.High, 1e-12)
		assert.Equal(t, 4, r.Points)
		assert.Equal(t, 2, r.N)
	}
	r, err := FitAcross(recs, "error", "data.inputs", records.At{X: "step", Value: 1}, "")
	require.NoError(t, err)
	assert.InDelta(t, 0, r.Mean, 1e-12, "every curve starts at 9")
	assert.Equal(t, [2]float64{2, 16}, r.Window)

	// The mean over seeds of 1/x and 3x is fitted by one line, whose slope without a seed is 1 or -1: the interval is at least
	// slope ± t·s/√3, where s is the deviation of the pseudo-values 3·slope - 2·slope₋ᵢ.
	var mixed []*records.Record
	for seed, power := range []float64{-1, 1, 1} {
		for _, d := range []int{8, 2, 4, 16} {
			mixed = append(mixed, recordstest.Sized(uint64(seed+1), d, math.Pow(float64(d), power)))
		}
	}
	r, err = FitAcross(mixed, "error", "data.inputs", records.At{}, "mean")
	require.NoError(t, err)
	xs := []float64{2, 4, 8, 16}
	mean := func(a, b float64) (ys []float64) {
		for _, x := range xs {
			ys = append(ys, a/x+b*x)
		}
		return ys
	}
	whole := LogSlope(xs, mean(1, 2))
	assert.InDelta(t, whole, r.Mean, 1e-12)
	first, other := 3*whole-2*1, 3*whole-2*LogSlope(xs, mean(1, 1))
	s := math.Sqrt(2 * math.Pow(first-other, 2) / 3 / 2)
	assert.InDelta(t, s, r.SD, 1e-9)
	assert.Greater(t, r.High, whole+4.30265272991*s/math.Sqrt(3), "seeds of such exponents and Student's t of 2 degrees of freedom")
	_, err = FitAcross(mixed[:11], "error", "data.inputs", records.At{}, "mean")
	assert.ErrorContains(t, err, "seed 3 has 3 values of data.inputs")
	c := AcrossCurve(recs, "error", "data.inputs")
	assert.Equal(t, []float64{2, 4, 8, 16}, c.X)
	assert.Equal(t, []float64{6, 24, 96, 384}, c.Median)
	assert.Equal(t, []float64{4, 16, 64, 256}, c.Low)
	assert.Equal(t, 2, c.Seeds)
	assert.Empty(t, c.Warnings)
}

// Lack of fit across a grid: x up to 8 and x³ beyond, so that the line through all of it has neither exponent. A value in the middle is in
// both halves, and halves of two values have no line.
func TestHalvesAcrossAGrid(t *testing.T) {
	bend := func(x float64) float64 { return max(x, x*x*x/64) }
	of := func(inputs ...int) (recs []*records.Record) {
		for seed := range uint64(3) {
			for _, d := range inputs {
				recs = append(recs, recordstest.Sized(seed+1, d, bend(float64(d))*(1+float64(seed)/10)))
			}
		}
		return recs
	}
	for _, statistic := range []string{"", "mean"} {
		r, err := FitAcross(of(2, 4, 8, 16, 32), "error", "data.inputs", records.At{}, statistic)
		require.NoError(t, err)
		require.Len(t, r.Halves, 2)
		assert.InDeltaSlice(t, []float64{1, 3}, []float64{r.Halves[0].Slope, r.Halves[1].Slope}, 1e-9)
		assert.Equal(t, [][2]float64{{2, 8}, {8, 32}}, [][2]float64{r.Halves[0].Window, r.Halves[1].Window})
		assert.InDelta(t, 2, r.Mean, 0.1)
		r, err = FitAcross(of(2, 4, 8, 16), "error", "data.inputs", records.At{}, statistic)
		require.NoError(t, err)
		assert.Empty(t, r.Halves)
	}
}

// A line across a grid ends before the first value of the setting at which the run of one seed has come down to rounding.
func TestFitAcrossEndsWhereRoundingBegins(t *testing.T) {
	var recs []*records.Record
	for seed := range 2 {
		for n := 1; n <= 1<<14; n *= 2 {
			recs = append(recs, recordstest.Sized(uint64(seed+1), n, max(math.Pow(float64(n), -4), 1e-16)))
		}
	}
	for _, statistic := range []string{"", "q50"} {
		r, err := FitAcross(recs, "error", "data.inputs", records.At{}, statistic)
		require.NoError(t, err)
		assert.InDelta(t, -4, r.Mean, 1e-9)
		assert.Equal(t, 1024.0, r.Rounded, "9/2^40, as every run begins at 9, is above 1024^-4 = 2^-40")
		assert.Equal(t, 512.0, r.Window[1])
	}
}

func TestFitAcrossErrors(t *testing.T) {
	tests := []struct {
		name string
		recs []*records.Record
		key  string
		want string
	}{
		{"no records", nil, "data.inputs", "no records"},
		{"unknown setting", []*records.Record{recordstest.Sized(1, 2, 1)}, "batch", "a,inputs=2-1 has no number as its setting batch"},
		{"few values", []*records.Record{recordstest.Sized(1, 2, 1), recordstest.Sized(1, 4, 1)}, "data.inputs", "seed 1 has 2 values of data.inputs; a line needs 4, so give the grid more values"},
		{"zero", []*records.Record{recordstest.Sized(1, 2, 0)}, "data.inputs", "seed 1: error is 0 at data.inputs 2; a line needs positive numbers"},
		{"null", []*records.Record{recordstest.Sized(1, 2, math.NaN())}, "data.inputs", "error of a,inputs=2 seed 1 is not finite at the end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := FitAcross(test.recs, "error", test.key, records.At{}, "")
			assert.EqualError(t, err, test.want)
			if len(test.recs) > 0 && test.key == "batch" {
				assert.NotEmpty(t, AcrossCurve(test.recs, "error", test.key).Warnings)
			}
		})
	}
}

// The curves of seeds, along x and across a grid, have rising x and end where rounding begins.
func TestSeedCurves(t *testing.T) {
	r := recordstest.Record("a", 7, 1, 0.5, 1e-14, 1e-15)
	r.Points = append(r.Points[:2:2], append([]records.Point{r.Points[1]}, r.Points[2:]...)...)
	assert.Equal(t, []SeedCurve{{Seed: 7, X: []float64{1, 2}, Y: []float64{1, 0.5}, Rounded: 4}}, Along([]*records.Record{r}, "error", "step"))
	var recs []*records.Record
	for _, n := range []int{4, 2, 8, 16} {
		recs = append(recs, recordstest.Sized(1, n, 1/float64(n)), recordstest.Sized(2, n, 2/float64(n)))
	}
	*recs[4].Points[1].Values["error"] = 1e-14
	curves, err := AlongGrid(recs, "error", "data.inputs", records.At{})
	require.NoError(t, err)
	assert.Equal(t, []SeedCurve{
		{Seed: 1, X: []float64{2, 4}, Y: []float64{0.5, 0.25}, Rounded: 8},
		{Seed: 2, X: []float64{2, 4}, Y: []float64{1, 0.5}, Rounded: 8},
	}, curves)
	level := AcrossCurve(recs, "error", "")
	require.Len(t, level.X, 1)
	assert.True(t, math.IsNaN(level.X[0]))
	assert.Equal(t, 8, level.N[0])
}

// A seed's values over a grid come down to rounding beside the largest of any of its runs, not beside that of other seeds.
func TestFloorOfAGridIsThatOfTheSeed(t *testing.T) {
	point := func(seed uint64, x, y float64) acrossPoint { return acrossPoint{seed, x, y, math.Abs(y), 0x1p-40} }
	small := []acrossPoint{point(1, 1, 1), point(2, 1, 1e-13), point(1, 2, 0.5), point(2, 2, 1e-14)}
	assert.Equal(t, small, unrounded(small))
	assert.Equal(t, small[:2], unrounded(append(slices.Clone(small[:2]), point(1, 2, 5e-13))))
	assert.Equal(t, small[:2], unrounded(append(slices.Clone(small[:3]), point(2, 2, 1e-30))), "all seeds end before that setting")
	points, err := across([]*records.Record{recordstest.Sized(1, 2, 1e-17)}, "error", "data.inputs", records.At{})
	assert.NoError(t, err)
	assert.Equal(t, 9.0, points[0].largest, "at the start of its curve")
}

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
