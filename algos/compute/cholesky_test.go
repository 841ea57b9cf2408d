package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// positive returns BᵀB/n + I/100 for a Gaussian B, n×n: the same bits on both sides of the diagonal.
func positive(n int) Matrix {
	e, s := NewEngine(Options{}), NewStream(2, "positive", 0)
	b, a := NewMatrix(n, n), NewMatrix(n, n)
	for i := range b.Data {
		b.Data[i] = s.Normal()
	}
	e.Syrk(a, 1/float64(n), b, true, 0)
	for i := range n {
		a.Set(i, i, a.At(i, i)+0.01)
	}
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
		var first Matrix
		for _, o := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Precision: Float32}} {
			e, got := NewEngine(o), a.Clone()
			require.True(t, e.Cholesky(got))
			for i := range n {
				for j := i; j < n; j++ {
					if d := got.At(i, j) - u.At(i, j); d > 1e-12 || d < -1e-12 {
						t.Fatalf("n = %d: U_%d,%d = %g, not %g", n, i, j, got.At(i, j), u.At(i, j))
					}
				}
			}
			if first.Data == nil {
				first = got
			}
			assert.Equal(t, first.Data, got.Data)
			assert.Zero(t, e.Counters())
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
