package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
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
		assert.Equal(t, Broad, r.Covers)
		assert.Len(t, r.Sensitivity, 4, "as FitRate's")
	}

	// The mean follows the curve that is largest; without its seed, the next one.
	recs = []*records.Record{recordstest.Power("a", 1, 1e6, -0.5), recordstest.Power("a", 2, 1, -1), recordstest.Power("a", 3, 1e-6, -2)}
	mean, err := FitStatistic(recs, "error", "step", [2]float64{}, "mean")
	require.NoError(t, err)
	assert.InDelta(t, -0.5, mean.Mean, 1e-5) // the others are at most 1e-6 of it at step 1
	// Pseudo-values: 3·(−0.5) − 2·(−1), and twice 3·(−0.5) − 2·(−0.5).
	assert.InDeltaSlice(t, []float64{0.5, -0.5, -0.5}, mean.Values, 1e-4)
	assert.InDelta(t, 1/math.Sqrt(3), mean.SD, 1e-4)
	// t = 4.302653 with 2 degrees of freedom. Seeds of other exponents may have a steeper mean or rise.
	assert.Greater(t, mean.High, -0.5+4.302653/3)
	assert.Less(t, mean.Low, -0.5-4.302653/3)
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

// naiveJackknife computes every statistic anew without each curve.
func naiveJackknife(xs []float64, curves [][]float64, statistic string) (slope float64, pseudo []float64) {
	of := func(curves [][]float64) float64 {
		ys, w := make([]float64, len(xs)), weights(statistic, len(curves))
		for j := range xs {
			var column []float64
			for _, c := range curves {
				column = append(column, c[j])
			}
			slices.Sort(column)
			for k, v := range column {
				ys[j] += w[k] * v
			}
		}
		return LogSlope(xs, ys)
	}
	slope = of(curves)
	n := float64(len(curves))
	for i := range curves {
		pseudo = append(pseudo, n*slope-(n-1)*of(slices.Delete(slices.Clone(curves), i, i+1)))
	}
	return slope, pseudo
}

// The sums without one curve give what leaving it out gives, to rounding, ties and spreads of 200 powers of ten included.
func TestJackknifeLeavesOneOut(t *testing.T) {
	xs := []float64{1, 3, 10, 40}
	for name, spread := range map[string]func(r *rand.Rand) float64{
		"near": func(r *rand.Rand) float64 { return 1 + r.Float64() },
		"ties": func(r *rand.Rand) float64 { return float64(1 + r.IntN(3)) },
		"far":  func(r *rand.Rand) float64 { return math.Pow(10, 200*r.Float64()) },
	} {
		for _, statistic := range Statistics {
			r := rand.New(rand.NewPCG(1, 2))
			curves := make([][]float64, LeastSeeds(statistic)+3)
			for i := range curves {
				for range xs {
					curves[i] = append(curves[i], spread(r))
				}
			}
			slope, pseudo := naiveJackknife(xs, curves, statistic)
			e := PowerLaw.jackknife(xs, curves, statistic)
			assert.InEpsilon(t, slope, e.Mean, 1e-13, "%s of %s", statistic, name)
			for i := range pseudo { // n slopes of rounding 1e-15 each, of numbers up to 100
				assert.InDelta(t, pseudo[i], e.Values[i], 1e-11*float64(len(curves)), "%s of %s, curve %d", statistic, name, i)
			}
		}
	}
}

// Four times the curves take four times the memory, and so about four times the time, not sixteen times.
func TestJackknifeIsLinear(t *testing.T) {
	bytes := func(n int) float64 {
		curves := make([][]float64, n)
		for i := range curves {
			curves[i] = []float64{1, 2, float64(3 + i), 4}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		PowerLaw.jackknife([]float64{1, 2, 3, 4}, curves, "mean")
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	assert.Less(t, bytes(2000)/bytes(500), 6.0)
}

// A mean and its spread are finite where they can be, and have the same bits as before where nothing is large.
func TestMeanIntervalOfLargeValues(t *testing.T) {
	e := MeanInterval([]float64{1e306, 1.5e306, 1.25e306})
	assert.InEpsilon(t, 1.25e306, e.Mean, 1e-15)
	assert.InEpsilon(t, 0.25e306, e.SD, 1e-15)
	assert.False(t, math.IsInf(e.Low, 0) || math.IsInf(e.High, 0))
	e = MeanInterval([]float64{math.MaxFloat64, math.MaxFloat64})
	assert.Equal(t, math.MaxFloat64, e.Mean)
	assert.Zero(t, e.SD)
}

func TestQuantile(t *testing.T) {
	tests := []struct {
		name   string
		values []float64
		q      float64
		want   float64
	}{
		{"one value", []float64{3}, 0.25, 3},
		{"median of two", []float64{4, 2}, 0.5, 3},
		{"type 7", []float64{1, 2, 3, 4}, 0.25, 1.75},
		{"maximum", []float64{1, 5, 3}, 1, 5},
		{"a minority diverged", []float64{1, 2, 3, inf}, 0.5, 2.5},
		{"the upper quartile touches it", []float64{1, 2, 3, inf}, 0.75, inf},
		{"half diverged", []float64{1, 2, inf, inf}, 0.5, inf},
		{"exactly on a finite one", []float64{1, 2, inf}, 0.5, 2},
		{"all diverged", []float64{inf, inf}, 0.3, inf},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, Quantile(test.values, test.q))
		})
	}
}

func TestBandSaysWhatItIs(t *testing.T) {
	low, high := Band([]float64{3, 1, 2})
	assert.Equal(t, [2]float64{1, 3}, [2]float64{low, high})
	low, high = Band([]float64{1, 2, 3, 4, 5})
	assert.Equal(t, [2]float64{2, 4}, [2]float64{low, high})
	assert.Equal(t, "one seed", BandName(1))
	assert.Equal(t, "range of 3 seeds", BandName(3))
	assert.Equal(t, "quartiles of 10 seeds", BandName(10))
}

// The interval of the median is that of order statistics: for 12 seeds from the third to the tenth, for fewer than six none.
func TestMedianRange(t *testing.T) {
	var ranges [][2]float64
	for i := range 12 {
		v := float64((7*i)%12 + 1)
		ranges = append(ranges, [2]float64{v, v})
	}
	low, high, ok := MedianRange(ranges, Level)
	assert.True(t, ok)
	assert.Equal(t, [2]float64{3, 10}, [2]float64{low, high})
	for i, r := range ranges { // unknown at one end
		switch r[0] {
		case 1, 11:
			ranges[i][1] = math.Inf(1)
		case 12:
			ranges[i][0] = 0
		}
	}
	low, high, _ = MedianRange(ranges, Level)
	assert.Equal(t, [2]float64{2, 12}, [2]float64{low, high}, "the third smallest lower end, the third largest upper end")
	for n := range 8 {
		_, _, ok := MedianRange(ranges[:n], Level)
		assert.Equal(t, n >= 6, ok, n)
	}
}
