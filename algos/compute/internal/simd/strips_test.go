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

// TestStrips compares with the place of each entry.
func TestStrips(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("float32", testStrips[float32])
		t.Run("float64", testStrips[float64])
	})
}

func testStrips[T Float](t *testing.T) {
	for rows := range 5 {
		panel, strips := random[T](rand.New(rand.NewPCG(6, uint64(rows))), rows*Width), filled[T](rows*Width+1)
		Strips(strips, rows*Strip, panel)
		for l := range rows {
			for j := range Width {
				require.Equal(t, panel[l*Width+j], strips[(j/Strip*rows+l)*Strip+j%Strip], "entry (%d, %d)", l, j)
			}
		}
		require.Equal(t, T(stale), strips[rows*Width], "after the last strip")
	}
}

// requireRows compares the first n columns of tiles of m rows.
func requireRows[T Float](t *testing.T, want, got []T, m, n int) {
	t.Helper()
	for i := range m {
		require.Equal(t, want[i*Width:][:n], got[i*Width:][:n], "row %d of %d×%d", i, m, n)
	}
}
