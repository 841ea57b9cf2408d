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

// A direct solver reaches its target when its only step ends, not before; a method that was stopped after one step might have.
func TestReachInOneStep(t *testing.T) {
	for status, first := range map[records.Status]bool{records.Done: false, records.Budget: true} {
		r := recordstest.Record("a", 7, 1)
		r.End.Status = status
		got, err := Reach(r, "error", "seconds", 2, false)
		require.NoError(t, err)
		assert.Equal(t, Crossing{Seed: 7, X: 1.25, Reached: true, First: first}, got, status)
		several := recordstest.Record("a", 7, 1, 1, 1)
		several.End.Status = status
		got, err = Reach(several, "error", "step", 2, false)
		require.NoError(t, err)
		assert.True(t, got.First, "only one step at all is the place itself")
	}
}

// What is known of the place where a curve reaches a target, with evaluations at steps 1, 2, 4 and 8.
func TestReach(t *testing.T) {
	never := math.Inf(1)
	for _, c := range []struct {
		name   string
		values []float64
		target float64
		larger bool
		want   Crossing
		known  [2]float64
	}{
		{"from above, halfway in logarithms", []float64{16, 4, 1, 1}, 2, false, Crossing{X: 2 * math.Sqrt2, Reached: true}, [2]float64{2 * math.Sqrt2, 2 * math.Sqrt2}},
		{"from above, at an evaluation", []float64{16, 4, 1, 1}, 4, false, Crossing{X: 2, Reached: true}, [2]float64{2, 2}},
		{"at the first evaluation", []float64{16, 4, 1, 1}, 16, false, Crossing{X: 1, Reached: true, First: true}, [2]float64{0, 1}},
		{"never", []float64{16, 4, 2, 2}, 1, false, Crossing{X: 8}, [2]float64{8, never}},
		{"and lost again", []float64{16, 1, 16, 16}, 1, false, Crossing{X: 2, Touched: 2}, [2]float64{2, never}},
		{"noise before it stays", []float64{16, 4, 16, 4, 4, 4}, 8, false, Crossing{X: 4 * math.Sqrt2, Reached: true, Touched: math.Sqrt2}, [2]float64{4 * math.Sqrt2, 4 * math.Sqrt2}},
		{"noise after it stays", []float64{16, 16, 4, 4, 4, 16, 4}, 8, false, Crossing{X: 2 * math.Sqrt2, Reached: true}, [2]float64{2 * math.Sqrt2, 2 * math.Sqrt2}},
		{"it stays for most of the rest", []float64{16, 4, 4, 4, 4, 16, 16}, 8, false, Crossing{X: math.Sqrt2, Reached: true}, [2]float64{math.Sqrt2, math.Sqrt2}},
		{"from the first evaluation on, with noise", []float64{4, 4, 16, 4}, 8, false, Crossing{X: 1, Reached: true, First: true}, [2]float64{0, 1}},
		{"at the first evaluation only", []float64{4, 16, 16, 16}, 8, false, Crossing{X: 1, Touched: 1}, [2]float64{1, never}},
		{"infinite after it was met", []float64{16, 4, 4, math.NaN(), 4}, 8, false, Crossing{X: math.Sqrt2, Reached: true}, [2]float64{math.Sqrt2, math.Sqrt2}},
		{"from below", []float64{1, 4, 16, 16}, 8, true, Crossing{X: 2 * math.Sqrt2, Reached: true}, [2]float64{2 * math.Sqrt2, 2 * math.Sqrt2}},
		{"from below, a small value is none", []float64{1, 1, 1, 1}, 8, true, Crossing{X: 8}, [2]float64{8, never}},
		{"from above, a large value is none", []float64{9, 9, 9, 9}, 8, false, Crossing{X: 8}, [2]float64{8, never}},
		{"values without a logarithm", []float64{3, 1, -1, -1}, 0, false, Crossing{X: 2 * math.Sqrt2, Reached: true}, [2]float64{2 * math.Sqrt2, 2 * math.Sqrt2}},
	} {
		got, err := Reach(recordstest.Record("a", 7, c.values...), "error", "step", c.target, c.larger)
		require.NoError(t, err, c.name)
		c.want.Seed = got.Seed
		assert.InDelta(t, c.want.X, got.X, 1e-12, c.name)
		c.want.X = got.X
		assert.Equal(t, c.want, got, c.name)
		assert.InDelta(t, c.known[0], got.Range()[0], 1e-12, c.name)
		if math.IsInf(c.known[1], 1) {
			assert.Equal(t, never, got.Range()[1], c.name)
		} else {
			assert.InDelta(t, c.known[1], got.Range()[1], 1e-12, c.name)
		}
		if got.Reached {
			assert.EqualValues(t, 7, got.Seed, c.name)
		}
	}
}
