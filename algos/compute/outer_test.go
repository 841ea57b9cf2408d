package compute

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute/internal/simd"
)

// requireBits requires numbers with the same bits, or both no numbers.
func requireBits(t *testing.T, want, got []float64, of ...any) {
	t.Helper()
	for i, v := range want {
		if !math.IsNaN(v) || !math.IsNaN(got[i]) {
			require.Equal(t, math.Float64bits(v), math.Float64bits(got[i]), "%v: %v, want %v", of, got[i], v)
		}
	}
}

// An outer product has the bits of a product of matrices, also where numbers are zero, infinite or too small.
func TestOuterProductsHaveTheBitsOfProducts(t *testing.T) {
	for _, p := range []Precision{Float64, Float32} {
		for _, m := range []int{1, 7, 255, 256} {
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
				requireBits(t, want.Data, got.Data, p, m, n)
			}
		}
	}
}

// So has aaᵀ that is added, and so has one row of inner products, which is added up as AddScaled does.
func TestOneColumnHasTheBitsOfProducts(t *testing.T) {
	for _, m := range []int{13, 64, 300} {
		for _, stride := range []int{1, 3} {
			e, s := NewEngine(Options{Threads: 1}), NewStream(1, "test", uint64(m))
			a, c := NewMatrix(m, stride).ColRange(0, 1), NewMatrix(m, m)
			for i := range m {
				a.Set(i, 0, s.Normal()*math.Pow(10, 50*s.Normal()))
				for j := range i + 1 {
					c.Set(i, j, a.At(i, 0)*s.Normal())
					c.Set(j, i, c.At(i, j))
				}
			}
			a.Set(3, 0, 0)
			a.Set(4, 0, math.Inf(1))
			want, x := c.Clone(), operandOf(a, true)
			runGemm[float64](e, want, 1, x, x, 1, true)
			e.Syrk(c, 1, a, false, 1)
			sum, y := 0.0, NewMatrix(1, m).Data
			for i := range y {
				y[i] = s.Normal()
				one := []float64{sum}
				simd.AddScaled(one, []float64{a.At(i, 0)}, y[i])
				sum = one[0]
			}
			dot := e.Mul(a, Matrix{Rows: m, Cols: 1, Stride: 1, Data: y}, true)
			requireBits(t, append(want.Data, sum), append(c.Data, dot.Data...), m, stride)
		}
	}
}
