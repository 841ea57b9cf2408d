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

// The band for a curve of medians holds it at all places together as often as it says, though medians are rougher than runs.
func TestMedianBand(t *testing.T) {
	const trials = 500
	for _, c := range powerNoise {
		for _, n := range []int{3, 10} {
			const k = 10
			r, held := rand.New(rand.NewPCG(3, uint64(n*k))), 0
			for range trials {
				if medianHeld(r, c, n, k) {
					held++
				}
			}
			// three standard errors below 94 %, which bands of curves say
			assert.Greater(t, float64(held)/trials, 0.94-3*math.Sqrt(0.94*0.06/trials), "%s: the median of %d, from %d seeds", c.name, k, n)
		}
	}
}

// medianHeld draws n + k curves and reports whether the band of the first holds the median of the others.
func medianHeld(r *rand.Rand, c curveNoise, n, k int) bool {
	ys := c.curves(r, n+k)
	b := NewJointBand(ys[:n], false, Level)
	for j := range curveX {
		var further []float64
		for _, y := range ys[n:] {
			further = append(further, y[j])
		}
		below, above := b.Around(j, MedianRuns(k))
		if m := math.Log(Median(further)); m < b.Mean[j]-below || m > b.Mean[j]+above {
			return false
		}
	}
	return true
}
