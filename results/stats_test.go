package results

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

func TestQuantile(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name   string
		values []float64
		q      float64
		want   float64
	}{
		{"one value", []float64{3}, 0.25, 3},
		{"median of two", []float64{4, 2}, 0.5, 3},
		{"type 7", []float64{1, 2, 3, 4}, 0.25, 1.75},
		{"maximum", []float64{1, 5, 3}, 1, 5},
		{"a minority diverged", []float64{1, 2, 3, inf}, 0.5, 2.5},
		{"the upper quartile touches it", []float64{1, 2, 3, inf}, 0.75, inf},
		{"half diverged", []float64{1, 2, inf, inf}, 0.5, inf},
		{"exactly on a finite one", []float64{1, 2, inf}, 0.5, 2},
		{"all diverged", []float64{inf, inf}, 0.3, inf},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, Quantile(test.values, test.q))
		})
	}
}

func TestBandSaysWhatItIs(t *testing.T) {
	low, high := Band([]float64{3, 1, 2})
	assert.Equal(t, [2]float64{1, 3}, [2]float64{low, high})
	low, high = Band([]float64{1, 2, 3, 4, 5})
	assert.Equal(t, [2]float64{2, 4}, [2]float64{low, high})
	assert.Equal(t, "one seed", BandName(1))
	assert.Equal(t, "range of 3 seeds", BandName(3))
	assert.Equal(t, "quartiles of 10 seeds", BandName(10))
}

func TestLogSlopeDoesNotFollowTheSampling(t *testing.T) {
	// A curve that bends from slope 0 to slope -1, sampled evenly in x and evenly in log x: the
	// slopes agree, though most points of the first sampling lie where it is steep.
	f := func(x float64) float64 { return 1 / (1 + x/30) }
	var evenX, evenLog, y1, y2 []float64
	for i := 1; i <= 1000; i++ {
		x := float64(i)
		evenX, y1 = append(evenX, x), append(y1, f(x))
		x = math.Pow(1000, float64(i-1)/999)
		evenLog, y2 = append(evenLog, x), append(y2, f(x))
	}
	// The first points of the even sampling are far apart in log x, which the trapezoid rule sees
	// to about a per cent.
	assert.InDelta(t, LogSlope(evenLog, y2), LogSlope(evenX, y1), 0.01)
}

func TestNextIntervalAgreesWithTheTextbook(t *testing.T) {
	// t = 4.302653 with 2 degrees of freedom; the mean is 2, the standard deviation 1.
	low, high := NextInterval([]float64{1, 2, 3}, 0.95)
	assert.InDelta(t, 2-4.302653*math.Sqrt(4.0/3), low, 1e-5)
	assert.InDelta(t, 2+4.302653*math.Sqrt(4.0/3), high, 1e-5)
}
