package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSums compares sums over all small numbers of rows, and the longest that operators take, with sums
// in float64, and AVX2 with AVX-512 bit by bit.
func TestSums(t *testing.T) {
	agree := agreement()
	onEach(t, func(t *testing.T) {
		for _, k := range append(upTo(70), 95, 96, 300) {
			agree(t, fmt.Sprint(k), testWeigh[float32](t, k), testWeigh[float64](t, k), testSquares[float32](t, k), testSquares[float64](t, k))
		}
	})
}

// upTo returns 0 … n.
func upTo(n int) []int {
	s := make([]int, n+1)
	for i := range s {
		s[i] = i
	}
	return s
}

func testWeigh[T Float](t *testing.T, k int) []T {
	r := rand.New(rand.NewPCG(uint64(k), 5))
	a, b, c := random[T](r, k), random[T](r, k*Width), filled[T](Width+3)
	Weigh(c[:Width], a, b, Width, k)
	apart, wide := filled[T](Width), filled[T](k*(Width+5))
	for l := range k {
		copy(wide[l*(Width+5):], b[l*Width:][:Width])
	}
	Weigh(apart, a, wide, Width+5, k)
	require.Equal(t, c[:Width], apart, "rows further apart")
	for j := range Width {
		want, size := 0.0, 0.0
		for l, v := range a {
			want += float64(v) * float64(b[l*Width+j])
			size += math.Abs(float64(v) * float64(b[l*Width+j]))
		}
		// A term is rounded as a product, at most as often as there are terms, and in two sums of pairs.
		require.InDelta(t, want, float64(c[j]), tileBound[T](k+2)*size, "%d rows, column %d", k, j)
	}
	require.Equal(t, []T{stale, stale, stale}, c[Width:])
	return c
}

// testSquares compares with the diagonal of a tile, to the bit: distances of identical points depend on it.
func testSquares[T Float](t *testing.T, k int) []T {
	r := rand.New(rand.NewPCG(uint64(k), 6))
	b, c, tile := random[T](r, k*Width), filled[T](Width+3), filled[T](Width*Width)
	Squares(c[:Width], b, k)
	Tile(Dot, Width, Width, k, b, Width, b, Width, tile, Width, false)
	for j := range Width {
		require.Equal(t, tile[j*Width+j], c[j], "%d rows, column %d", k, j)
	}
	require.Equal(t, []T{stale, stale, stale}, c[Width:])
	return c
}

// TestAccumulate checks that numbers are added exactly as float64.
func TestAccumulate(t *testing.T) {
	onEachFloat(t, testAccumulate[float32], testAccumulate[float64])
}

func testAccumulate[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for rows := range 5 {
		x, acc := random[T](r, rows*Width), random[float64](r, rows*Width+3)
		want := append([]float64(nil), acc...)
		for j, v := range x {
			want[j] += float64(v)
		}
		Accumulate(acc, x)
		require.Equal(t, want, acc, "%d rows", rows)
	}
}
