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
)

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
	now, ratio := algostest.Number(t, f, "eigenvalue"), algostest.Number(t, f, "eigenvalue-ratio")
	assert.InDelta(t, heat.Eigenvalue(3), now, 1e-13)
	assert.InDelta(t, 1, ratio*now, 1e-13)
	s := algostest.Start(t, &SpectralSketch{Directions: 7, Sketch: 40}, p)
	algostest.Steps(t, s, 6)
	now, ratio = algostest.Number(t, s, "eigenvalue"), algostest.Number(t, s, "eigenvalue-ratio")
	assert.InDelta(t, heat.Eigenvalue(3), now, 1e-9)
	assert.InDelta(t, 1, ratio*now, 1e-9)
	_, err := (&SpectralCutoff{Directions: 40}).Start(p)
	require.EqualError(t, err, "spectral-cutoff: the kernel matrix of 64 rows has fewer than 40 eigenvalues above rounding errors; lower directions, or take a rougher kernel")
}
