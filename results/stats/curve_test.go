package stats

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

var inf = math.Inf(1)

func TestCurveOfAlignsSeedsByStep(t *testing.T) {
	recs := []*records.Record{recordstest.Record("a", 1, 8, 4), recordstest.Record("a", 2, 6, 3), recordstest.Record("a", 3, 7, 5)}
	recs[1].Points[1].Timing.Train = 40 // the clock is noisy
	c := CurveOf(recs, "error", "step-seconds", "")
	assert.Equal(t, "a", c.Method)
	assert.Equal(t, "The a", c.Label)
	assert.Equal(t, []float64{0.25, 0.5}, c.X, "the median over seeds")
	assert.Equal(t, []float64{7, 4}, c.Median)
	assert.Equal(t, []float64{6, 3}, c.Low)
	assert.Equal(t, []float64{8, 5}, c.High)
	assert.Equal(t, []int{3, 3}, c.N)
	assert.Equal(t, "range of 3 seeds", c.Band)
	assert.Empty(t, c.Warnings)
}

func TestCurveOfInterpolatesWhereStepsDiffer(t *testing.T) {
	a, b := recordstest.Record("a", 1, 8, 4), recordstest.Record("a", 2, 8)
	b.Points = append(b.Points, recordstest.Point(4, 2))
	c := CurveOf([]*records.Record{a, b}, "error", "step", "")
	f := (math.Log(3) - math.Log(2)) / (math.Log(5) - math.Log(2)) // in log(1+step)
	assert.Equal(t, []int{2, 2, 1}, c.N, "no seed is extrapolated")
	require.Len(t, c.X, 3)
	assert.InDelta(t, (4+8-6*f)/2, c.Median[1], 1e-12)
	assert.InDelta(t, (2+1+3*f)/2, c.X[1], 1e-12)
	assert.Equal(t, 2.0, c.Median[2])
}

// A dense curve is drawn at its first points, its ends, and nowhere with gaps of more than two in a thousand of its points.
func TestDrawnCurve(t *testing.T) {
	const n = 50_000
	r := recordstest.Record("a", 1)
	for i := range n {
		r.Points = append(r.Points, recordstest.Point(i+1, 1/float64(i+1)))
	}
	recs := []*records.Record{r}
	all, drawn := CurveOf(recs, "error", "step", ""), DrawnCurve(recs, "error", "step", "")
	assert.Len(t, all.X, n)
	assert.Zero(t, all.Left)
	assert.Equal(t, n, len(drawn.X)+drawn.Left)
	assert.InDelta(t, 1700, len(drawn.X), 300)
	assert.Equal(t, all.X[:3], drawn.X[:3])
	assert.Equal(t, all.X[n-1], drawn.X[len(drawn.X)-1])
	for i := range drawn.X[1:] {
		assert.LessOrEqual(t, drawn.X[i+1]-drawn.X[i], 2e-3*(all.X[n-1]-all.X[0]))
	}
	r.Points = r.Points[:dense]
	assert.Equal(t, CurveOf(recs, "error", "step", ""), DrawnCurve(recs, "error", "step", ""))
}

func TestCurveOfCountsDivergedSeedsAsInfinite(t *testing.T) {
	recs := []*records.Record{
		recordstest.Record("a", 1, 8, 4, 2), recordstest.Record("a", 2, 8, 4, 2),
		recordstest.Ended(recordstest.Record("a", 3, 8, 9, math.NaN()), records.Diverged),
		recordstest.Ended(recordstest.Record("a", 4, 8, 20), records.Diverged), // stopped before it was evaluated again
	}
	c := CurveOf(recs, "error", "step", "")
	assert.Equal(t, []float64{8, 6.5, inf}, c.Median)
	assert.Equal(t, []float64{8, 4, 2}, c.Low)
	assert.Equal(t, []float64{8, 11.75, inf}, c.High)
	assert.Equal(t, []int{4, 4, 2}, c.N)
	assert.Equal(t, []Break{{4, 2, 2}, {3, 4, 4}}, c.Diverged)
	assert.ErrorContains(t, errors.Join(c.Warnings...), "2 of 4 seeds diverged")
}

func TestCurveOfPartialAndFailedSeeds(t *testing.T) {
	recs := []*records.Record{
		recordstest.Record("a", 1, 8, 4), recordstest.Ended(recordstest.Record("a", 2, 8), records.Partial),
		recordstest.Ended(recordstest.Record("a", 3), records.Failed), recordstest.Ended(recordstest.Record("a", 4, 8, 3), records.Timeout),
	}
	c := CurveOf(recs, "error", "step", "")
	assert.Equal(t, 3, c.Seeds)
	assert.Equal(t, 1, c.Partial)
	assert.Equal(t, []int{3, 2}, c.N)
	text := errors.Join(c.Warnings...).Error()
	assert.Contains(t, text, "seed 3 failed: because")
	assert.Contains(t, text, "seed 4 timeout: because")
	assert.Contains(t, text, "1 of 4 seeds partial")
}

func TestCurveOfNothing(t *testing.T) {
	c := CurveOf(nil, "error", "step", "")
	assert.Empty(t, c.X)
	assert.Equal(t, "no seeds", c.Band)
	assert.Empty(t, CurveOf(recordstest.Flat("a", 1), "other", "step", "").X)
	assert.Empty(t, CurveOf(recordstest.Flat("a", 1), "error", "hours", "").X)
}

// The band of a curve is of one kind all along it, that of its number of seeds, though some end before the others.
func TestTheBandOfACurveWhoseSeedsEnd(t *testing.T) {
	var recs []*records.Record
	for seed, ys := range [][]float64{{1, 1}, {2, 2}, {5, 9}, {4}, {3}} {
		recs = append(recs, recordstest.Record("a", uint64(seed+1), ys...))
	}
	c := CurveOf(recs, "error", "step", "")
	assert.Equal(t, []int{5, 3}, c.N)
	assert.Equal(t, "quartiles of 5 seeds", c.Band)
	assert.Equal(t, []float64{2, 1.5}, c.Low)
	assert.Equal(t, []float64{4, 5.5}, c.High)
}
