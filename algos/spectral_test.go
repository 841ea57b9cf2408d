package algos

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// The eigenbasis changes nothing about gradient descent.
func TestGDSpectralIsGD(t *testing.T) {
	p := smallSquare()
	f, g := start(t, &GD{Step: constant(1.5)}, p), start(t, &GDSpectral{Eta: 1.5}, p)
	x, _ := p.Dense()
	for range 40 {
		steps(t, f, 1)
		steps(t, g, 1)
		assert.InDeltaSlice(t, f.Model().Predict(x).Data, g.Model().Predict(x).Data, 1e-13)
	}
	own, exact := start(t, &GD{Subsample: 7}, p), start(t, &GDSpectral{}, p)
	steps(t, own, 3)
	steps(t, exact, 3)
	assert.InDeltaSlice(t, own.Model().Predict(x).Data, exact.Model().Predict(x).Data, 1e-13)
}

// On a uniform grid of the circle, heat kernels of any time have the harmonics as eigenvectors: the first 2j + 1
// are those up to frequency j. The targets are Σ_j sin(jx)/j for odd j: gradient descent with η = 1 multiplies what is
// left of each by 1 - exp(-j²s) a step, and the cut-off keeps some whole.
func TestSpectralMethodsOnTheCircle(t *testing.T) {
	const n, steps0 = 64, 100
	d := &dense{x: compute.NewMatrix(n, 1), y: compute.NewMatrix(n, 1)}
	for i := range n {
		angle := 2 * math.Pi * (float64(i) + 0.5) / n
		d.x.Set(i, 0, angle)
		for j := 1; j < n/2; j += 2 {
			d.y.Data[i] += math.Sin(float64(j)*angle) / float64(j)
		}
	}
	predict := func(a Algorithm, k kernels.Heat, count int) []float64 {
		p := &Problem{Train: d, Kernel: k, Loss: losses.Square{}, Engine: compute.NewEngine(compute.Options{Threads: 1})}
		f := start(t, a, p)
		steps(t, f, count)
		return f.Model().Predict(d.x).Data
	}
	heat := kernels.Heat{Time: 0.5}
	gd, cut := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := 1; j < n/2; j += 2 {
			term := math.Sin(float64(j)*d.x.At(i, 0)) / float64(j)
			gd[i] += term * (1 - math.Pow(1-heat.Eigenvalue(j), steps0))
			if j <= 10 {
				cut[i] += term
			}
		}
	}
	assert.InDeltaSlice(t, gd, predict(&GDSpectral{Eta: 1}, heat, steps0), 1e-11)
	assert.InDeltaSlice(t, cut, predict(&SpectralCutoff{Directions: 21}, kernels.Heat{Time: 0.01}, 21), 1e-11)

	p := &Problem{Train: d, Kernel: heat, Loss: losses.Square{}, Engine: compute.NewEngine(compute.Options{Threads: 1})}
	f := start(t, &SpectralCutoff{Directions: 10}, p)
	steps(t, f, 6)
	now, first := f.(SpectrumFit).Eigenvalue()
	assert.InDelta(t, heat.Eigenvalue(3), now, 1e-13)
	assert.InDelta(t, 1, first, 1e-13)
	s := start(t, &SpectralSketch{Directions: 7, Sketch: 40}, p)
	steps(t, s, 6)
	now, first = s.(SpectrumFit).Eigenvalue()
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
	d := &dense{x: compute.NewMatrix(n, 4), y: compute.NewMatrix(n, 2)}
	for i := range d.x.Data {
		d.x.Data[i] = s.Normal()
	}
	for i := range n {
		d.y.Set(i, 0, math.Sin(d.x.At(i, 0)))
		d.y.Set(i, 1, d.x.At(i, 1)*d.x.At(i, 2))
	}
	p := &Problem{Train: d, Kernel: kernels.Gaussian{Sigma: 2}, Loss: losses.Square{}, Engine: compute.NewEngine(compute.Options{Threads: 1})}
	exact, sketch := start(t, &SpectralCutoff{Directions: k}, p), start(t, &SpectralSketch{Directions: k, Sketch: 4 * k}, p)
	km := p.Engine.KernelMatrix(p.Kernel, d.x, d.x)
	for i := range k {
		steps(t, exact, 1)
		steps(t, sketch, 1)
		want, _ := exact.(SpectrumFit).Eigenvalue()
		got, _ := sketch.(SpectrumFit).Eigenvalue()
		assert.InEpsilon(t, want, got, 0.01, "λ_%d", i+1)
		assert.LessOrEqual(t, got, want*(1+1e-9))
		assert.Less(t, exact.(SpectrumFit).Residual(), 1e-9)
		f := sketch.(cutoff).spectral
		square := 0.0
		for r := range n {
			ke := 0.0
			for l := range n {
				ke += km.At(r, l) / n * f.vectors.At(l, i)
			}
			square += (ke - got*f.vectors.At(r, i)) * (ke - got*f.vectors.At(r, i))
		}
		residual := sketch.(SpectrumFit).Residual()
		assert.InEpsilon(t, math.Sqrt(square)/got, residual, 1e-6)
		assert.LessOrEqual(t, math.Abs(want-got), residual*got, "an eigenvalue is no farther than the residual")
	}
	assert.InDeltaSlice(t, exact.Model().Predict(d.x).Data, sketch.Model().Predict(d.x).Data, 0.02)

	_, err := (&SpectralSketch{Directions: 25, Sketch: 25}).Start(p)
	require.EqualError(t, err, "spectral-sketch: a sketch of 25 columns cannot find 25 eigenvectors and one eigenvalue more: raise sketch, best to four times directions")
}
