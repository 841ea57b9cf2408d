package claims

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records/recordstest"
	"repro/results/stats"
)

// A difference of two shares lies between minus a whole and a whole, in the unit of the claim; that of other numbers has no limits.
func TestLimitsOfDifferences(t *testing.T) {
	a, b := []float64{0.9, 0.5, 0.99}, []float64{0.1, 0.2, 0.01}
	for _, c := range []struct {
		claim Claim
		scale float64
		want  [2]float64
	}{
		{Claim{shareOf: "test"}, 1, [2]float64{-1, 1}},
		{Claim{shareOf: "test", Unit: Percent}, 100, [2]float64{-100, 100}},
		{Claim{}, 1, [2]float64{}},
	} {
		scaled := func(all []float64) (of []float64) {
			for _, v := range all {
				of = append(of, c.scale*v)
			}
			return of
		}
		m := differenceOf(c.claim, "b", scaled(a), scaled(b))
		assert.Equal(t, c.want, m.Limits)
		assert.InDelta(t, c.scale*0.69333333, m.Mean, c.scale*1e-6)
		if c.want != [2]float64{} {
			assert.Equal(t, c.want[1], m.High, "the interval ends there")
			assert.Less(t, m.Low, m.Mean)
		}
	}
}

// What makes a word doubtful: averages apart at the confidence of the look, a second half that says something else, and what was printed.
func TestDoubts(t *testing.T) {
	ratios := []float64{0.5, 2, 0.5, 2, 0.5, 2, 0.5, 2, 0.5, 2}
	_, high := stats.GeometricInterval(ratios).Averages()
	for i := range ratios {
		ratios[i] *= 0.999 / high
	}
	m := Measurement{Estimate: stats.GeometricInterval(ratios), Rival: "b", planned: 10, accept: Region{Low: math.Inf(-1), High: 1, Open: true}}
	assert.True(t, m.uneven(Reproduced, math.Inf(1)), "at the confidence of a planned look, which is more than 95 %")
	m.accept.digits = new([2]float64)
	assert.False(t, m.uneven(Reproduced, 1), "one more run is no average")

	bent := Measurement{Estimate: stats.Estimate{Mean: 1.5}, Halves: []stats.Sensitivity{{}, {Slope: 1.6, Low: 1.4, High: 1.8}}, accept: Region{Low: 1.6, High: 2}}
	assert.False(t, bent.bent(Deviates), "the second half may have the slope of the whole")

	median := Measurement{Estimate: stats.Estimate{N: 12}, Undecided: "x", Bounds: []uint64{1}, Ranges: slices.Repeat([][2]float64{{3.1, 3.1}}, 12), accept: Region{Low: 3.05, High: 3.15}}
	median.Ranges[0][1] = math.Inf(1)
	for rounding, want := range map[bool]Word{false: Reproduced, true: Inconclusive} {
		median.accept.rounding = rounding
		word, _ := median.word(math.Inf(1))
		assert.Equal(t, want, word, "a median that rounds to the printed number: %v", rounding)
	}
	assert.True(t, math.IsInf(Claim{Metric: "other"}.varianceOfRows(recordstest.Flat("a", 1)[0], 10, false), 1))
}
