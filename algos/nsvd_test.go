package algos

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// smoothGram is a problem of n normal inputs whose kernel matrix has fast decay, with that matrix's eigenvalues
// and eigenvectors by gonum.
func smoothGram(t *testing.T, n int) (*Problem, exactGram) {
	t.Helper()
	s := compute.NewStream(3, "inputs", 0)
	d := &dense{x: compute.NewMatrix(n, 2), y: compute.NewMatrix(n, 1)}
	for i := range d.x.Data {
		d.x.Data[i] = s.Normal()
	}
	p := &Problem{Train: d, Kernel: kernels.Gaussian{Sigma: 0.8}, Loss: losses.Square{}, Seed: 5,
		Engine: compute.NewEngine(compute.Options{Threads: 1})}
	return p, newExactGram(t, p)
}

// angle returns the largest sine of the angles between a column of v and that of the exact eigenvectors.
func angle(g exactGram, v compute.Matrix) float64 {
	largest := 0.0
	for j := range v.Cols {
		dot := 0.0
		for i := range v.Rows {
			dot += v.At(i, j) * g.vectors.At(i, j)
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
		p, g := smoothGram(t, n)
		p.Engine = compute.NewEngine(compute.Options{Threads: 1, MemoryBytes: memory})
		kn := newGram(p)
		errors := map[string]float64{}
		for _, decomposition := range []string{"nystrom", "rsvd"} {
			all, err := kn.decompose(decomposition, k, n)
			require.NoError(t, err)
			require.Len(t, all.values, k+1)
			values, vectors := 1e-11, 1e-7 // a sine from a cosine with rounding errors of 1e-15
			if decomposition == "rsvd" {
				values, vectors = 2e-2, 0.2 // a sketch of 14 columns without power iterations
			}
			assert.InEpsilonSlice(t, g.values[:k+1], all.values, values, decomposition)
			assert.Less(t, angle(g, all.vectors), vectors, decomposition)
			assert.Less(t, orthogonality(all.vectors), 1e-13)

			part, err := kn.decompose(decomposition, k, 50)
			require.NoError(t, err)
			// The factor n/M: eigenvalues of a third of the rows scatter by √(2/50).
			assert.InEpsilonSlice(t, g.values[:3], part.values[:3], 2*math.Sqrt(2./50), decomposition)
			assert.Less(t, orthogonality(part.vectors), 1e-13)
			errors[decomposition] = angle(g, part.vectors)
		}
		assert.Less(t, errors["rsvd"], errors["nystrom"], "ma2017 App. A: NSVD has larger errors from as many rows")
		assert.Less(t, errors["nystrom"], 0.8)
	}
}

// NSVD by its formulas with a subsample of three of seven points: eigenvalues (n/M)λ(K_MM), eigenvectors of which the
// first is K(X, X_M)v_1 over its length and the second orthogonal to it in the span of the first two.
func TestNSVDByHand(t *testing.T) {
	p := smallSquare()
	g := newExactGram(t, p)
	rows := newGram(p).subsample(3)
	block, across := mat.NewSymDense(3, nil), mat.NewDense(7, 3, nil)
	for a, i := range rows {
		for b, j := range rows {
			block.SetSym(a, b, g.k.At(i, j))
		}
		for j := range 7 {
			across.Set(j, a, g.k.At(j, i))
		}
	}
	var e mat.EigenSym
	require.True(t, e.Factorize(block, true))
	var v, u mat.Dense
	e.VectorsTo(&v)
	u.Mul(across, &v) // ascending
	got, err := newGram(p).nsvd(2, 3)
	require.NoError(t, err)
	for j, l := range e.Values(nil) {
		assert.InEpsilon(t, 7./3*l, got.values[2-j], 1e-12)
	}
	first, second := u.ColView(2), mat.NewVecDense(7, nil)
	second.AddScaledVec(u.ColView(1), -mat.Dot(first, u.ColView(1))/mat.Dot(first, first), first)
	for j, want := range []mat.Vector{first, second} {
		dot := 0.0
		for i := range 7 {
			dot += got.vectors.At(i, j) * want.AtVec(i) / mat.Norm(want, 2)
		}
		assert.InDelta(t, 1, math.Abs(dot), 1e-12, "eigenvector %d", j+1)
	}
	_, err = newGram(p).nsvd(3, 3)
	require.EqualError(t, err, "3 eigenvectors and one eigenvalue more need as many rows and columns, of 3 × 7")
}

// NSVD of random features is the eigendecomposition of Z_MᵀZ_M/M, whatever M; RSVD is with a sketch of all columns.
func TestNSVDOfFeaturesIsExact(t *testing.T) {
	p := problem(40, losses.Square{})
	const r, k, m = 30, 4, 25
	f, err := newFeaturesFit("eigenpro-rf", p, r, 7)
	require.NoError(t, err)
	want, err := f.eigensystem(k, r, m)
	require.NoError(t, err)
	got, err := f.decompose("nystrom", k, m)
	require.NoError(t, err)
	assert.InEpsilonSlice(t, want.values, got.values, 1e-10)
	for j := range k {
		dot := 0.0
		for i := range r {
			dot += want.vectors.At(i, j) * got.vectors.At(i, j)
		}
		assert.InDelta(t, 1, math.Abs(dot), 1e-10, "eigenvector %d", j+1)
	}
}

// EigenPro with NSVD of all rows is EigenPro with exact eigenvectors, which RSVD has with a sketch of all columns.
func TestEigenProDecompositions(t *testing.T) {
	var alpha [2][]float64
	for i, decomposition := range []string{"rsvd", "nystrom"} {
		a := &EigenPro{EigenProSettings{Batch: 3, Directions: 3, Subsample: 7, Tau: 1, Decomposition: decomposition, Flatten: "sqrt", Rule: "code"}}
		f := start(t, a, smallSquare())
		steps(t, f, 5)
		alpha[i] = f.(Expansion).Coefficients().Data
	}
	assert.InDeltaSlice(t, alpha[0], alpha[1], 1e-10) // condition number 1e3
}

// Eigenvalues from a subsample are means over its rows of squares of eigenfunctions, λ̂_i/λ_i of NSVD and
// (λ̂_i/λ_i)² of RSVD: the error of RSVD is half that of NSVD. Both have no bias for the first ones.
func TestErrorsOfSubsampledEigenvalues(t *testing.T) {
	const n, k, m, seeds = 150, 4, 60, 20
	var squares [2]float64
	p, g := smoothGram(t, n)
	for seed := range seeds {
		for i, a := range []*SpectralSketch{
			{Directions: k, Decomposition: "rsvd", Sketch: m, Subsample: m},
			{Directions: k, Decomposition: "nystrom", Subsample: m},
		} {
			p.Seed = uint64(seed)
			s, err := a.eigensystem(newGram(p))
			require.NoError(t, err)
			for j, l := range s.values[:k] {
				squares[i] += math.Pow(math.Log(l/g.values[j]), 2) / (seeds * k)
			}
		}
	}
	// A ratio of variances from 20 seeds, of eigenvalues that are not independent, scatters by a third and more.
	assert.InDelta(t, 0.5, math.Sqrt(squares[0]/squares[1]), 0.2)
	assert.Less(t, math.Sqrt(squares[1]), 2*math.Sqrt(2./m))
}

// NSVD of all rows is the spectrum.
func TestSpectralSketchByNSVD(t *testing.T) {
	const n, k = 150, 8
	p, _ := smoothGram(t, n)
	whole := start(t, &SpectralSketch{Directions: k, Decomposition: "nystrom"}, p)
	exact := start(t, &SpectralCutoff{Directions: k}, p)
	steps(t, whole, k)
	steps(t, exact, k)
	want, _ := exact.(SpectrumFit).Eigenvalue()
	got, _ := whole.(SpectrumFit).Eigenvalue()
	assert.InEpsilon(t, want, got, 1e-11)
	x := p.Train.(*dense).x
	assert.InDeltaSlice(t, exact.Model().Predict(x).Data, whole.Model().Predict(x).Data, 1e-9)
}
