package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
