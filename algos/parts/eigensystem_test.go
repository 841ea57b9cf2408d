package parts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// A matrix of a rank that the sketch holds is decomposed to rounding errors, as gonum's SVD does it.
func TestRSVDAgainstSVD(t *testing.T) {
	const m, d, k = 40, 60, 5
	s := compute.NewStream(3, "rsvd", 0)
	left, right := mat.NewDense(m, 2*(k+1), nil), mat.NewDense(d, 2*(k+1), nil)
	for j := range 2 * (k + 1) {
		for i := range m {
			left.Set(i, j, s.Normal()*math.Pow(2, -float64(j)))
		}
		for i := range d {
			right.Set(i, j, s.Normal())
		}
	}
	var a mat.Dense
	a.Mul(left, right.T())
	var svd mat.SVD
	require.True(t, svd.Factorize(&a, mat.SVDThin))
	var v mat.Dense
	svd.VTo(&v)

	got, err := RSVD(compute.NewEngine(compute.Options{Threads: 1}), denseOperator{&a}, k, SketchOf(k), compute.NewStream(1, "sketch", 0))
	require.NoError(t, err)
	require.Len(t, got.Values, k+1)
	for j, want := range svd.Values(nil)[:k+1] {
		assert.InEpsilon(t, want*want, got.Values[j], 1e-12, "eigenvalue %d", j+1)
		if j == k {
			break
		}
		dot := 0.0
		for i := range d {
			dot += got.Vectors.At(i, j) * v.At(i, j)
		}
		assert.InDelta(t, 1, math.Abs(dot), 1e-12, "eigenvector %d", j+1)
	}
	_, err = RSVD(compute.NewEngine(compute.Options{Threads: 1}), denseOperator{&a}, 12, SketchOf(12), compute.NewStream(1, "sketch", 0))
	assert.EqualError(t, err, "eigenvalue 13 is below 1e-7 of the first, where rounding errors begin: take fewer than 12 eigenvectors")
	_, err = RSVD(compute.NewEngine(compute.Options{Threads: 1}), denseOperator{&a}, 40, SketchOf(40), compute.NewStream(1, "sketch", 0))
	assert.EqualError(t, err, "40 eigenvectors and one eigenvalue more need as many rows and columns, of 40 × 60")
}

// denseOperator is a matrix of gonum as an operator.
type denseOperator struct{ a *mat.Dense }

func (o denseOperator) Dims() (r, c int) { return o.a.Dims() }

func (o denseOperator) MulTo(dst, v compute.Matrix) { multiply(dst, o.a, v) }

func (o denseOperator) MulTransTo(dst, v compute.Matrix) { multiply(dst, o.a.T(), v) }

func (o denseOperator) Select(rows []int) compute.Operator {
	s := mat.NewDense(len(rows), o.a.RawMatrix().Cols, nil)
	for i, r := range rows {
		s.SetRow(i, o.a.RawRowView(r))
	}
	return denseOperator{s}
}

func multiply(dst compute.Matrix, a mat.Matrix, v compute.Matrix) {
	mat.NewDense(dst.Rows, dst.Cols, dst.Data).Mul(a, mat.NewDense(v.Rows, v.Cols, v.Data))
}

// angle returns the largest sine of the angles between a column of v and that of the exact eigenvectors.
func angle(g algostest.ExactGram, v compute.Matrix) float64 {
	largest := 0.0
	for j := range v.Cols {
		dot := 0.0
		for i := range v.Rows {
			dot += v.At(i, j) * g.Vectors.At(i, j)
		}
		largest = max(largest, math.Sqrt(max(0, 1-dot*dot)))
	}
	return largest
}

// orthogonality returns the largest entry of VᵀV - I.
func orthogonality(v compute.Matrix) float64 {
	var w mat.Dense
	m := mat.NewDense(v.Rows, v.Cols, v.Data)
	w.Mul(m.T(), m)
	largest := 0.0
	for i := range v.Cols {
		w.Set(i, i, w.At(i, i)-1)
		for j := range v.Cols {
			largest = max(largest, math.Abs(w.At(i, j)))
		}
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
	var e mat.EigenSym
	require.True(t, e.Factorize(block, true))
	var v, u mat.Dense
	e.VectorsTo(&v)
	u.Mul(across, &v) // ascending
	got, err := NewGram(p).NSVD(2, 3)
	require.NoError(t, err)
	for j, l := range e.Values(nil) {
		assert.InEpsilon(t, 7./3*l, got.Values[2-j], 1e-12)
	}
	first, second := u.ColView(2), mat.NewVecDense(7, nil)
	second.AddScaledVec(u.ColView(1), -mat.Dot(first, u.ColView(1))/mat.Dot(first, first), first)
	for j, want := range []mat.Vector{first, second} {
		dot := 0.0
		for i := range 7 {
			dot += got.Vectors.At(i, j) * want.AtVec(i) / mat.Norm(want, 2)
		}
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
	for least, decompose := range map[float64]func(p *algos.Problem) func(decomposition string, k, m int) (Eigensystem, error){
		1e-7: func(p *algos.Problem) func(string, int, int) (Eigensystem, error) { return NewGram(p).Decompose },
		1e-14: func(p *algos.Problem) func(string, int, int) (Eigensystem, error) {
			z, err := NewFeatureOperator("test", p, 1000)
			require.NoError(t, err)
			return z.Decompose
		},
	} {
		for _, share := range []float64{10 * least, least / 10} {
			apart := 2 * 0.8 * math.Sqrt(share) // λ_2/λ_1 is d²/(2σ)² for rows d apart
			p := algostest.Single([][]float64{{0.1}, {0.1 + apart}}, []float64{1, 2}, losses.Square{}, 0)
			for _, decomposition := range []string{"nystrom", "rsvd"} {
				_, err := decompose(p)(decomposition, 1, 2)
				assert.Equal(t, share < least, err != nil, "%s: %g of the first", decomposition, share)
			}
		}
	}
}
