package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestPlateau(t *testing.T) {
	xs := []float64{1, 10, 100, 1000, 10000}
	for name, c := range map[string]struct {
		ys   []float64
		want Crossing
	}{
		"halfway, in logarithms, to a level of 1.1": {[]float64{9, 1.21, 1, 1, 1}, Crossing{X: math.Sqrt(10 * 100), Reached: true}},
		"a value at the level":                      {[]float64{9, 4, 1.1, 1, 1}, Crossing{X: 100, Reached: true}},
		"worse again beyond":                        {[]float64{9, 1.21, 1, 5, 7}, Crossing{X: math.Sqrt(10 * 100), Reached: true}},
		"a slow fall that never ends":               {[]float64{9, 7, 5, 3, 2}, Crossing{X: 1000}},
		"level everywhere":                          {[]float64{1, 1.05, 1, 1, 1}, Crossing{X: 1, Reached: true, First: true}},
		"steps below the factor that add up":        {[]float64{1.4641, 1.331, 1.21, 1.1, 1}, Crossing{X: 1000, Reached: true}},
	} {
		got := levelling(xs, c.ys, 0.1)
		assert.InDelta(t, c.want.X, got.X, 1e-9*c.want.X, name)
		assert.Equal(t, c.want.Reached, got.Reached, name)
		assert.Equal(t, c.want.First, got.First, name)
	}

	var recs []*records.Record
	for seed := range uint64(2) {
		for i, d := range []int{8, 2, 4, 16} {
			recs = append(recs, recordstest.Sized(seed+1, d, []float64{1, 4, 1.21, 1}[i]))
		}
	}
	places, err := Plateau(recs, "error", "data.inputs", records.At{}, 0.1, false)
	require.NoError(t, err)
	require.Len(t, places, 2)
	assert.InDelta(t, math.Sqrt(4*8), places[0].X, 1e-9)
	places, err = Plateau(recs, "error", "data.inputs", records.At{}, 0.1, true)
	require.NoError(t, err)
	assert.Equal(t, Crossing{Seed: 2, X: 2, Reached: true, First: true}, places[1], "the largest value is at the smallest setting")
	for _, few := range [][]*records.Record{nil, recs[:3], {recordstest.Sized(1, 2, 0)}, {recordstest.Sized(1, 2, math.NaN())}} {
		_, err := Plateau(few, "error", "data.inputs", records.At{}, 0.1, false)
		assert.Error(t, err)
	}
}

// Errors of the detector, as docs/verdicts.md states them: curves 1 + (100/x)^p on ten values of x from 10 to 13,500, with
// independent noise of a spread of a share of the factor's excess, and 5,000 simulated experiments of three seeds.
func TestPlateauOfNoisyCurves(t *testing.T) {
	xs := []float64{10, 22, 46, 100, 215, 464, 1000, 2154, 4642, 13500}
	const within, trials = 0.02, 5000
	for _, c := range []struct {
		p, noise     float64
		low, high    float64 // of the median place, divided by the one without noise
		cover, wrong float64 // least share of intervals that hold it; most of those beyond a factor of 3
	}{
		{1, 0.1, 0.9, 1.1, 0.9, 0.01},
		{1, 0.25, 0.9, 1.1, 0.9, 0.01},
		{1, 0.5, 0.9, 1.1, 0.85, 0.02},
		{2, 0.1, 0.95, 1.05, 0.9, 0.001},
		{2, 0.25, 0.9, 1.1, 0.9, 0.001},
		{2, 0.5, 0.9, 1.4, 0.85, 0.02},
	} {
		r := rand.New(rand.NewPCG(1, uint64(100*c.p*c.noise)))
		curve := func(noise float64) Crossing {
			ys := make([]float64, len(xs))
			for i, x := range xs {
				ys[i] = (1 + math.Pow(100/x, c.p)) * math.Exp(noise*within*r.NormFloat64())
			}
			return levelling(xs, ys, within)
		}
		truth := curve(0).X
		var places []float64
		held, far := 0, 0
		for range trials {
			var seeds []float64
			for range 3 {
				seeds = append(seeds, curve(c.noise).X)
			}
			e := GeometricInterval(seeds)
			places = append(places, e.Mean/truth)
			if e.Low <= truth && truth <= e.High {
				held++
			}
			if e.Mean > 3*truth || 3*e.Mean < truth {
				far++
			}
		}
		t.Logf("p = %v, noise %v of the factor: truth %.0f, median %.3f, held %.3f, beyond a factor of 3 %.4f", c.p, c.noise, truth, Median(places), float64(held)/trials, float64(far)/trials)
		assert.Greater(t, Median(places), c.low)
		assert.Less(t, Median(places), c.high)
		assert.Greater(t, float64(held)/trials, c.cover)
		assert.LessOrEqual(t, float64(far)/trials, c.wrong)
	}
}
