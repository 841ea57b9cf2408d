package stats

import (
	"math"
	"math/rand/v2"
	"slices"
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

	same := logsOf([]float64{9, 1.21, 1, 1, 1})
	low, high := plateau{[][]float64{same, same}, math.Log1p(0.1)}.interval(xs)
	assert.InDeltaSlice(t, []float64{math.Sqrt(1000), math.Sqrt(1000)}, []float64{low, high}, 1e-6)
	assert.Equal(t, Broad, estimatePlateau(xs, [][]float64{same, same}, []float64{30, 40}, 0.1).Covers)

	var recs []*records.Record
	for seed := range uint64(2) {
		for i, d := range []int{8, 2, 4, 16} {
			recs = append(recs, recordstest.Sized(seed+1, d, []float64{1, 4, 1.21, 1}[i]))
		}
	}
	places, e, err := Plateau(recs, "error", "data.inputs", records.At{}, 0.1, false)
	require.NoError(t, err)
	require.Len(t, places, 2)
	assert.InDelta(t, math.Sqrt(4*8), places[0].X, 1e-9)
	assert.InDeltaSlice(t, []float64{math.Sqrt(4 * 8), math.Sqrt(4 * 8), math.Sqrt(4 * 8)}, []float64{e.Mean, e.Low, e.High}, 1e-9, "the seeds agree")
	places, e, err = Plateau(recs, "error", "data.inputs", records.At{}, 0.1, true)
	require.NoError(t, err)
	assert.Equal(t, Crossing{Seed: 2, X: 2, Reached: true, First: true}, places[1], "the largest value is at the smallest setting")
	assert.Equal(t, []float64{2, 0}, []float64{e.Mean, e.Low})
	other := append(slices.Clone(recs[:7]), recordstest.Sized(2, 32, 1))
	for _, few := range [][]*records.Record{nil, recs[:3], other, {recordstest.Sized(1, 2, 0)}, {recordstest.Sized(1, 2, math.NaN())}} {
		_, _, err := Plateau(few, "error", "data.inputs", records.At{}, 0.1, false)
		assert.Error(t, err)
	}
	for _, r := range recs { // 8, 4, 2, 1: it never becomes level
		d := r.Header.Settings["data"].(map[string]any)["inputs"].(float64)
		*r = *recordstest.Sized(r.Header.Seed, int(d), 16/d*(1+float64(r.Header.Seed)/1000))
	}
	places, e, err = Plateau(recs, "error", "data.inputs", records.At{}, 0.1, false)
	require.NoError(t, err)
	assert.False(t, places[0].Reached)
	assert.Equal(t, 8.0, e.Mean)
	assert.True(t, math.IsInf(e.High, 1))
}

// The excess at a value is the largest of the means of paired differences to those beyond; above with Student's interval of one,
// below with that of all of them together.
func TestExcessOfAPlateau(t *testing.T) {
	p := plateau{logs: [][]float64{{3, 1, 0.2, 0}, {2.5, 1.3, 0.1, 0.3}, {3.2, 0.9, 0, 0.1}, {2.9, 1.2, 0.4, 0.1}}}
	differences := func(of func(l []float64) float64) (mean, se float64) {
		var d []float64
		for _, l := range p.logs {
			d = append(d, of(l))
		}
		mean, sd := meanStdDev(d)
		return mean, sd / 2
	}
	const one, three = 3.182446, 4.856654 // Student's t with 3 degrees of freedom at 1 − 0.025 and at 1 − 0.025/3
	check := func(position float64, of func(l []float64, j int) float64) {
		wantLow, wantHigh := math.Inf(-1), math.Inf(-1)
		for j := 1; j < 4; j++ {
			mean, se := differences(func(l []float64) float64 { return of(l, j) })
			wantLow, wantHigh = max(wantLow, mean-three*se), max(wantHigh, mean+one*se)
		}
		low, high := p.excess(position)
		assert.InDeltaSlice(t, []float64{wantLow, wantHigh}, []float64{low, high}, 1e-5, "at %v", position)
	}
	check(1, func(l []float64, j int) float64 { return l[1] - l[j] })
	check(0.25, func(l []float64, j int) float64 { return l[1] + 0.75*(l[0]-l[1]) - l[j] })
}

// plateauNoise are curves 1 + (100/x)^p on ten values of x from 10 to 13,500 with independent lognormal noise, whose spread is a
// share of within.
type plateauNoise struct{ p, share float64 }

var plateauX = []float64{10, 22, 46, 100, 215, 464, 1000, 2154, 4642, 13500}

const plateauWithin = 0.02

// curve draws a curve in logarithms and its place.
func (c plateauNoise) curve(r *rand.Rand) (logs []float64, place float64) {
	ys := make([]float64, len(plateauX))
	for i, x := range plateauX {
		logs = append(logs, math.Log(1+math.Pow(100/x, c.p))+c.share*plateauWithin*r.NormFloat64())
		ys[i] = math.Exp(logs[i])
	}
	return logs, levelling(plateauX, ys, plateauWithin).X
}

// truth is the place without noise.
func (c plateauNoise) truth() float64 {
	_, place := plateauNoise{c.p, 0}.curve(rand.New(rand.NewPCG(0, 0)))
	return place
}

func (c plateauNoise) estimate(r *rand.Rand, n int) Estimate {
	logs, places := make([][]float64, n), make([]float64, n)
	for i := range logs {
		logs[i], places[i] = c.curve(r)
	}
	return estimatePlateau(plateauX, logs, places, plateauWithin)
}

// The place of the mean curve comes closer to the one without noise with the number of seeds. That of single seeds does not.
func TestPlateauOfNoisyCurves(t *testing.T) {
	c := plateauNoise{2, 0.5}
	r := rand.New(rand.NewPCG(1, 2))
	for n, most := range map[int]float64{3: 1.2, 40: 1.03} {
		var means, single []float64
		for range 1000 {
			e := c.estimate(r, n)
			means, single = append(means, e.Mean/c.truth()), append(single, GeometricInterval(e.Values).Mean/c.truth())
		}
		t.Logf("%d seeds: %.3f, of single seeds %.3f", n, Median(means), Median(single))
		assert.Less(t, Median(means), most)
		assert.Greater(t, Median(means), 1.0)
		assert.Greater(t, Median(single), 1.25)
	}
}
