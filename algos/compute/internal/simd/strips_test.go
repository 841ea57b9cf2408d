package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTileStrips(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("float32", testTileStrips[float32])
		t.Run("float64", testTileStrips[float64])
	})
}

// testTileStrips compares with Tile bit by bit.
func testTileStrips[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, m := range []int{1, 3, 8, 9, 17, 42, 48} {
		for _, n := range []int{1, 8, 16, 31, 48} {
			for _, k := range []int{0, 1, 2, 7, 64} {
				a, b, c := random[T](r, k*Width), random[T](r, k*Width), random[T](r, m*Width)
				stride := k*Strip + r.IntN(5)
				strips := filled[T](stride*Width/Strip + 1)
				for l := range k {
					for i := range Width {
						strips[i/Strip*stride+l*Strip+i%Strip] = a[l*Width+i]
					}
				}
				want := append([]T(nil), c...)
				Tile(Dot, m, n, k, a, Width, b, Width, want, Width, true)
				TileStrips(m, n, k, strips, stride, b, c, true, b)
				requireRows(t, want, c, m, n)
				Tile(Dot, m, n, k, a, Width, b, Width, want, Width, false)
				TileStrips(m, n, k, strips, stride, b, c, false, strips)
				requireRows(t, want, c, m, n)
			}
		}
	}
}

// requireRows compares the first n columns of tiles of m rows.
func requireRows[T Float](t *testing.T, want, got []T, m, n int) {
	t.Helper()
	for i := range m {
		require.Equal(t, want[i*Width:][:n], got[i*Width:][:n], "row %d of %d×%d", i, m, n)
	}
}
