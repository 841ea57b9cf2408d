package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// pairsOf is z(x) by its definition, with the frequencies (inputs × D) in turns.
func pairsOf(omega compute.Matrix, x []float64) []float64 {
	d := omega.Cols
	z := make([]float64, 2*d)
	for j := range d {
		turns := 0.0
		for l, v := range x {
			turns += v * omega.At(l, j)
		}
		z[j], z[d+j] = math.Sincos(2 * math.Pi * turns)
	}
	return z
}

// The predictions are those of the codes that the doc comment of FOGD cites. 1e-11 is a thousand roundings of w for each of
// 200 rounds.
func TestFOGDByDefinition(t *testing.T) {
	const n, D = 200, 30
	step := &schedules.InverseSqrt{Gamma0: 0.3}
	for _, normalise := range []bool{true, false} {
		p := algostest.Problem(n, losses.Square{})
		a := &FOGD{Features: D, Normalise: normalise, Step: step}
		if !normalise {
			a.Step = &schedules.Constant{Gamma0: 0.01}
		}
		u, x, y := record(t, a, p, n)
		omega := compute.NewMatrix(3, D)
		p.Kernel.(kernels.Featured).Features(p.Seed, 3, D).(compute.ProjectionMap).Draw(0, omega, make([]float64, D))
		w := compute.NewMatrix(2*D, 2)
		for i := range n {
			z, eta := pairsOf(omega, x.Row(i)), a.Step.Gamma(i+1)
			for c := range 2 {
				want := 0.0
				for j, v := range z {
					want += w.At(j, c) * v
				}
				if normalise {
					want /= D
				}
				assert.InDelta(t, want, u[i][c], 1e-11, "round %d", i)
				for j, v := range z {
					if normalise {
						w.Data[2*j+c] -= 2 * eta * (want - y.At(i, c)) * v
					} else {
						w.Data[2*j+c] += eta * (y.At(i, c) - want) * v
					}
				}
			}
		}
	}
}

// The features estimate the kernel: a product of pairs is the mean of D cosines, whose variance is at most 1/2. 5 standard
// deviations have a false alarm in 10⁶ comparisons.
func TestFOGDFeaturesEstimateTheKernel(t *testing.T) {
	const D = 20000
	x := algostest.Queries(3)
	for _, kernel := range []kernels.Featured{kernels.Gaussian{Sigma: 0.8}, kernels.SkewedIntersection{C: 10}} {
		p := algostest.Problem(20, losses.Square{})
		p.Kernel = kernel
		f := algostest.Start(t, &FOGD{Features: D, Step: &schedules.Constant{Gamma0: 1}}, p).(*fogd)
		z, k := f.Z.At(x), p.Engine.KernelMatrix(kernel, x, x)
		for i := range x.Rows {
			for j := range i + 1 {
				product := 0.0
				for l, v := range z.Row(i) {
					product += v * z.At(j, l)
				}
				assert.InDelta(t, k.At(i, j), product, 5/math.Sqrt(2*D), "%s at rows %d and %d", kernel.Name(), i, j)
			}
			assert.InDelta(t, 1, k.At(i, i), 1e-12)
		}
	}
}
