package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
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

// What a look spends of the error of 5 % follows from its seeds: nine tenths at the planned one, and at a later one what was known of the
// number then as a share of what is known now. Of a number of one run, little more can be known.
func TestLookLevel(t *testing.T) {
	exact, run := math.Inf(1), 1.0
	for _, c := range []struct {
		n, planned int
		k, spent   float64
	}{
		{10, 10, exact, 0.9}, {10, 10, run, 0.9}, {10, 0, exact, 0.9},
		{9, 10, exact, 0.001}, {2, 10, run, 0.001},
		{6, 5, exact, 0.04 * 5 / 6}, {20, 10, exact, 0.04 / 2}, {40, 10, exact, 0.04 / 4},
		{20, 10, run, 0.04 * 1.05 / 1.1}, {20, 10, 10, 0.04 * 0.15 / 0.2},
	} {
		assert.InDelta(t, c.spent*0.05, 1-LookLevel(c.n, c.planned, c.k), 1e-12, "%+v", c)
	}
}

// The ends are those of Zou, Taleban and Huo: from the intervals of μ and of σ², each at the confidence of the estimate.
func TestAverages(t *testing.T) {
	// By hand: t = 4.302653 and χ² = 0.0506356 with two degrees of freedom.
	low, high := Summary(2, 0.1, 3, true).Averages()
	reach := 0.005 + math.Hypot(4.302653*0.1/math.Sqrt(3), 0.005*(2/0.0506356-1))
	assert.InDelta(t, 2*math.Exp(reach), high, 1e-5)
	assert.InDelta(t, 2*math.Exp(-reach), low, 1e-5)
	most := 0.005 * 2 / 0.0100250836 // at 99 %, with t = 9.924843
	_, high = Summary(2, 0.1, 3, true).At(0.99).Averages()
	assert.InDelta(t, 2*math.Exp(0.005+math.Hypot(9.924843*0.1/math.Sqrt(3), most-0.005)), high, 1e-5)
}
