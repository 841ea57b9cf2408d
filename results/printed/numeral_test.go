package printed

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNumeral(t *testing.T) {
	for written, want := range map[string]float64{
		"1000": 1000, "1,000": 1000, "36,864": 36864, "0.5": 0.5, "1e3": 1000, "10^3": 1000, "10^{-3}": 1e-3, "2^20": 1 << 20, "10³": 1000,
		"10⁻³": 1e-3, "5·10^3": 5000, "2.5 × 10^6": 2.5e6, "ten": 10, "Ten thousand": 10000, "7 million": 7e6, "a million": 1e6,
	} {
		v, ok := Numeral(written)
		assert.True(t, ok, written)
		assert.InEpsilon(t, want, v, 1e-12, written) // powers round
	}
	for _, other := range []string{"", "n", "a", "1,00", "features", "1000 rows", "step.gamma0"} {
		_, ok := Numeral(other)
		assert.False(t, ok, other)
	}
}
