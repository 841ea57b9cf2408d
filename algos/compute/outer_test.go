package compute

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute/internal/simd"
)

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
				for i, v := range want.Data {
					if !math.IsNaN(v) || !math.IsNaN(got.Data[i]) {
						require.Equal(t, math.Float64bits(v), math.Float64bits(got.Data[i]), "%s, %d×%d: %v, want %v", p, m, n, got.Data[i], v)
					}
				}
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
			all := append(c.Data, dot.Data...)
			for i, v := range append(want.Data, sum) {
				got := all[i]
				if !math.IsNaN(v) || !math.IsNaN(got) {
					require.Equal(t, math.Float64bits(v), math.Float64bits(got), "%d, stride %d: %v, want %v", m, stride, got, v)
				}
			}
		}
	}
}
