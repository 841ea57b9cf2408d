package compute

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRowFunctionsMatchGeneric checks affine, distances and dot: AVX2 against portable code bit by
// bit, both against a plain sum, for every tail length, zeros and values that are not finite.
func TestRowFunctionsMatchGeneric(t *testing.T) {
	for n := range 71 {
		for _, d := range []int{0, 1, 2, 3, 17} {
			w, phase, x := NewMatrix(d, n+3), make([]float64, n), make([]float64, d)
			w = w.ColRange(1, 1+n) // strided
			s := NewStream(uint64(n), "rows", uint64(d))
			for l := range d {
				x[l] = s.Normal()
				for j := range n {
					w.Set(l, j, s.Normal())
				}
			}
			for j := range phase {
				phase[j] = s.Normal()
			}
			if d > 1 {
				x[1] = 0
			}
			if d > 2 {
				x[2] = math.Copysign(0, -1)
			}
			check := func(name string, f func(z []float64), want func(j int) float64) {
				fast, slow := make([]float64, n), make([]float64, n)
				withISA("generic", func() { f(slow) })
				if haveAVX2 {
					withISA("avx2", func() { f(fast) })
					require.Equal(t, slow, fast, "%s n=%d d=%d", name, n, d)
				}
				for j := range slow {
					// 20 terms of size about 1: a few units in the last place.
					require.InDelta(t, want(j), slow[j], 1e-13, "%s n=%d d=%d j=%d", name, n, d, j)
				}
			}
			check("affine", func(z []float64) { affine(z, phase, w, x) }, func(j int) float64 {
				sum := phase[j]
				for l, v := range x {
					sum += v * w.At(l, j)
				}
				return sum
			})
			check("distances", func(z []float64) { distances(z, w, x) }, func(j int) (sum float64) {
				for l, v := range x {
					sum += (v - w.At(l, j)) * (v - w.At(l, j))
				}
				return sum
			})
		}
		a, b := make([]float64, n), make([]float64, n)
		s, want := NewStream(uint64(n), "dot", 0), 0.0
		for i := range a {
			a[i], b[i] = s.Normal(), s.Normal()
			want += a[i] * b[i]
		}
		var slow float64
		withISA("generic", func() { slow = dot(a, b) })
		require.InDelta(t, want, slow, 1e-13) // 70 terms of size about 1
		if haveAVX2 {
			withISA("avx2", func() { require.Equal(t, slow, dot(a, b), "dot n=%d", n) })
		}
	}
}

func TestAffineDoesNotSkipNaN(t *testing.T) {
	w := NewMatrix(1, 4)
	for _, isa := range []string{"generic", "avx2"} {
		if isa == "avx2" && !haveAVX2 {
			continue
		}
		z := make([]float64, 4)
		withISA(isa, func() { affine(z, []float64{1, 2, 3, 4}, w, []float64{math.NaN()}) })
		require.True(t, math.IsNaN(z[0]) && math.IsNaN(z[3]), isa)
	}
}
