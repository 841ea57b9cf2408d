package compute

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// factor returns U with UᵀU = a, and numbers below the diagonal that nothing may read.
func factor(t *testing.T, a Matrix) Matrix {
	u := a.Clone()
	require.True(t, NewEngine(Options{}).Cholesky(u))
	for i := range u.Rows {
		for j := range i {
			u.Set(i, j, math.NaN())
		}
	}
	return u
}

// The solutions are gonum's, for one column, few and many, in either precision and at any number of threads.
func TestTrsm(t *testing.T) {
	for _, n := range []int{0, 1, 7, triangleLeaf, triangleLeaf + 1, 300} {
		u := factor(t, positive(n))
		for _, m := range []int{1, 3, 30, triangleColumns + 5} {
			b := gaussian(n, m)
			for _, transpose := range []bool{false, true} {
				want, op := b.Clone(), blas.NoTrans
				if transpose {
					op = blas.Trans
				}
				if n > 0 {
					blas64.Trsm(blas.Left, op, 1, blas64.Triangular{N: n, Stride: u.Stride, Data: u.Data, Uplo: blas.Upper, Diag: blas.NonUnit},
						blas64.General{Rows: n, Cols: m, Stride: m, Data: want.Data})
				}
				requireNear(t, want.Data, onEngines(t, func(e *Engine) []float64 {
					x := b.Clone()
					e.Trsm(u, transpose, x)
					return x.Data
				}), 1e-11)
			}
		}
	}
	e := NewEngine(Options{})
	assert.Panics(t, func() { e.Trsm(NewMatrix(3, 3), false, NewMatrix(2, 1)) })
	assert.Panics(t, func() { e.Trsm(NewMatrix(3, 2), false, NewMatrix(3, 1)) })
}

// Products of eight rows at a time have the bits of rows one by one, with NaN and huge numbers among them, too.
func TestSubstituteTiles(t *testing.T) {
	for _, n := range []int{1, 8, 11, triangleLeaf} {
		u, b := factor(t, positive(n)), gaussian(n, triangleColumns)
		b.Set(0, 3, math.NaN())
		b.Set(0, 5, 1e306)
		b.Set(0, 7, math.Inf(1))
		want := b.Clone()
		substitute(u, true, want)
		NewEngine(Options{}).substituteTiles(u, b)
		for i, v := range want.Data {
			require.True(t, v == b.Data[i] || math.IsNaN(v) && math.IsNaN(b.Data[i]), "%d rows, entry %d: %g, %g", n, i, v, b.Data[i])
		}
	}
}

// The estimate is LAPACK's, as gonum has it, and the truth on diagonal matrices.
func TestPocon(t *testing.T) {
	for _, n := range []int{1, 2, 5, 60, 200} {
		for name, a := range map[string]Matrix{
			"random":    positive(n),
			"geometric": rotated(series(n, func(x float64) float64 { return math.Pow(1e-9, x) }), 1),
			"diagonal":  tridiag(n, func(i int) float64 { return 1 / float64(1+i) }, func(int) float64 { return 0 }),
		} {
			t.Run(fmt.Sprintf("%s %d", name, n), func(t *testing.T) {
				norm, u := a.Norm1(), a.Clone()
				require.True(t, NewEngine(Options{}).Cholesky(u))
				want := lapack64.Pocon(blas64.Symmetric{N: n, Stride: n, Data: u.Data, Uplo: blas.Upper}, norm, make([]float64, 3*n), make([]int, n))
				got := NewEngine(Options{Threads: 2}).Pocon(factor(t, a), norm)
				assert.InEpsilon(t, want, got, 1e-6)
				if name == "diagonal" {
					assert.InEpsilon(t, 1/float64(n), got, 1e-12)
				}
			})
		}
	}
	singular := NewMatrix(2, 2)
	singular.Set(0, 0, 1)
	assert.Zero(t, NewEngine(Options{}).Pocon(singular, 1))
	assert.Equal(t, 1.0, NewEngine(Options{}).Pocon(NewMatrix(0, 0), 0))
}
