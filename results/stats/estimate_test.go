package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMeanIntervalAgreesWithTheTextbook(t *testing.T) {
	// t quantiles at 0.975 as printed in tables, three decimals.
	for n, quantile := range map[int]float64{2: 12.706, 3: 4.303, 5: 2.776, 10: 2.262, 31: 2.042} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		e := MeanInterval(values, 0.95)
		mean := float64(n-1) / 2
		sd := math.Sqrt(float64(n*(n+1)) / 12) // of 0, 1, ..., n-1
		assert.InDelta(t, mean, e.Mean, 1e-12)
		// Half a unit of the table's last digit.
		assert.InDelta(t, quantile, (e.High-mean)/sd*math.Sqrt(float64(n)), 0.0005, "n = %d", n)
		assert.InDelta(t, mean-e.Low, e.High-mean, 1e-12)
		assert.True(t, e.Bounded())
	}
}

func TestMeanIntervalOfOneValueHasNone(t *testing.T) {
	e := MeanInterval([]float64{3}, 0.95)
	assert.Equal(t, 3.0, e.Mean)
	assert.True(t, math.IsNaN(e.Low) && math.IsNaN(e.High))
	assert.False(t, e.Bounded())
}

func TestMeanIntervalCoversTheMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	covered := 0
	for range trials {
		values := make([]float64, 5)
		for i := range values {
			values[i] = 7 + 3*rng.NormFloat64()
		}
		if e := MeanInterval(values, 0.95); e.Low <= 7 && 7 <= e.High {
			covered++
		}
	}
	// Four standard deviations of a binomial share: a right interval fails for 6 seeds in 100,000.
	tol := 4 * math.Sqrt(0.95*0.05/trials)
	assert.InDelta(t, 0.95, float64(covered)/trials, tol)
}

func TestNextIntervalAgreesWithTheTextbook(t *testing.T) {
	// t = 4.302653 with 2 degrees of freedom; the mean is 2, the standard deviation 1.
	low, high := NextInterval([]float64{1, 2, 3}, 0.95)
	assert.InDelta(t, 2-4.302653*math.Sqrt(4.0/3), low, 1e-5)
	assert.InDelta(t, 2+4.302653*math.Sqrt(4.0/3), high, 1e-5)
}
