package parts

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

// withSpectrum returns HDH for a diagonal D of the given function and a product H of two reflections, whose columns are
// the eigenvectors.
func withSpectrum(n int, eigenvalue func(i int) float64) (a, vectors compute.Matrix) {
	s := compute.NewStream(3, "reflections", 0)
	h, scaled := mat.DenseCopyOf(mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))), mat.NewDense(n, n, nil)
	for range 2 {
		w := mat.NewVecDense(n, nil)
		for i := range n {
			w.SetVec(i, s.Normal())
		}
		var wh mat.VecDense
		wh.MulVec(h.T(), w)
		h.RankOne(h, -2/mat.Dot(w, w), w, &wh)
	}
	scaled.Apply(func(_, j int, v float64) float64 { return v * eigenvalue(j) }, h)
	var product mat.Dense
	product.Mul(scaled, h.T())
	a, vectors = compute.NewMatrix(n, n), compute.Matrix{Rows: n, Cols: n, Stride: n, Data: h.RawMatrix().Data}
	for i := range n {
		for j := range n {
			a.Set(i, j, product.At(max(i, j), min(i, j)))
		}
	}
	return a, vectors
}

// Eigenvalues and eigenvectors to rounding errors, in single precision too; eigenvalues with multiplicities, falling as
// those of a kernel do, and none else, though λ_(k+1) is near λ_k.
func TestKrylov(t *testing.T) {
	const n, k = 300, 10
	for _, precision := range []compute.Precision{compute.Float64, compute.Float32} {
		for name, eigenvalue := range map[string]func(i int) float64{
			"simple":   func(i int) float64 { return 100 / math.Pow(float64(i+1), 1.3) },
			"multiple": func(i int) float64 { return 100 / math.Pow(float64(i/5+1), 1.3) },
			"negative": func(i int) float64 { return 100/math.Pow(float64(i+1), 1.3) - 0.1 },
		} {
			e := compute.NewEngine(compute.Options{Threads: 1, Precision: precision})
			a, want := withSpectrum(n, eigenvalue)
			values, vectors, ok := krylov(e, n, by(e, a), k, compute.NewStream(1, "krylov", 0))
			require.True(t, ok, name)
			for i, v := range values {
				assert.InDelta(t, eigenvalue(i), v, 1e-11, "%s %d", name, i)
			}
			require.Equal(t, k, vectors.Cols)
			assert.Less(t, orthogonality(vectors), 1e-12)
			// Spaces of equal eigenvalues end at 10: Vᵀ times the true ones is orthogonal.
			overlap := compute.NewEngine(compute.Options{}).Mul(want.ColRange(0, k), vectors, true)
			assert.Less(t, orthogonality(overlap), 1e-11, name)
			assert.Equal(t, precision, e.Precision())
			assert.Positive(t, e.Counters().Flops)
		}
	}
}

// by returns the product with a matrix.
func by(e *compute.Engine, a compute.Matrix) product {
	return func(dst, v compute.Matrix) { e.Gemm(dst, 1, a, false, v, false, 0) }
}

// What it cannot find it leaves to the whole decomposition.
func TestKrylovGivesUp(t *testing.T) {
	e := compute.NewEngine(compute.Options{Threads: 1})
	for name, eigenvalue := range map[string]func(i int) float64{
		"identity": func(int) float64 { return 1 },
		"low rank": func(i int) float64 { return max(0, float64(20-i)) },
		"flat":     func(i int) float64 { return 1 + 1e-3*float64(i%7) },
		"zero":     func(int) float64 { return 0 },
	} {
		a, _ := withSpectrum(200, eigenvalue)
		_, _, ok := krylov(e, 200, by(e, a), 30, compute.NewStream(1, "krylov", 0))
		assert.False(t, ok, name)
	}
}

// Leading takes krylov for a matrix that is large beside k.
func TestLeadingOfALargeMatrix(t *testing.T) {
	const n, k = krylovRows, 20
	e := compute.NewEngine(compute.Options{})
	a, wantVectors := withSpectrum(n, func(i int) float64 { return math.Pow(0.9, float64(i)) })
	require.True(t, FewOf(n, k))
	require.False(t, FewOf(n-1, k))
	require.False(t, FewOf(n, n/krylovPart+1))
	values, vectors, err := Leading(e, a, k, 1e-4)
	require.NoError(t, err)
	for j := range k {
		assert.InDelta(t, math.Pow(0.9, float64(j)), values[j], 1e-13)
		assert.InDelta(t, 1, math.Abs(floats.Dot(columnOf(vectors, j), columnOf(wantVectors, j))), 1e-9, j)
	}
	values, vectors, err = Leading(e, a, 60, 0.01) // 0.9^43 = 0.0108
	require.NoError(t, err)
	assert.Len(t, values, 44)
	assert.Equal(t, 44, vectors.Cols)
}
