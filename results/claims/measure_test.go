package claims

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A difference of two shares lies between minus a whole and a whole, in the unit of the claim; that of other numbers has no limits.
func TestLimitsOfDifferences(t *testing.T) {
	a, b := []float64{0.9, 0.5, 0.99}, []float64{0.1, 0.2, 0.01}
	for _, c := range []struct {
		claim Claim
		scale float64
		want  [2]float64
	}{
		{Claim{shareOf: "test"}, 1, [2]float64{-1, 1}},
		{Claim{shareOf: "test", Unit: Percent}, 100, [2]float64{-100, 100}},
		{Claim{}, 1, [2]float64{}},
	} {
		scaled := func(all []float64) (of []float64) {
			for _, v := range all {
				of = append(of, c.scale*v)
			}
			return of
		}
		m := differenceOf(c.claim, "b", scaled(a), scaled(b))
		assert.Equal(t, c.want, m.Limits)
		assert.InDelta(t, c.scale*0.69333333, m.Mean, c.scale*1e-6)
		if c.want != [2]float64{} {
			assert.Equal(t, c.want[1], m.High, "the interval ends there")
			assert.Less(t, m.Low, m.Mean)
		}
	}
}
