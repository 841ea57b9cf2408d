package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFMAByParts compares with math.FMA at random numbers, near ties and cancellations, and at the ends of the range.
func TestFMAByParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := func(n int) float64 { // a number of few bits
		return math.Ldexp(float64(1+r.IntN(1<<n)), r.IntN(40)-20) * float64(1-2*r.IntN(2))
	}
	number := func() float64 {
		switch r.IntN(4) {
		case 0:
			return math.Ldexp(r.NormFloat64(), r.IntN(120)-60)
		case 1:
			return few(3)
		case 2:
			return math.Float64frombits(math.Float64bits(few(4)) + uint64(r.IntN(5)) - 2)
		}
		return math.Float64frombits(r.Uint64())
	}
	check := func(a, b, c float64) {
		want, got := math.FMA(a, b, c), fmaByParts(a, b, c)
		require.True(t, math.Float64bits(want) == math.Float64bits(got) || want != want && got != got, "%x · %x + %x is %x, not %x", a, b, c, want, got)
	}
	for range 300_000 {
		a, b, c := number(), number(), number()
		check(a, b, c)
		check(a, b, -float64(a*b))
		check(a, b, math.Nextafter(-float64(a*b), c))
		check(a, b, float64(a*b)*0x1p53)
		check(a, b, float64(a*b)*0x1p-54)
	}
}
