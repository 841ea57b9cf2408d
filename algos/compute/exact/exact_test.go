package exact

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The functions agree with package math to a few units in the last place of quantities that are at most 1; the argument
// 0.5πr of math.Cos is itself rounded, which costs r/2 such units.
func TestAgainstMath(t *testing.T) {
	for i := range 20000 {
		r := float64(i) * 0.0005
		require.InDelta(t, math.Cos(0.5*math.Pi*r), CosQuarters(r), 3e-15, "r = %v", r)
		require.InDelta(t, math.Exp(-r), ExpNegative(r), 4.5e-16, "r = %v", r)
	}
	assert.Equal(t, 0.0, CosQuarters(1001))
	assert.Equal(t, -1.0, CosQuarters(2))
	assert.Equal(t, 0.0, ExpNegative(1e9))
}

// The bound is the one stated at Power.
func TestPowerAgainstMath(t *testing.T) {
	for _, a := range []float64{0, 0.5, 1, 10. / 9, 2, 5, 20} {
		for _, x := range []float64{1, 1.3, math.Sqrt2, 1.5, 2, 3, 7, 100, 1023, 1024, 1e6} {
			bound := 0x1p-51 * (1 + a*math.Log(x))
			assert.InEpsilon(t, math.Pow(x, -a), Power(x, a), bound, "%v^-%v", x, a)
		}
	}
	assert.Equal(t, 1.0, Power(1, 3))
}
