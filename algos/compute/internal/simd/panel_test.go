package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Heights and widths of tiles, near the sizes of micro-tiles.
var panelHeights, panelWidths = []int{1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33, 41, 47, 48}, []int{1, 15, 16, 17, 32, 33, 47, 48}

// TestPanels compares sums with those in float64, functions of them with those of this package, bit by bit, and
// AVX2 with AVX-512.
func TestPanels(t *testing.T) {
	agree := agreement()
	onEach(t, func(t *testing.T) {
		for _, k := range []int{0, 1, 4, 6, 51} {
			for _, m := range panelHeights {
				for _, n := range panelWidths {
					for _, columns := range []bool{false, true} {
						agree(t, fmt.Sprint(k, m, n, columns), hashOf(testPanels[float32](t, columns, k, m, n)), hashOf(testPanels[float64](t, columns, k, m, n)))
					}
				}
			}
		}
	})
}

func testPanels[T Float](t *testing.T, columns bool, k, m, n int) (all []T) {
	const rate = -0.3
	r := rand.New(rand.NewPCG(uint64(m*100+n), uint64(k)))
	a, b := random[T](r, (k+1)*Width), random[T](r, (k+1)*Width)
	tile := func(form Form) []T {
		rows := (m + Strip - 1) / Strip * Strip
		c := filled[T]((rows + 1) * Width)
		NewPanels[T](form, columns, k, rate).Tile(m, 0, n, a, Width, Strip, b, c, b)
		again := filled[T]((rows + 1) * Width)
		NewPanels[T](form, columns, k, rate).Tile(m, 0, n, inStrips(a), Strip, (k+1)*Strip, b, again, b)
		require.True(t, slices.Equal(c, again), "in strips")
		from := (5*m + k) % n
		again = filled[T]((rows + 1) * Width)
		NewPanels[T](form, columns, k, rate).Tile(m, from, n, a, Width, Strip, b, again, b)
		require.Equal(t, filled[T](Width), c[rows*Width:], "rows after the last")
		var out []T
		for i := range m {
			out = append(out, c[i*Width:][:n]...)
			beside := c[i*Width+(n+Pad-1)/Pad*Pad : (i+1)*Width]
			require.True(t, slices.Equal(filled[T](len(beside)), beside), "columns beside the tile")
			require.True(t, slices.Equal(c[i*Width+from:i*Width+n], again[i*Width+from:i*Width+n]), "columns from %d to %d", from, n)
			require.True(t, slices.Equal(filled[T](from/Pad*Pad), again[i*Width:][:from/Pad*Pad]), "columns before %d", from)
		}
		return out
	}
	sums, distances := tile(Sum), tile(Distance)
	for i := range m {
		for j := range n {
			left, right := float64(a[k*Width+i]), float64(b[k*Width+j])
			want, size := left, math.Abs(left)
			if columns {
				want, size = right, math.Abs(right)
			}
			dot, dots := 0.0, 0.0
			for l := range k {
				term := float64(a[l*Width+i]) * float64(b[l*Width+j])
				dot += term
				dots += math.Abs(term)
			}
			near(t, want+dot, sums[i*n+j], tileBound[T](k+1)*(size+dots), "sum", i, j)
			want, size = max(dot+left+right, 0), dots+math.Abs(left)+math.Abs(right)
			near(t, want, distances[i*n+j], tileBound[T](k+2)*size, "distance", i, j)
		}
	}
	cosines, powers := append([]T(nil), sums...), append([]T(nil), distances...)
	cosOverLead(cosines, 1)
	Exp2(powers, rate)
	require.True(t, slices.Equal(cosines, tile(Cosine)), "cosines")
	require.True(t, slices.Equal(powers, tile(Exponential)), "powers of two")
	return append(append(sums, distances...), append(cosines, powers...)...)
}

// inStrips returns a panel cut into strips.
func inStrips[T Float](panel []T) []T {
	s := make([]T, len(panel))
	Strips(s, len(panel)/Width*Strip, panel)
	return s
}

// near requires that got is want within a bound.
func near[T Float](t *testing.T, want float64, got T, bound float64, what string, i, j int) {
	if !(math.Abs(float64(got)-want) <= bound) {
		require.InDelta(t, want, got, bound, "%s (%d, %d)", what, i, j)
	}
}

func BenchmarkPanels(b *testing.B) {
	for _, k := range []int{2, 50, 784} {
		for form, name := range []string{"sum", "distance", "cosine", "exponential"} {
			b.Run(fmt.Sprintf("%s/k=%d", name, k), func(b *testing.B) {
				r := rand.New(rand.NewPCG(5, 6))
				x, y, c := random[float32](r, Width*(k+1)), random[float32](r, Width*(k+1)), make([]float32, Width*Width)
				p := NewPanels[float32](Form(form), false, k, -1)
				for b.Loop() {
					p.Tile(Width, 0, Width, x, Strip, (k+1)*Strip, y, c, y)
				}
				b.ReportMetric(2*Width*Width*float64(k)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gflop/s")
			})
		}
	}
}
