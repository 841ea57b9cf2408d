package stats

import (
	"math"
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
		e := MeanInterval(values)
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
	e := MeanInterval([]float64{3})
	assert.Equal(t, 3.0, e.Mean)
	assert.True(t, math.IsNaN(e.Low) && math.IsNaN(e.High))
	assert.False(t, e.Bounded())
}

func TestNextAgreesWithTheTextbook(t *testing.T) {
	// t = 4.302653 with 2 degrees of freedom; the mean is 2, the standard deviation 1.
	e := MeanInterval([]float64{1, 2, 3})
	for k, share := range map[float64]float64{1: 4.0 / 3, 5: 1.0/3 + 1.0/5, math.Inf(1): 1.0 / 3} {
		low, high := e.Next(k)
		assert.InDelta(t, 2-4.302653*math.Sqrt(share), low, 1e-5)
		assert.InDelta(t, 2+4.302653*math.Sqrt(share), high, 1e-5)
	}
}

func TestGeometricIntervalIsThatOfLogarithms(t *testing.T) {
	e, logs := GeometricInterval([]float64{math.E, math.Exp(2), math.Exp(3)}), MeanInterval([]float64{1, 2, 3})
	low, high := e.Next(1)
	logLow, logHigh := logs.Next(1)
	assert.InDeltaSlice(t, []float64{math.Exp(2), math.Exp(logs.Low), math.Exp(logs.High), 1, math.Exp(logLow), math.Exp(logHigh)},
		[]float64{e.Mean, e.Low, e.High, e.SD, low, high}, 1e-9)
}

func TestSummaryRestoresAnEstimate(t *testing.T) {
	for _, e := range []Estimate{MeanInterval([]float64{1, 2, 4}), GeometricInterval([]float64{1, 2, 4})} {
		again := Summary(e.Mean, e.SD, e.N, e.Log)
		assert.InDeltaSlice(t, []float64{e.Low, e.High}, []float64{again.Low, again.High}, 1e-12)
	}
	assert.False(t, Summary(1, math.NaN(), 3, true).Bounded())
}

// The error of rounding to multiples of 0.3 is uniform on 0.3, with the variance 0.3²/12; of a geometric mean of 2 it is that of a
// logarithm, half as wide.
func TestRoundingAddsItsVariance(t *testing.T) {
	assert.InDelta(t, math.Sqrt(1+0.0075), MeanInterval([]float64{1, 2, 3}).Rounded(0.3).SD, 1e-12)
	equal := MeanInterval([]float64{2, 2, 2}).Rounded(0.3)
	assert.InDelta(t, math.Sqrt(0.0075), equal.SD, 1e-12)
	assert.InDelta(t, 2+4.302653*math.Sqrt(0.0075/3), equal.High, 1e-6)
	assert.InDelta(t, math.Sqrt(0.0075)/2, GeometricInterval([]float64{2, 2, 2}).Rounded(0.3).SD, 1e-12)
}

// A known standard error has the quantiles of the normal distribution, 1.959964, however few the values are.
func TestAKnownErrorIsNormal(t *testing.T) {
	for _, n := range []int{2, 5, 40} {
		e := MeanInterval(make([]float64, n)).WithError(0.5)
		assert.InDeltaSlice(t, []float64{-1.959964 / 2, 1.959964 / 2}, []float64{e.Low, e.High}, 1e-6)
		log := GeometricInterval([]float64{3, 3}).WithError(0.5)
		assert.InDelta(t, 3*math.Exp(1.959964/2), log.High, 1e-5)
		assert.Equal(t, 1.5, MeanInterval(make([]float64, n)).WithLimits(-1, 1.5).WithError(5).High)
	}
}

// At another confidence the interval is that of its quantile, and what would have been seen grows with it.
func TestAnotherConfidence(t *testing.T) {
	for _, e := range []Estimate{MeanInterval([]float64{1, 2, 4, 7}), GeometricInterval([]float64{1, 2, 4, 7})} {
		low, high := e.At(0.5).Next(math.Inf(1))
		half := 0.7648923284 * e.SD / 2 // the quantile of t with 3 degrees of freedom that a quarter exceeds
		wantLow, wantHigh := e.Mean-half, e.Mean+half
		if e.Log {
			wantLow, wantHigh = e.Mean*math.Exp(-half), e.Mean*math.Exp(half)
		}
		assert.InDelta(t, wantLow, low, 1e-9)
		assert.InDelta(t, wantHigh, high, 1e-9)
		assert.InDelta(t, visible(4, 1, Level)*e.SD, e.Visible(1), 1e-12)
		assert.Greater(t, e.At(0.99).Visible(1), e.Visible(1))
		assert.Equal(t, e.Mean, e.At(0.99).Mean)
	}
}

// No mean lies beyond its limits, whatever its interval, its confidence and its seeds are.
func TestLimits(t *testing.T) {
	e := MeanInterval([]float64{0.1, 0.4, 0.9}).WithLimits(0, 1)
	assert.Equal(t, [2]float64{0, 1}, [2]float64{e.Low, e.High})
	for _, of := range []Estimate{e.At(0.999), e.OfSeeds(2), e.Rounded(0.1)} {
		assert.Equal(t, [2]float64{0, 1}, [2]float64{of.Low, of.High})
	}
	wide := MeanInterval([]float64{10, 40, 90})
	cut := wide.WithLimits(-100, 100)
	assert.Equal(t, wide.Low, cut.Low, "inside of them it stays")
	assert.Equal(t, 100.0, cut.High)
	beyond := MeanInterval([]float64{-3, -3.1, -2.9}).WithLimits(0, 1)
	assert.Equal(t, [2]float64{}, [2]float64{beyond.Low, beyond.High})
	one := MeanInterval([]float64{3}).WithLimits(0, 1)
	assert.False(t, one.Bounded())
}
