package compute

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// An outer product has the bits of a product of matrices, also where numbers are zero, infinite or too small.
func TestOuterProductsHaveTheBitsOfProducts(t *testing.T) {
	for _, p := range []Precision{Float64, Float32} {
		for _, m := range []int{1, 2, 7, 255, 256, 1000} {
			for _, n := range []int{2, 3, 10, 13, 40} {
				a, b := NewMatrix(1, m), NewMatrix(1, n)
				s := NewStream(1, "test", uint64(m))
				for i := range a.Data {
					a.Data[i] = s.Normal() * math.Pow(10, 100*s.Normal())
				}
				for i := range b.Data {
					b.Data[i] = s.Normal() * math.Pow(10, 100*s.Normal())
				}
				a.Data[0], b.Data[0] = 0, -1
				if m > 2 {
					a.Data[1], a.Data[2] = math.NaN(), math.Inf(1)
				}
				e := NewEngine(Options{Precision: p, Threads: 1})
				got, want := e.Mul(a, b, true), NewMatrix(m, n)
				if p == Float32 {
					runGemm[float32](e, want, 1, operandOf(a, false), operandOf(b, false), 0, false)
				} else {
					runGemm[float64](e, want, 1, operandOf(a, false), operandOf(b, false), 0, false)
				}
				for i, v := range want.Data {
					if !math.IsNaN(v) || !math.IsNaN(got.Data[i]) {
						require.Equal(t, math.Float64bits(v), math.Float64bits(got.Data[i]), "%s, %d×%d: %v, want %v", p, m, n, got.Data[i], v)
					}
				}
			}
		}
	}
}
