package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// gaussian returns a matrix of normal variates.
func gaussian(r, c int) Matrix {
	m, s := NewMatrix(r, c), NewStream(2, "gaussian", 0)
	for i := range m.Data {
		m.Data[i] = s.Normal()
	}
	return m
}

// onEngines returns what do computes. It must have the same bits in either precision and at any number of threads, and counters do
// not include it.
func onEngines(t *testing.T, do func(e *Engine) []float64) (want []float64) {
	for _, o := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Precision: Float32}} {
		e := NewEngine(o)
		got := do(e)
		if want == nil {
			want = got
		}
		require.Equal(t, want, got)
		assert.Zero(t, e.Counters())
	}
	return want
}

// positive returns BᵀB/n + I/100 for a Gaussian B, n×n: the same bits on both sides of the diagonal.
func positive(n int) Matrix {
	a := NewMatrix(n, n)
	NewEngine(Options{}).Syrk(a, 1/float64(n), gaussian(n, n), true, 0)
	a.AddToDiagonal(0.01)
	return a
}

// The factor is gonum's, in one triangle and in several, in either precision and at any number of threads.
func TestCholesky(t *testing.T) {
	for _, n := range []int{1, 5, triangleLeaf, triangleLeaf + 1, 1100} {
		a := positive(n)
		var want mat.Cholesky
		require.True(t, want.Factorize(mat.NewSymDense(n, a.Clone().Data)))
		var u mat.TriDense
		want.UTo(&u)
		got := onEngines(t, func(e *Engine) []float64 {
			b := a.Clone()
			require.True(t, e.Cholesky(b))
			return b.Data
		})
		for i := range n {
			requireNear(t, u.RawTriangular().Data[i*n+i:(i+1)*n], got[i*n+i:(i+1)*n], 1e-12)
		}
	}
}

func TestCholeskyOfIndefinite(t *testing.T) {
	for _, n := range []int{2, 1024} {
		for _, at := range []int{0, n - 1} {
			a := positive(n)
			a.Set(at, at, -1)
			assert.False(t, NewEngine(Options{}).Cholesky(a), "n = %d, %d", n, at)
		}
	}
}
