package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Of lognormal values, each end is beyond its mean in 97.5 % of samples, whatever their spread: the interval of Zou, Taleban and Huo
// is within a point of that in their Table 1, and four standard errors of 4,000 samples are another.
func TestAverages(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	const trials = 4000
	for _, n := range []int{3, 5, 10, 20, 40} {
		for _, sd := range []float64{0.1, 0.6, 1.5, 3} {
			below, above := 0, 0
			for range trials {
				values := make([]float64, n)
				for i := range values {
					values[i] = math.Exp(sd * r.NormFloat64())
				}
				low, high := GeometricInterval(values).Averages()
				if low > math.Exp(-sd*sd/2) {
					below++
				}
				if high < math.Exp(sd*sd/2) {
					above++
				}
			}
			for _, missed := range []int{below, above} {
				assert.InDelta(t, 0.025, float64(missed)/trials, 0.02, "%d values of spread %g", n, sd)
				assert.LessOrEqual(t, float64(missed)/trials, 0.035)
			}
		}
	}

	// By hand: t = 4.302653 and χ² = 0.0506356 with two degrees of freedom.
	low, high := Summary(2, 0.1, 3, true).Averages()
	reach := 0.005 + math.Hypot(4.302653*0.1/math.Sqrt(3), 0.005*(2/0.0506356-1))
	assert.InDelta(t, 2*math.Exp(reach), high, 1e-5)
	assert.InDelta(t, 2*math.Exp(-reach), low, 1e-5)
	most := 0.005 * 2 / 0.0100250836 // at 99 %, with t = 9.924843
	_, high = Summary(2, 0.1, 3, true).At(0.99).Averages()
	assert.InDelta(t, 2*math.Exp(0.005+math.Hypot(9.924843*0.1/math.Sqrt(3), most-0.005)), high, 1e-5)
}
