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

// TestRandomFeaturesByDefinition writes k̂, its errors and the predictor down as the definition has them.
func TestRandomFeaturesByDefinition(t *testing.T) {
	const n, F, R, T = 40, 5, 2, 3
	p := algostest.Problem(n, losses.Square{})
	f := algostest.Start(t, &RandomFeatures{Block: F, Estimates: R}, p)
	x, y := p.Dense()
	z := algostest.Queries(3)
	phi := func(x compute.Matrix) compute.Matrix {
		k := p.Kernel.(kernels.Featured).Features(p.Seed, 3, F)
		return p.Engine.FeatureMatrix(k, x, compute.Range{Lo: 0, Hi: R * T})
	}
	// Estimate r has the blocks r, R + r, 2R + r.
	estimate := func(r int, phi, psi []float64) (k float64) {
		for l, v := range phi {
			if l/F%R == r {
				k += v * psi[l] / (F * T)
			}
		}
		return k
	}
	algostest.Steps(t, f, T)

	train, test, square, worst := phi(x), phi(z), 0.0, 0.0
	for r := range R {
		largest := 0.0
		for i := range n {
			for j := range i + 1 {
				off := estimate(r, train.Row(i), train.Row(j)) - algostest.Gaussian(x.Row(i), x.Row(j))
				square += off * off / (R * n * (n + 1) / 2)
				largest = max(largest, math.Abs(off))
			}
		}
		worst += largest * largest / R
	}
	rms, most := algostest.Number(t, f, "kernel-error"), algostest.Number(t, f, "kernel-max-error")
	// Sums of a few dozen terms of size 1, in other orders.
	assert.InDelta(t, math.Sqrt(square), rms, 1e-14)
	assert.InDelta(t, math.Sqrt(worst), most, 1e-14)

	u := f.Model().Predict(z)
	for i := range z.Rows {
		for c := range 2 {
			want := 0.0
			for j := range n {
				want += y.At(j, c) * (estimate(0, test.Row(i), train.Row(j)) + estimate(1, test.Row(i), train.Row(j))) / (R * n)
			}
			assert.InDelta(t, want, u.At(i, c), 1e-14)
		}
	}
}

func TestRandomFeaturesBeforeTheFirstStep(t *testing.T) {
	p := algostest.Problem(1, losses.Square{})
	f := algostest.Start(t, &RandomFeatures{Block: 4, Estimates: 1}, p)
	rms, largest := algostest.Number(t, f, "kernel-error"), algostest.Number(t, f, "kernel-max-error")
	assert.Equal(t, []float64{1, 1}, []float64{rms, largest}, "k(x, x) = 1 against 0")
	assert.Equal(t, make([]float64, 22), f.Model().Predict(algostest.Queries(3)).Data)
}

func TestRandomFeaturesErrors(t *testing.T) {
	a, p := &RandomFeatures{Block: 1, Estimates: 1}, algostest.Problem(5, losses.Logistic{})
	_, err := a.Start(p)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.ErrorContains(t, err, "random-features needs the square loss, not logistic")

	p = algostest.Problem(5, losses.Square{})
	p.Kernel = featureless{p.Kernel}
	_, err = a.Start(p)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.ErrorContains(t, err, "random-features needs a kernel with random features, not featureless")

	_, err = a.Start(algostest.Problem(4097, losses.Square{}))
	assert.EqualError(t, err, "random-features compares all pairs of at most 4096 training rows, and there are 4097; lower data.train")
}
