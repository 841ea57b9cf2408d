package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRowDots compares inner products with sums in order, within 2k+1 roundings of the sum of magnitudes,
// vector code with the documented order bit by bit, and chosen rows with those rows of all. The longest rows are cut into parts.
func TestRowDots(t *testing.T) {
	t.Run("float32", testRowDots[float32])
	t.Run("float64", testRowDots[float64])
}

func testRowDots[T Float](t *testing.T) {
	onEach(t, func(t *testing.T) {
		for _, k := range []int{0, 1, 7, 8, 9, 40, 129, 803} {
			for _, m := range []int{1, 2, 3, 4, 5, 9} {
				for _, c := range append(upTo(14)[1:], 26) {
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
							got := dst[i*ldd+q]
							require.InDelta(t, want, got, tileBound[float64](k)*size, "%d×%d×%d", m, c, k)
							if current != portable {
								require.Equal(t, fusedRowDot(a[i*lda:][:k], b, q, c), got, "order of %d×%d×%d", m, c, k)
							}
						}
						require.Equal(t, before[i*ldd+c:(i+1)*ldd], dst[i*ldd+c:(i+1)*ldd], "between rows")
					}
					rows, some := []int{m - 1, 0, m / 2}, make([]float64, 3*c)
					RowDots(some, c, a, lda, rows, 3, b, c, k, make([]float64, Interleave*3*c))
					for i, row := range rows {
						require.Equal(t, dst[row*ldd:][:c], some[i*c:][:c], "chosen rows")
					}
				}
			}
		}
	})
}

// fusedRowDot is an inner product of x with vector q of c in the order that RowDots documents.
func fusedRowDot[T Float](x []T, b []float64, q, c int) float64 {
	var s [Interleave]float64
	at := func(l int) float64 { return b[(l/Interleave*c+q)*Interleave+l%Interleave] }
	whole := len(x) &^ (Interleave - 1)
	for l, v := range x[:whole] {
		s[l%Interleave] = math.FMA(float64(v), at(l), s[l%Interleave])
	}
	sum := ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
	for l := whole; l < len(x); l++ {
		sum = math.FMA(float64(x[l]), at(l), sum)
	}
	return sum
}
