package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHolm(t *testing.T) {
	// The example of Holm 1979, §3, by hand: 4·0.01, 3·0.013, 2·0.03, 0.04, each at least the one before.
	got := Holm([]float64{0.03, 0.01, 0.04, 0.013})
	assert.InDeltaSlice(t, []float64{0.06, 0.04, 0.06, 0.04}, got, 1e-15)
	assert.Equal(t, []float64{1, 1}, Holm([]float64{0.7, 0.6}))
	assert.Empty(t, Holm(nil))
}

// At the edge of the margin the test rejects in alpha of the cases, and beyond it by Detectable in Power of them: 20,000
// simulations, whose standard error is 0.0015 at 0.05 and 0.003 at 0.8; four of them are allowed.
func TestBeyondAndDetectable(t *testing.T) {
	const n, margin, alpha, runs = 10, 0.5, 0.05, 20_000
	r := rand.New(rand.NewPCG(1, 2))
	share := func(mean float64) float64 {
		rejected := 0
		values := make([]float64, n)
		for range runs {
			for i := range values {
				values[i] = mean + r.NormFloat64()
			}
			if Beyond(MeanInterval(values), margin) <= alpha {
				rejected++
			}
		}
		return float64(rejected) / runs
	}
	assert.InDelta(t, alpha, share(margin), 0.0062, "at the edge, one side; the other is 1 away")
	assert.Less(t, share(0), 0.01, "nothing moved")
	assert.InDelta(t, Power, share(margin+Detectable(n, alpha)), 0.012)
	assert.InDelta(t, Power, share(-margin-Detectable(n, alpha)), 0.012)
	// P(T > 1) with two degrees of freedom is (1 − 1/√3)/2: three values with a mean of 2 and a standard deviation of √3.
	three := MeanInterval([]float64{2 - math.Sqrt(3), 2, 2 + math.Sqrt(3)})
	assert.InDelta(t, (1-1/math.Sqrt(3))/2, Beyond(three, 1), 1e-12)
	assert.Equal(t, 0.0, Beyond(MeanInterval([]float64{2, 2}), 1), "no spread, beyond")
	assert.Equal(t, 1.0, Beyond(MeanInterval([]float64{1, 1}), 1), "no spread, at the edge")
}
