package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// The eigenbasis changes nothing about gradient descent.
func TestGDSpectralIsGD(t *testing.T) {
	p := algostest.SmallSquare()
	f, g := algostest.Start(t, &GD{Step: constant(1.5)}, p), algostest.Start(t, &GDSpectral{Eta: 1.5}, p)
	x, _ := p.Dense()
	for range 40 {
		algostest.Steps(t, f, 1)
		algostest.Steps(t, g, 1)
		assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-13)
	}
	own, exact := algostest.Start(t, &GD{Subsample: 7}, p), algostest.Start(t, &GDSpectral{}, p)
	algostest.Steps(t, own, 3)
	algostest.Steps(t, exact, 3)
	assert.InDeltaSlice(t, own.Model().Predict(x).Data, exact.Model().Predict(x).Data, 1e-13)
}

// On a uniform grid of the circle, heat kernels of any time have the harmonics as eigenvectors: the first 2j + 1
// are those up to frequency j. The targets are Σ_j sin(jx)/j for odd j: gradient descent with η = 1 multiplies what is
// left of each by 1 - exp(-j²s) a step, and the cut-off keeps some whole.
func TestSpectralMethodsOnTheCircle(t *testing.T) {
	const n, steps0 = 64, 100
	d := &algostest.Samples{X: compute.NewMatrix(n, 1), Y: compute.NewMatrix(n, 1)}
	for i := range n {
		angle := 2 * math.Pi * (float64(i) + 0.5) / n
		d.X.Set(i, 0, angle)
		for j := 1; j < n/2; j += 2 {
			d.Y.Data[i] += math.Sin(float64(j)*angle) / float64(j)
		}
	}
	predict := func(a algos.Algorithm, k kernels.Heat, count int) []float64 {
		p := &algos.Problem{Train: d, Kernel: k, Loss: losses.Square{}, Engine: compute.NewEngine(compute.Options{Threads: 1})}
		f := algostest.Start(t, a, p)
		algostest.Steps(t, f, count)
		return f.Model().Predict(d.X).Data
	}
	heat := kernels.Heat{Time: 0.5}
	gd, cut := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := 1; j < n/2; j += 2 {
			term := math.Sin(float64(j)*d.X.At(i, 0)) / float64(j)
			gd[i] += term * (1 - math.Pow(1-heat.Eigenvalue(j), steps0))
			if j <= 10 {
				cut[i] += term
			}
		}
	}
	assert.InDeltaSlice(t, gd, predict(&GDSpectral{Eta: 1}, heat, steps0), 1e-11)
	assert.InDeltaSlice(t, cut, predict(&SpectralCutoff{Directions: 21}, kernels.Heat{Time: 0.01}, 21), 1e-11)

	p := &algos.Problem{Train: d, Kernel: heat, Loss: losses.Square{}, Engine: compute.NewEngine(compute.Options{Threads: 1})}
	f := algostest.Start(t, &SpectralCutoff{Directions: 10}, p)
	algostest.Steps(t, f, 6)
	now, first := f.(algos.SpectrumFit).Eigenvalue()
	assert.InDelta(t, heat.Eigenvalue(3), now, 1e-13)
	assert.InDelta(t, 1, first, 1e-13)
	s := algostest.Start(t, &SpectralSketch{Directions: 7, Sketch: 40}, p)
	algostest.Steps(t, s, 6)
	now, first = s.(algos.SpectrumFit).Eigenvalue()
	assert.InDelta(t, heat.Eigenvalue(3), now, 1e-9)
	assert.InDelta(t, 1, first, 1e-9)
	_, err := (&SpectralCutoff{Directions: 40}).Start(p)
	require.EqualError(t, err, "spectral-cutoff: the kernel matrix of 64 rows has fewer than 40 eigenvalues above rounding errors; lower directions, or take a rougher kernel")
}

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
	km := p.Engine.KernelMatrix(p.Kernel, d.X, d.X)
	for i := range k {
		algostest.Steps(t, exact, 1)
		algostest.Steps(t, sketch, 1)
		want, _ := exact.(algos.SpectrumFit).Eigenvalue()
		got, _ := sketch.(algos.SpectrumFit).Eigenvalue()
		assert.InEpsilon(t, want, got, 0.01, "λ_%d", i+1)
		assert.LessOrEqual(t, got, want*(1+1e-9))
		assert.Less(t, exact.(algos.SpectrumFit).Residual(), 1e-9)
		f := sketch.(cutoff).spectral
		square := 0.0
		for r := range n {
			ke := 0.0
			for l := range n {
				ke += km.At(r, l) / n * f.vectors.At(l, i)
			}
			square += (ke - got*f.vectors.At(r, i)) * (ke - got*f.vectors.At(r, i))
		}
		residual := sketch.(algos.SpectrumFit).Residual()
		assert.InEpsilon(t, math.Sqrt(square)/got, residual, 1e-6)
		assert.LessOrEqual(t, math.Abs(want-got), residual*got, "an eigenvalue is no farther than the residual")
	}
	assert.InDeltaSlice(t, exact.Model().Predict(d.X).Data, sketch.Model().Predict(d.X).Data, 0.02)

	_, err := (&SpectralSketch{Directions: 25, Sketch: 25}).Start(p)
	require.EqualError(t, err, "spectral-sketch: a sketch of 25 columns cannot find 25 eigenvectors and one eigenvalue more: raise sketch, best to four times directions")
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
	want, _ := exact.(algos.SpectrumFit).Eigenvalue()
	got, _ := whole.(algos.SpectrumFit).Eigenvalue()
	assert.InEpsilon(t, want, got, 1e-11)
	x := p.Train.(*algostest.Samples).X
	assert.InDeltaSlice(t, exact.Model().Predict(x).Data, whole.Model().Predict(x).Data, 1e-9)
}
