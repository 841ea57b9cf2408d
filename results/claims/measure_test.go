package claims

import (
	"fmt"
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

	huge := Measurement{Estimate: stats.MeanInterval([]float64{2e307, 6e307, 1e308})}
	assert.NoError(t, huge.overflow(Claim{Published: "1", PublishedIs: "theorem"}))
	assert.Error(t, huge.overflow(Claim{Published: "1", PublishedIs: "mean of 5"}), "of which the interval is wider")

	median := Measurement{Estimate: stats.Estimate{N: 12}, Undecided: "x", Bounds: []uint64{1}, Ranges: slices.Repeat([][2]float64{{3.1, 3.1}}, 12), accept: Region{Low: 3.05, High: 3.15}}
	median.Ranges[0][1] = math.Inf(1)
	for rounding, want := range map[bool]Word{false: Reproduced, true: Inconclusive} {
		median.accept.rounding = rounding
		word, _ := median.word(math.Inf(1))
		assert.Equal(t, want, word, "a median that rounds to the printed number: %v", rounding)
	}
	assert.True(t, math.IsInf(Claim{Metric: "other"}.varianceOfRows(recordstest.Flat("a", 1)[0], 10, false), 1))
}

// What a region takes from an estimate whose interval has two widths, from one value, and from a tolerance below the digits.
func TestRegions(t *testing.T) {
	e := stats.MeanInterval([]float64{0.1, 0.2, 0.7, 3}).Guarded(0, 0)
	below, above := e.Widths(1)
	assert.Greater(t, above, below)
	assert.InDelta(t, 1+below*e.Visible(1), Region{Low: math.Inf(-1), High: 1}.visible(e, 1), 1e-12)
	assert.InDelta(t, 1-above*e.Visible(1), Region{Low: 1, High: math.Inf(1)}.visible(e, 1), 1e-12)
	assert.Equal(t, []float64{1, 2}, []float64{Region{Low: 2, High: 3}.overhang(stats.MeanInterval([]float64{1})), Region{Low: 2, High: 3}.overhang(stats.MeanInterval([]float64{5}))})
	for is, low := range map[string]float64{"run": 2.5, "theorem": 2.9} {
		a, err := accepted(Claim{Published: "3", PublishedIs: is, Tolerance: 0.1})
		assert.NoError(t, err)
		assert.Equal(t, low, a.Low, "a tolerance never makes a printed number harder to meet")
	}
	closed, open, every := Region{High: 1}, Region{High: 1, Open: true}, Region{High: 1, every: true}
	assert.Equal(t, []bool{true, false, true, false}, []bool{closed.Wider(open), open.Wider(closed), closed.Wider(every), every.Wider(closed)})

	falling, err := measurePlateau(Claim{Method: "a", Metric: "error", Across: "data.inputs", Within: 0.1}, grid(3, 32, 16, 8, 4, 2, 1))
	assert.NoError(t, err)
	assert.Equal(t, []uint64{3}, falling.Bounds, "it never becomes level")
	share := Claim{shareOf: "test", Unit: Percent, PublishedIs: "mean of 5"}.estimate([]float64{91, 92, 94}, 0)
	assert.Equal(t, []float64{0, 100}, []float64{share.Scales[0].Top, share.Scales[1].Top})
	assert.InDelta(t, 0.1/math.Sqrt(12), Claim{Signed: true}.estimate([]float64{0.5, 0.5}, 0.1).SD, 1e-12)
}

// A verdict is measured again as it was, from what its file says.
func TestMeasurementOfAVerdict(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	v := Verdict{Kind: "order", Against: []string{"b"}, Measured: number(2), SD: number(1), Seeds: 4, Low: number(1), Accept: [2]*float64{nil, number(1)}, Halves: make([]stats.Sensitivity, 2)}
	m := v.measurement()
	assert.Equal(t, "b", m.Rival)
	assert.Len(t, m.Halves, 2)
	assert.True(t, math.IsInf(m.High, 1), "without an upper end")
	assert.True(t, m.accept.Open, "no tie is better")
	printed := Verdict{Kind: "value", PublishedLow: number(0), PublishedHigh: number(1), Accept: [2]*float64{number(0), number(1)}}
	assert.True(t, printed.region().rounding)
	printed.Tolerance = 0.5
	assert.False(t, printed.region().rounding, "a tolerance is no rounding")

	ranges := Measurement{What: "x"}
	for i := range 12 {
		ranges.Ranges = append(ranges.Ranges, [2]float64{float64(i + 1), float64(i + 1)})
	}
	v.median(ranges)
	assert.Equal(t, []float64{3, 10}, []float64{*v.Low, *v.High}, "2 of 12 lie outside on either side with 2.5 %")

	m = Measurement{Estimate: stats.MeanInterval([]float64{3, 3.1, 3.3, 3.2}), planned: 3, accept: Region{Low: 2.5, High: 3.5, rounding: true, digits: &[2]float64{2.5, 3.5}}}
	low, high := m.decisive(1).Next(1)
	assert.Contains(t, new(Verdict).look(m, 1), fmt.Sprintf("%.3f to %.3f", low, high), "that of one more run")

	column := Verdict{Kind: columnKind, PublishedIs: "run", Measured: number(1.03), SD: number(0.01), Seeds: 2, Log: true, MustSee: number(0.25),
		PublishedLow: number(0.99), PublishedHigh: number(1.01), Accept: [2]*float64{number(0.99), number(1.01)}}
	assert.Equal(t, 4, column.SeedsNeeded(), "of a run, which ours may be")
}
