package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func geometric(seed uint64, c, rho float64) *records.Record {
	return recordstest.Geometric("a", seed, c, rho)
}

func factors(recs []*records.Record, window [2]float64) (Rate, error) {
	return FitFactor(recs, "error", "step", window, "")
}

func TestFitFactorIsExact(t *testing.T) {
	recs := []*records.Record{geometric(1, 3, 0.95), geometric(2, 0.1, 0.95), geometric(3, 7, 0.95)}
	r, err := factors(recs, [2]float64{})
	require.NoError(t, err)
	// Rounding of forty logarithms and one regression.
	for _, v := range append([]float64{r.Mean, r.Low, r.High}, r.Values...) {
		assert.InDelta(t, 0.95, v, 1e-12)
	}
	assert.Equal(t, [2]float64{107.5, 400}, r.Window, "the first quarter of 10 to 400 is left out")
	assert.Equal(t, 30, r.Points)
	assert.Zero(t, r.Rounded)
	require.Len(t, r.Halves, 2)
	assert.Equal(t, [2]float64{107.5, 253.75}, r.Halves[0].Window)
	assert.Equal(t, [2]float64{253.75, 400}, r.Halves[1].Window)
	quarter := (400 - 107.5) / 4
	var windows [][2]float64
	for _, s := range append(r.Sensitivity, r.Halves...) {
		assert.InDelta(t, 0.95, s.Slope, 1e-12)
		assert.InDelta(t, 0.95, s.High, 1e-12)
		windows = append(windows, s.Window)
	}
	assert.Equal(t, [][2]float64{{107.5 + quarter, 400}, {107.5 - quarter, 400}, {107.5, 400 - quarter}, {107.5 + quarter, 400 - quarter}}, windows[:4], "the upper end cannot move on")
}

// A line leaves nothing of the law that it is of. Of the values 1, e, 1 and e at 0, 1, 2 and 3, whose logarithms have the weights 1/2, 1, 1
// and 1/2, the mean is 1/2 and the weighted sum of squares 3/4; the slope is 1/4 over 11/4, so the line leaves 1 - (1/4)²/(11/4)/(3/4).
func TestLackOfFit(t *testing.T) {
	recs := []*records.Record{geometric(1, 3, 0.95), geometric(2, 0.1, 0.95)}
	factor, err := factors(recs, [2]float64{})
	require.NoError(t, err)
	assert.InDelta(t, 0, factor.Lack, 1e-12)
	power, err := FitRate(recs, "error", "step", [2]float64{})
	require.NoError(t, err)
	assert.Greater(t, power.Lack, 0.01)
	one, err := FitRate(recs[:1], "error", "step", [2]float64{})
	require.NoError(t, err)
	assert.InDelta(t, one.Lack, power.Lack, 1e-9, "the mean over seeds, which are alike")
	_, lack := Exponential.line([]float64{0, 1, 2, 3}, []float64{1, math.E, 1, math.E})
	assert.InDelta(t, 1-1./16/(11./4)/(3./4), lack, 1e-12)
}

// Seeds with the factors 0.9 and 0.8 have the geometric mean √0.72, and t(1) = 12.706 times half of the difference of their logarithms
// either way.
func TestFitFactorIsPerSeed(t *testing.T) {
	r, err := factors([]*records.Record{geometric(1, 1, 0.9), geometric(2, 1000, 0.8)}, [2]float64{10, 100})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0.9, 0.8}, r.Values, 1e-12)
	assert.InDelta(t, math.Sqrt(0.72), r.Mean, 1e-12)
	assert.InDelta(t, 12.706*math.Log(0.9/0.8)/2, math.Log(r.High/r.Mean), 0.0005)
	assert.True(t, r.Log)
	assert.InDelta(t, GeometricInterval(r.Values).Low, r.Low, 1e-15)
}

// The number is log ρ/log bound on every seed: 2 for 0.81 where the bound is 0.9.
func TestFitSpeed(t *testing.T) {
	recs := []*records.Record{geometric(1, 1, 0.81), geometric(2, 1, 0.9), geometric(3, 1, 1.1)}
	r, err := FitSpeed(recs, "error", "step", [2]float64{10, 100}, []float64{0.9, 0.81, 0.9})
	require.NoError(t, err)
	want := []float64{2, 0.5, math.Log(1.1) / math.Log(0.9)}
	assert.InDeltaSlice(t, want, r.Values, 1e-11)
	assert.InDelta(t, (want[0]+want[1]+want[2])/3, r.Mean, 1e-11, "a seed that diverges counts against it")
	assert.False(t, r.Log)
	require.Len(t, r.Halves, 2)
	assert.InDelta(t, r.Mean, r.Halves[0].Slope, 1e-10)
	for _, wrong := range []float64{0, 1, 1.5, -1, math.NaN(), math.Inf(1)} {
		_, err = FitSpeed(recs, "error", "step", [2]float64{10, 100}, []float64{0.9, wrong, 0.9})
		assert.ErrorContains(t, err, "seed 2: the bound is", wrong)
	}
}

// A factor that is too large for a number is one only of the whole window: those of other windows can be written.
func TestFitFactorOfOtherWindowsIsFinite(t *testing.T) {
	steep := func(seed uint64) *records.Record {
		r := recordstest.Record("a", seed, 1e-300, 1e300, 1e300, 1e300, 1e300)
		r.Points[4].Step = 5
		for i := range r.Points {
			r.Points[i].Epoch = float64(i+1) / 100
		}
		return r
	}
	r, err := FitFactor([]*records.Record{steep(1), steep(2)}, "error", "epoch", [2]float64{0.01, 0.05}, "")
	require.NoError(t, err)
	assert.True(t, math.IsInf(r.Mean, 1))
	require.NotEmpty(t, r.Sensitivity)
	for _, s := range r.Sensitivity {
		assert.False(t, math.IsInf(s.Slope, 0) || math.IsInf(s.High, 0), "%v", s)
	}
}

// The statistic over seeds is that of FitStatistic, on the other scale of x.
func TestFitFactorOfAStatistic(t *testing.T) {
	recs := []*records.Record{geometric(1, 1, 0.9), geometric(2, 1, 0.9), geometric(3, 100, 0.98)}
	r, err := FitFactor(recs, "error", "step", [2]float64{200, 400}, "mean")
	require.NoError(t, err)
	assert.InDelta(t, 0.98, r.Mean, 1e-6, "the slowest seed has the mean")
	assert.True(t, r.Log)
	assert.Less(t, r.Low, 0.98)
	assert.Greater(t, r.High, 0.98)
	one, err := FitFactor(recs[:1], "error", "step", [2]float64{}, "mean")
	require.NoError(t, err)
	assert.False(t, one.Bounded())
	assert.InDelta(t, 0.9, one.Mean, 1e-9)
}
