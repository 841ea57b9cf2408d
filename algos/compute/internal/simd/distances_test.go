package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// All instruction sets give the bits of the sums written out, and leave what is beside c alone.
func TestSquaredDistances(t *testing.T) {
	onEach(t, func(t *testing.T) {
		for _, k := range append(upTo(20), 95, 300) {
			r := rand.New(rand.NewPCG(uint64(k), 6))
			a, b, c := random[float64](r, k), random[float64](r, k*Width), filled[float64](Width+3)
			SquaredDistances(c[:Width], a, b, k)
			for j := range Width {
				var s [4]float64
				for l := range k {
					d := a[l] - b[l*Width+j]
					i := l % 4
					if l >= k/4*4 {
						i = 0
					}
					s[i] += float64(d * d)
				}
				require.Equal(t, (s[0]+s[1])+(s[2]+s[3]), c[j], "%d terms, column %d", k, j)
			}
			require.Equal(t, []float64{stale, stale, stale}, c[Width:])
		}
	})
}
