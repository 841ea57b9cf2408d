package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// A sketch of a quarter of all columns finds the eigenvalues of a kernel matrix to a hundredth, never above them,
// and with them the projection.
func TestSpectralSketchIsTheSpectrum(t *testing.T) {
	const n, k = 400, 25
	s := compute.NewStream(3, "inputs", 0)
	d := &algostest.Samples{X: compute.NewMatrix(n, 4), Y: compute.NewMatrix(n, 2)}
	for i := range d.X.Data {
		d.X.Data[i] = s.Normal()
	}
	for i := range n {
		d.Y.Set(i, 0, math.Sin(d.X.At(i, 0)))
		d.Y.Set(i, 1, d.X.At(i, 1)*d.X.At(i, 2))
	}
	p := &algos.Problem{Train: d, Kernel: kernels.Gaussian{Sigma: 2}, Loss: losses.Square{}, Engine: compute.NewEngine(compute.Options{Threads: 1})}
	exact, sketch := algostest.Start(t, &SpectralCutoff{Directions: k}, p), algostest.Start(t, &SpectralSketch{Directions: k, Sketch: 4 * k}, p)
	km := dense(p.Engine.KernelMatrix(p.Kernel, d.X, d.X))
	for i := range k {
		algostest.Steps(t, exact, 1)
		algostest.Steps(t, sketch, 1)
		want := algostest.Number(t, exact, "eigenvalue")
		got := algostest.Number(t, sketch, "eigenvalue")
		assert.InEpsilon(t, want, got, 0.01, "λ_%d", i+1)
		assert.LessOrEqual(t, got, want*(1+1e-9))
		assert.Less(t, algostest.Number(t, exact, "eigen-residual"), 1e-9)
		f := sketch.(cutoff).spectral
		var ke mat.VecDense
		ke.MulVec(km, f.vectors.ColView(i))
		ke.AddScaledVec(&ke, -got*n, f.vectors.ColView(i))
		residual := algostest.Number(t, sketch, "eigen-residual")
		assert.InEpsilon(t, ke.Norm(2)/n/got, residual, 1e-6)
		assert.LessOrEqual(t, math.Abs(want-got), residual*got, "an eigenvalue is no farther than the residual")
	}
	assert.InDeltaSlice(t, exact.Model().Predict(d.X).Data, sketch.Model().Predict(d.X).Data, 0.02)
}

// Eigenvalues from a subsample are means over its rows of squares of eigenfunctions, λ̂_i/λ_i of NSVD and
// (λ̂_i/λ_i)² of RSVD: the error of RSVD is half that of NSVD. Both have no bias for the first ones.
func TestErrorsOfSubsampledEigenvalues(t *testing.T) {
	const n, k, m, seeds = 150, 4, 60, 20
	var squares [2]float64
	p, g := algostest.SmoothGram(t, n)
	for seed := range seeds {
		for i, a := range []*SpectralSketch{
			{Directions: k, Decomposition: "rsvd", Sketch: m, Subsample: m},
			{Directions: k, Decomposition: "nystrom", Subsample: m},
		} {
			p.Seed = uint64(seed)
			s, err := a.eigensystem(parts.NewGram(p))
			require.NoError(t, err)
			for j, l := range s.Values[:k] {
				squares[i] += math.Pow(math.Log(l/g.Values[j]), 2) / (seeds * k)
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
	p, _ := algostest.SmoothGram(t, n)
	whole := algostest.Start(t, &SpectralSketch{Directions: k, Decomposition: "nystrom"}, p)
	exact := algostest.Start(t, &SpectralCutoff{Directions: k}, p)
	algostest.Steps(t, whole, k)
	algostest.Steps(t, exact, k)
	want := algostest.Number(t, exact, "eigenvalue")
	got := algostest.Number(t, whole, "eigenvalue")
	assert.InEpsilon(t, want, got, 1e-11)
	x := p.Train.(*algostest.Samples).X
	assert.InDeltaSlice(t, exact.Model().Predict(x).Data, whole.Model().Predict(x).Data, 1e-9)
}
