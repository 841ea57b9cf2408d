package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRowDots compares inner products with sums in order, within 2k+1 roundings of the sum of magnitudes,
// AVX2 with AVX-512 bit by bit, and chosen rows with those rows of all.
func TestRowDots(t *testing.T) {
	t.Run("float32", testRowDots[float32])
	t.Run("float64", testRowDots[float64])
}

func testRowDots[T Float](t *testing.T) {
	results := map[string]string{}
	onEach(t, func(t *testing.T) {
		for _, k := range []int{0, 1, 7, 8, 9, 40, 129} {
			for _, m := range []int{1, 2, 3, 4, 5, 9} {
				for c := 1; c <= 14; c++ {
					r := rand.New(rand.NewPCG(uint64(k), uint64(m*20+c)))
					lda, ldd, groups := k+r.IntN(3), c+r.IntN(3), (k+Interleave-1)/Interleave
					a, b, dst := random[T](r, m*lda), random[float64](r, groups*Interleave*c), random[float64](r, m*ldd)
					before := append([]float64(nil), dst...)
					RowDots(dst, ldd, a, lda, nil, m, b, c, k, make([]float64, Interleave*m*c))
					for i := range m {
						for q := range c {
							want, size := 0.0, 0.0
							for l := range k {
								term := float64(a[i*lda+l]) * b[(l/Interleave*c+q)*Interleave+l%Interleave]
								want += term
								size += math.Abs(term)
							}
							require.InDelta(t, want, dst[i*ldd+q], tileBound[float64](k)*size, "%d×%d×%d", m, c, k)
						}
						require.Equal(t, before[i*ldd+c:(i+1)*ldd], dst[i*ldd+c:(i+1)*ldd], "between rows")
					}
					rows, some := []int{m - 1, 0, m / 2}, make([]float64, 3*c)
					RowDots(some, c, a, lda, rows, 3, b, c, k, make([]float64, Interleave*3*c))
					for i, row := range rows {
						require.Equal(t, dst[row*ldd:][:c], some[i*c:][:c], "chosen rows")
					}
					if current == Generic {
						continue
					}
					key := fmt.Sprint(k, m, c)
					if want, ok := results[key]; ok {
						require.Equal(t, want, fmt.Sprint(dst), "AVX2 and AVX-512 differ")
					}
					results[key] = fmt.Sprint(dst)
				}
			}
		}
	})
}
