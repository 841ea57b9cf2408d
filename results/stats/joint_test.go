package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The median of k normal values spreads as the mean of MedianRuns(k) of them.
func TestMedianRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials = 40_000
	for _, k := range []int{1, 2, 3, 4, 5, 8, 9, 10, 20} {
		var medians []float64
		for range trials {
			medians = append(medians, Median(values(r, k, (*rand.Rand).NormFloat64)))
		}
		_, sd := meanStdDev(medians)
		// The formula is right to 2.5 %, and four standard errors of the variance, √(2/trials), are 2.8 %.
		assert.InEpsilon(t, 1/(sd*sd), MedianRuns(k), 0.053, "%d runs", k)
	}
}

// bandOf returns the band of four curves with these geometric means at three places.
func bandOf(means ...float64) JointBand {
	var curves [][]float64
	for _, f := range []float64{0.9, 0.95, 1.05, 1 / (0.9 * 0.95 * 1.05)} {
		row := make([]float64, len(means))
		for j, m := range means {
			row[j] = m * f
		}
		curves = append(curves, row)
	}
	return NewJointBand(curves, false, Level)
}

// The farthest place is that whose mean lies most half bands beyond its margin, on the side of 0.
func TestFarthest(t *testing.T) {
	b := bandOf(1.5, 0.5, 1)
	for place, k := range map[int]float64{1: math.Inf(1), 0: 1} {
		margins := []float64{0, 0, 0}
		if place == 0 {
			margins[1] = 0.5
		}
		at, distance := b.Farthest(margins, k)
		below, above := b.Around(at, k)
		half := map[int]float64{0: below, 1: above}[at]
		assert.Equal(t, place, at)
		assert.InDelta(t, math.Abs(b.Mean[at])/half, distance, 1e-12)
	}
	_, near := b.Farthest([]float64{1, 1, 1}, 1)
	assert.Zero(t, near, "all lie within their margins")
}

// What would have been seen at a place lies beyond its margin by as many half bands as the power of the test asks for.
func TestVisibleBesideABand(t *testing.T) {
	b := bandOf(1, 2)
	for _, k := range []float64{1, 10, math.Inf(1)} {
		below, above := b.Around(0, k)
		plain, far := b.Visible(0, k, 0), b.Visible(0, k, 0.3)
		assert.InDelta(t, 0.3, far-plain, 1e-12)
		assert.Greater(t, plain, min(below, above), "with probability Power, not a half")
		assert.Less(t, plain, 2.5*min(below, above))
	}
	assert.Greater(t, b.Visible(0, 1, 0), b.Visible(0, 10, 0))
}

// Points are those within a window, whose open ends are a quarter of the curve from its beginning, and its end.
func TestPointsIn(t *testing.T) {
	xs := []float64{1, 2, 4, 8, 16}
	n, in := PowerLaw.PointsIn([2]float64{}, xs)
	assert.Equal(t, 4, n)
	assert.InDelta(t, 2, in[0], 1e-12)
	assert.Equal(t, 16.0, in[1])
	n, in = PowerLaw.PointsIn([2]float64{4, 8}, xs)
	assert.Equal(t, 2, n)
	assert.Equal(t, [2]float64{4, 8}, in)
}
