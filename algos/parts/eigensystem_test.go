package parts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// A matrix of a rank that the sketch holds is decomposed to rounding errors, as gonum's SVD does it.
func TestRSVDAgainstSVD(t *testing.T) {
	const m, d, k = 40, 60, 5
	s, e := compute.NewStream(3, "rsvd", 0), compute.NewEngine(compute.Options{Threads: 1})
	left, right := compute.NewMatrix(m, 2*(k+1)), compute.NewMatrix(d, 2*(k+1))
	for j := range 2 * (k + 1) {
		for i := range m {
			left.Set(i, j, s.Normal()*math.Pow(2, -float64(j)))
		}
		for i := range d {
			right.Set(i, j, s.Normal())
		}
	}
	a := e.Kernel(kernels.Linear{Sigma: 1}, left, right)
	var svd mat.SVD
	require.True(t, svd.Factorize(mat.NewDense(m, d, e.KernelMatrix(kernels.Linear{Sigma: 1}, left, right).Data), mat.SVDThin))
	var v mat.Dense
	svd.VTo(&v)

	rsvd := func(k int) (Eigensystem, error) { return RSVD(e, a, k, SketchOf(k), compute.NewStream(1, "sketch", 0)) }
	got, err := rsvd(k)
	require.NoError(t, err)
	require.Len(t, got.Values, k+1)
	for j, want := range svd.Values(nil)[:k+1] {
		assert.InEpsilon(t, want*want, got.Values[j], 1e-12, "eigenvalue %d", j+1)
		if j < k {
			assert.InDelta(t, 1, math.Abs(mat.Dot(mat.NewVecDense(d, columnOf(got.Vectors, j)), v.ColView(j))), 1e-12, "eigenvector %d", j+1)
		}
	}
	_, err = rsvd(12)
	assert.EqualError(t, err, "eigenvalue 13 is below 1e-7 of the first, where rounding errors begin: take fewer than 12 eigenvectors")
	_, err = rsvd(40)
	assert.EqualError(t, err, "40 eigenvectors and one eigenvalue more need as many rows and columns, of 40 × 60")
}

// columnOf returns a column of a matrix.
func columnOf(m compute.Matrix, j int) []float64 { return m.ColRange(j, j+1).Clone().Data }

// angle returns the largest sine of the angles between a column of v and that of the exact eigenvectors.
func angle(g algostest.ExactGram, v compute.Matrix) float64 {
	largest := 0.0
	for j := range v.Cols {
		dot := mat.Dot(mat.NewVecDense(v.Rows, columnOf(v, j)), g.Vectors.ColView(j))
		largest = max(largest, math.Sqrt(max(0, 1-dot*dot)))
	}
	return largest
}

// orthogonality returns the largest entry of VᵀV - I.
func orthogonality(v compute.Matrix) float64 {
	var w mat.Dense
	m := mat.NewDense(v.Rows, v.Cols, v.Clone().Data)
	w.Mul(m.T(), m)
	largest := 0.0
	for i := range v.Cols {
		w.Set(i, i, w.At(i, i)-1)
		largest = max(largest, floats.Norm(w.RawRowView(i), math.Inf(1)))
	}
	return largest
}

// With all rows NSVD is the eigendecomposition of K and RSVD near it; with a part of them the eigenvectors are
// orthonormal still, and those of RSVD nearer.
func TestDecompositionsOfKernelMatrices(t *testing.T) {
	const n, k = 150, 6
	for _, memory := range []int64{0, -1} { // K stored or not
		p, g := algostest.SmoothGram(t, n)
		p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: memory})
		kn := NewGram(p)
		errors := map[string]float64{}
		for _, decomposition := range []string{"nystrom", "rsvd"} {
			all, err := kn.Decompose(decomposition, k, n)
			require.NoError(t, err)
			require.Len(t, all.Values, k+1)
			values, vectors := 1e-11, 1e-7 // a sine from a cosine with rounding errors of 1e-15
			if decomposition == "rsvd" {
				values, vectors = 2e-2, 0.2 // a sketch of 14 columns without power iterations
			}
			assert.InEpsilonSlice(t, g.Values[:k+1], all.Values, values, decomposition)
			assert.Less(t, angle(g, all.Vectors), vectors, decomposition)
			assert.Less(t, orthogonality(all.Vectors), 1e-13)

			part, err := kn.Decompose(decomposition, k, 50)
			require.NoError(t, err)
			// The factor n/M: eigenvalues of a third of the rows scatter by √(2/50).
			assert.InEpsilonSlice(t, g.Values[:3], part.Values[:3], 2*math.Sqrt(2./50), decomposition)
			assert.Less(t, orthogonality(part.Vectors), 1e-13)
			errors[decomposition] = angle(g, part.Vectors)
		}
		assert.Less(t, errors["rsvd"], errors["nystrom"], "ma2017 App. A: NSVD has larger errors from as many rows")
		assert.Less(t, errors["nystrom"], 0.8)
	}
}

// NSVD by its formulas with a subsample of three of seven points: eigenvalues (n/M)λ(K_MM), eigenvectors of which the
// first is K(X, X_M)v_1 over its length and the second orthogonal to it in the span of the first two.
func TestNSVDByHand(t *testing.T) {
	p := algostest.SmallSquare()
	g := algostest.NewExactGram(t, p)
	rows := NewGram(p).Subsample(3)
	block, across := mat.NewSymDense(3, nil), mat.NewDense(7, 3, nil)
	for a, i := range rows {
		for b, j := range rows {
			block.SetSym(a, b, g.K.At(i, j))
		}
		for j := range 7 {
			across.Set(j, a, g.K.At(j, i))
		}
	}
	values, v := algostest.Spectrum(t, block)
	var u mat.Dense
	u.Mul(across, v)
	got, err := NewGram(p).NSVD(2, 3)
	require.NoError(t, err)
	for j, l := range values {
		assert.InEpsilon(t, 7./3*l, got.Values[j], 1e-12)
	}
	first, second := u.ColView(0), mat.NewVecDense(7, nil)
	second.AddScaledVec(u.ColView(1), -mat.Dot(first, u.ColView(1))/mat.Dot(first, first), first)
	for j, want := range []mat.Vector{first, second} {
		dot := mat.Dot(mat.NewVecDense(7, columnOf(got.Vectors, j)), want) / mat.Norm(want, 2)
		assert.InDelta(t, 1, math.Abs(dot), 1e-12, "eigenvector %d", j+1)
	}
	_, err = NewGram(p).NSVD(3, 3)
	require.EqualError(t, err, "3 eigenvectors and one eigenvalue more need as many rows and columns, of 3 × 7")
}

// All rows, and more rows than there are, are a subsample of n.
func TestNSVDOfAllRows(t *testing.T) {
	g := NewGram(algostest.Problem(20, losses.Square{}))
	want, err := g.NSVD(3, 20)
	require.NoError(t, err)
	for _, m := range []int{0, 50} {
		got, err := g.NSVD(3, m)
		require.NoError(t, err)
		assert.Equal(t, want.Values, got.Values)
	}
}

// Of two rows close together, the second eigenvalue is taken if it is 10⁻⁷ of the first, for a covariance 10⁻¹⁴, and else called rounding.
func TestSecondEigenvalues(t *testing.T) {
	type decomposer = interface {
		Decompose(decomposition string, k, m int) (Eigensystem, error)
	}
	for least, of := range map[float64]func(p *algos.Problem) decomposer{
		1e-7: func(p *algos.Problem) decomposer { return NewGram(p) },
		1e-14: func(p *algos.Problem) decomposer {
			z, err := NewFeatureOperator("test", p, 1000)
			require.NoError(t, err)
			return z
		},
	} {
		for _, share := range []float64{10 * least, least / 10} {
			apart := 2 * 0.8 * math.Sqrt(share) // λ_2/λ_1 is d²/(2σ)² for rows d apart
			p := algostest.Single([][]float64{{0.1}, {0.1 + apart}}, []float64{1, 2}, losses.Square{}, 0)
			for _, decomposition := range []string{"nystrom", "rsvd"} {
				_, err := of(p).Decompose(decomposition, 1, 2)
				assert.Equal(t, share < least, err != nil, "%s: %g of the first", decomposition, share)
			}
		}
	}
}
