package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// pointsOf returns k rows of 48 integers, divided by 255, and some of zeros.
func pointsOf(k int, integer func() int) []float32 {
	p := make([]float32, (k+3)*Width)
	for i := range p[:k*Width] {
		p[i] = float32(integer()) / 255
	}
	return p
}

// integerTile returns a tile of two sets of 48 points.
func integerTile(k int, form Form, s float32, m int, left, right []float32, strips bool) []float32 {
	i := NewIntegers(k)
	rows := i.Rows() + 1
	a, b, c := make([]float32, rows*Width), make([]float32, rows*Width), filled[float32]((Width+1)*Width)
	lda, strip := Width, Strip
	if strips {
		lda, strip = Strip, rows*Strip
	}
	i.Pack(a, lda, strip, left, 255, true)
	i.Pack(b, Width, Strip, right, 255, false)
	i.Panels(form, s).Tile(m, 0, Width, a, lda, strip, b, c, b)
	return c
}

// TestIntegers compares tiles with sums of squares of integers.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	extremes := func() int { return 255 * r.IntN(2) }
	for _, c := range []struct {
		k       int
		integer func() int
	}{
		{1, func() int { return r.IntN(256) }}, {3, extremes}, {4, extremes}, {5, extremes}, {17, func() int { return r.IntN(2) }},
		{784, func() int { return r.IntN(256) }}, {exactTerms, extremes}, {exactTerms + 1, extremes}, {MostIntegers, extremes},
	} {
		left, right := pointsOf(c.k, c.integer), pointsOf(c.k, c.integer)
		for l := range c.k { // the two points that are furthest from each other, and twice the same
			left[l*Width], right[l*Width+1], right[l*Width+2] = 0, 1, left[l*Width+2]
		}
		const s = 1.25 / 65025
		distances, powers := make([]float32, Width*Width), make([]float32, Width*Width)
		for i := range Width {
			for j := range Width {
				sum := int64(0)
				for l := range c.k {
					d := int64(left[l*Width+i]*255+.5) - int64(right[l*Width+j]*255+.5)
					sum += d * d
				}
				distances[i*Width+j] = float32(sum) * s
				powers[i*Width+j] = float32(sum)
			}
		}
		require.Equal(t, float32(0), distances[2*Width+2])
		onEach(t, func(t *testing.T) {
			want := append([]float32(nil), powers...)
			Exp2(want, -s)
			for _, m := range panelHeights {
				for _, strips := range []bool{false, true} {
					name, rows := fmt.Sprint(c.k, m, strips), (m+Strip-1)/Strip*Strip
					got := integerTile(c.k, Distance, s, m, left, right, strips)
					require.Equal(t, distances[:m*Width], got[:m*Width], name)
					require.Equal(t, filled[float32](len(got)-rows*Width), got[rows*Width:], "rows after the last")
					require.Equal(t, want[:m*Width], integerTile(c.k, Exponential, -s, m, left, right, strips)[:m*Width], name)
				}
			}
		})
	}
}
