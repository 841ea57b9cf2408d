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

func TestFitRateOfAPowerLawIsExact(t *testing.T) {
	recs := []*records.Record{recordstest.Power("a", 1, 3, -1), recordstest.Power("a", 2, 0.1, -1), recordstest.Power("a", 3, 7, -1)}
	r, err := FitRate(recs, "error", "step", [2]float64{})
	require.NoError(t, err)
	// Rounding of twenty logarithms and one regression.
	assert.InDelta(t, -1, r.Mean, 1e-12)
	assert.InDelta(t, -1, r.Low, 1e-12)
	assert.InDelta(t, -1, r.High, 1e-12)
	assert.Len(t, r.Values, 3)
	span := math.Log(1 << 19)
	assert.InDelta(t, math.Exp(span/4), r.Window[0], 1e-9*r.Window[0], "the first quarter is left out")
	assert.Equal(t, float64(1<<19), r.Window[1])
	assert.Equal(t, 15, r.Points)
	require.Len(t, r.Sensitivity, 4, "the upper end cannot be doubled")
	for _, s := range r.Sensitivity {
		assert.InDelta(t, -1, s.Slope, 1e-12)
	}
}

func TestFitRateIsPerSeed(t *testing.T) {
	// Two seeds with slopes -1 and -2 have the mean -1.5 and t(1) = 12.706 times 0.5 either way.
	recs := []*records.Record{recordstest.Power("a", 1, 1, -1), recordstest.Power("a", 2, 1000, -2)}
	r, err := FitRate(recs, "error", "step", [2]float64{})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{-1, -2}, r.Values, 1e-12)
	assert.InDelta(t, -1.5, r.Mean, 1e-12)
	assert.InDelta(t, 12.706*0.5, r.High-r.Mean, 0.0005)
}

func TestFitRateOfACost(t *testing.T) {
	r, err := FitRate([]*records.Record{recordstest.Power("a", 1, 1, -1)}, "kernel-evals", "seen", [2]float64{})
	require.NoError(t, err)
	assert.InDelta(t, 1, r.Mean, 1e-12)
	assert.False(t, r.Bounded())
	assert.Empty(t, r.Sensitivity, "one seed has no interval")
}

func TestFitRateShowsHowTheSlopeMoves(t *testing.T) {
	bend := func(seed uint64) *records.Record {
		r := recordstest.Power("a", seed, 1, 0)
		for i := range r.Points {
			r.Points[i].Values["error"] = records.Value(1 / (1 + float64(r.Points[i].Step)/1000))
		}
		return r
	}
	r, err := FitRate([]*records.Record{bend(1), bend(2)}, "error", "step", [2]float64{64, 65536})
	require.NoError(t, err)
	windows := map[[2]float64]float64{}
	for _, s := range r.Sensitivity {
		windows[s.Window] = s.Slope
	}
	require.Len(t, windows, 5)
	assert.Less(t, windows[[2]float64{128, 65536}], r.Mean, "later is steeper")
	assert.Greater(t, windows[[2]float64{32, 65536}], r.Mean)
	assert.Greater(t, windows[[2]float64{64, 32768}], r.Mean)
	assert.Less(t, windows[[2]float64{64, 131072}], r.Mean)
	assert.Contains(t, windows, [2]float64{128, 32768})

	require.Len(t, r.Halves, 2)
	middle := 2048.0 // of 64 and 65,536 in logarithms
	assert.Equal(t, [][2]float64{{64, middle}, {middle, 65536}}, [][2]float64{r.Halves[0].Window, r.Halves[1].Window})
	assert.InDelta(t, -0.3, r.Halves[0].Slope, 0.15, "flat, then 1/t, with the bend at 1,000")
	assert.InDelta(t, -0.9, r.Halves[1].Slope, 0.1)
}

// Seeds that end at different places share what all of them have, whatever their order.
func TestSeedsShareARange(t *testing.T) {
	long, short := recordstest.Power("a", 1, 1, -1), recordstest.Power("a", 2, 1, -1)
	short.Points = short.Points[2:15] // steps 4 to 16,384
	for _, recs := range [][]*records.Record{{long, short}, {short, long}} {
		r, err := FitRate(recs, "error", "step", [2]float64{1, 1 << 19})
		require.NoError(t, err)
		assert.Equal(t, [2]float64{4, 1 << 14}, r.Window)
	}
	assert.True(t, inside(1-records.Slack/2, [2]float64{1, 2}) && inside(2+records.Slack, [2]float64{1, 2}), "at an end, but for rounding")
	short.Points = slices.Delete(short.Points, 3, 5)
	for _, recs := range [][]*records.Record{{long, short}, {short, long}} {
		r, err := FitRate(recs, "error", "step", [2]float64{4, 1 << 14})
		require.NoError(t, err)
		assert.Equal(t, 11, r.Points, "of the seed with the fewest")
	}
	short.Points = slices.Insert(short.Points, 1, short.Points[0])
	xs, _, err := within(short, "error", "step", [2]float64{4, 1 << 14})
	require.NoError(t, err)
	assert.Len(t, xs, 11, "of two evaluations at one place, one")
}

// A power law that comes down to rounding errors is followed up to there, in single precision less far than in double precision, and
// so is the mean over seeds; one curve of one seed ends the window of all.
func TestFitRateEndsWhereRoundingBegins(t *testing.T) {
	of := func(seed uint64, precision string, floor float64) *records.Record {
		r := recordstest.Power("a", seed, 1, -4)
		r.Header.Provenance.Precision = precision
		for i, p := range r.Points {
			r.Points[i].Values["error"] = records.Value(max(*p.Values["error"], floor))
		}
		return r
	}
	for name, c := range map[string]struct {
		precision      string
		floor, rounded float64
	}{
		"double":                 {"float64", 1e-16, 1024},
		"unknown":                {"", 1e-16, 1024},
		"single":                 {"float32", 1e-16, 32}, // (2^5)^-4 is below 2^-17
		"zero":                   {"float64", 0, 1024},
		"a floor above rounding": {"float64", 0x1p-36, 0},
	} {
		recs := []*records.Record{of(1, c.precision, c.floor), recordstest.Power("a", 2, 1, -0.1)}
		for _, statistic := range []string{"", "mean"} {
			fit := func(w [2]float64) (Rate, error) {
				if statistic == "" {
					return FitRate(recs, "error", "step", w)
				}
				return FitStatistic(recs, "error", "step", w, statistic)
			}
			r, err := fit([2]float64{1, 1 << 19})
			require.NoError(t, err, name)
			assert.Equal(t, c.rounded, r.Rounded, name)
			if statistic == "" && c.rounded > 0 {
				assert.Equal(t, c.rounded/2, r.Window[1], name)
				assert.InDelta(t, -4, r.Values[0], 1e-12, name)
			}
		}
	}
}

// The first rounding of all seeds counts, and what is not finite is no largest value.
func TestWhereRoundingBegins(t *testing.T) {
	of := func(seed uint64, zero int) *records.Record {
		r := recordstest.Power("a", seed, 1, -0.1)
		r.Points[zero].Values["error"] = records.Value(1e-16)
		return r
	}
	for _, recs := range [][]*records.Record{{of(1, 9), of(2, 12)}, {of(2, 12), of(1, 9)}} {
		_, rounded, err := sharedRange(recs, "error", "step")
		require.NoError(t, err)
		assert.Equal(t, 512.0, rounded)
	}
	assert.Equal(t, 3, Rounded(recordstest.Record("a", 1, 1, math.NaN(), 0.5), "error"))
}

// A zero that a curve jumps to is none of rounding, as of an error on few rows.
func TestRounded(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		want   int
		values []float64
	}{
		{3, []float64{1, nan, 2, 1e-13, 1e-14}},
		{3, []float64{1, 0.5, 0, 1e-20, nan, 0}},
		{4, []float64{1, 0, 0.5, 0}},
		{4, []float64{1e-20, 1, 1e-11, 3}},
		{4, []float64{0, 0, nan, 0}},
		{0, nil},
	} {
		assert.Equal(t, c.want, rounded(c.values, records.FloorOf(false)), c.values)
	}
}

func TestFitRateErrors(t *testing.T) {
	zero := recordstest.Power("a", 2, 1, -1)
	zero.Points[15].Values["error"] = records.Value(0)
	lost := recordstest.Power("a", 3, 1, -1)
	lost.Points[15].Values["error"] = nil
	tests := []struct {
		name   string
		recs   []*records.Record
		metric string
		window [2]float64
		want   string
	}{
		{"no records", nil, "error", [2]float64{}, "no records"},
		{"few points", []*records.Record{recordstest.Power("a", 1, 1, -1)}, "error", [2]float64{100, 600}, "seed 1: 3 points of error between step 100 and 600, a line needs 4"},
		{"unknown metric", []*records.Record{recordstest.Power("a", 1, 1, -1)}, "loss", [2]float64{}, "share no range"},
		{"zero", []*records.Record{zero}, "error", [2]float64{}, "seed 2: error is 0 at step 32,768, which has no logarithm"},
		{"null", []*records.Record{lost}, "error", [2]float64{}, "seed 3: error is not finite at step 32,768"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := FitRate(test.recs, test.metric, "step", test.window)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestLogSlopeDoesNotFollowTheSampling(t *testing.T) {
	// A curve that bends from slope 0 to slope -1, sampled evenly in x and evenly in log x: the
	// slopes agree, though most points of the first sampling lie where it is steep.
	f := func(x float64) float64 { return 1 / (1 + x/30) }
	var evenX, evenLog, y1, y2 []float64
	for i := 1; i <= 1000; i++ {
		x := float64(i)
		evenX, y1 = append(evenX, x), append(y1, f(x))
		x = math.Pow(1000, float64(i-1)/999)
		evenLog, y2 = append(evenLog, x), append(y2, f(x))
	}
	// The first points of the even sampling are far apart in log x, which the trapezoid rule sees
	// to about a per cent.
	assert.InDelta(t, LogSlope(evenLog, y2), LogSlope(evenX, y1), 0.01)
}
