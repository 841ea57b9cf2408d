package compute

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/blas/blas64"
)

// Other platforms have the bits of amd64.
func TestDotHasOneOrder(t *testing.T) {
	s := NewStream(1, "dot", 0)
	for n := range 70 {
		for range 20 {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				a[i], b[i] = s.Normal()*math.Exp(5*s.Normal()), s.Normal()
			}
			assert.Equal(t, math.Float64bits(Dot(a, b)), math.Float64bits(dotInOrder(a, b)), "%d numbers", n)
			for _, inc := range []int{1, 2, 3} {
				few := (n + inc - 1) / inc
				assert.Equal(t, math.Float64bits(blas64.Implementation().Ddot(few, a, inc, b, inc)), math.Float64bits(inOrder{}.Ddot(few, a, inc, b, inc)), "%d numbers, one of %d", n, inc)
			}
		}
	}
	assert.Equal(t, 32., dotInOrder([]float64{1, 2, 3}, []float64{4, 5, 6}))
	assert.Panics(t, func() { dotInOrder(make([]float64, 2), make([]float64, 3)) })
}

// Sums of scaled vectors have the bits of two roundings.
func TestAddScaledRoundsTwice(t *testing.T) {
	s := NewStream(1, "add scaled", 0)
	for n := range 40 {
		src, dst := make([]float64, n), make([]float64, n+1)
		for i := range src {
			src[i], dst[i] = s.Normal(), s.Normal()
		}
		want := append([]float64(nil), dst...)
		for i, v := range src {
			want[i] += float64(v * 0.3)
		}
		AddScaled(dst, 0.3, src)
		assert.Equal(t, want, dst)
	}
}
