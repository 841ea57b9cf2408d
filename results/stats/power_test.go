package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
)

// TestVisibleIsSeen simulates printed means of k normal runs whose expectation differs by the visible difference.
func TestVisibleIsSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const trials = 4000
	draw := func(n int, mean float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = mean + r.NormFloat64()
		}
		return v
	}
	for _, test := range []struct{ n, k int }{{3, 1}, {10, 1}, {5, 10}} {
		delta, seen := visible(test.n, float64(test.k), Level), 0
		for range trials {
			low, high := MeanInterval(draw(test.n, 0)).Next(float64(test.k))
			if m := stat.Mean(draw(test.k, delta), nil); m < low || m > high {
				seen++
			}
		}
		// Four standard deviations of a binomial share.
		assert.InDelta(t, Power, float64(seen)/trials, 4*math.Sqrt(Power*(1-Power)/trials), "%d seeds against %d runs", test.n, test.k)
	}
}

// The power of pages and reasons is four times out of five. With many seeds against a known number, the difference is that of the normal
// test: 1.959964 + 0.841621 standard errors.
func TestPowerIsFourTimesOutOfFive(t *testing.T) {
	assert.InDelta(t, (1.959964+0.841621)/math.Sqrt(10_000), visible(10_000, math.Inf(1), Level), 1e-5)
	for _, n := range []int{2, 5, 40} {
		assert.InDelta(t, 1-Level, newTTest(n, quantile(n, Level)).rejection(0), 1e-4, "a true null hypothesis, by both sides")
	}
}
