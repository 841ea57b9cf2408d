package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSquaredDistances(t *testing.T) {
	for _, n := range []int{0, 1, 2, 47, 48, 49, 50, 97, 130} {
		for _, d := range []int{0, 1, 3, 8} {
			x := NewMatrix(n, d+2).ColRange(1, d+1)
			s := NewStream(uint64(n), "test", uint64(d))
			for i := range n {
				for j := range d {
					x.Set(i, j, s.Normal())
				}
			}
			var got []float64
			SquaredDistances(x, func(squares []float64) { got = append(got, squares...) })
			require.Len(t, got, n*max(n-1, 0)/2)
			for first := 0; first < n; first += width {
				for i := first + 1; i < n; i++ {
					for j := first; j < min(first+width, i); j++ {
						want := 0.0
						for l := range d {
							want += (x.At(i, l) - x.At(j, l)) * (x.At(i, l) - x.At(j, l))
						}
						// eight squares summed in another order
						assert.InDelta(t, want, got[0], 1e-14*(1+want), "rows %d and %d of %d, %d inputs", i, j, n, d)
						got = got[1:]
					}
				}
			}
		}
	}
}
