package kernels

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

// capacities are those of carratino2018/fast-rates and the largest.
var capacities = []float64{0.2, 0.33, 0.5, 0.67, 0.9, 1}

// For integer smoothness the infinite series is a Bernoulli polynomial: Σ cos(jd)/j² = π²/6 - πd/2 + d²/4 and
// Σ cos(jd)/j⁴ = π⁴/90 - π²d²/12 + πd³/12 - d⁴/48. The terms beyond J sum to at most 1/J and 1/(3J³).
func TestPeriodicSobolevIsABernoulliPolynomial(t *testing.T) {
	const pi = math.Pi
	for alpha, series := range map[float64]struct {
		zeta, rest float64
		at         func(d float64) float64
	}{
		0.5:  {pi * pi / 6, 1. / SobolevFrequencies, func(d float64) float64 { return pi*pi/6 - pi*d/2 + d*d/4 }},
		0.25: {pi * pi * pi * pi / 90, 1. / (3 << 30), func(d float64) float64 { return pi*pi*pi*pi/90 - pi*pi*d*d/12 + pi*d*d*d/12 - d*d*d*d/48 }},
	} {
		k, err := New(Config{Name: "periodic-sobolev", Capacity: alpha}, 0)
		require.NoError(t, err)
		for _, d := range []float64{0, 1e-3, 0.5, 2, pi, 5, 2 * pi} {
			got, single := []float64{d * d}, []float32{float32(d * d)}
			apply(k, got)
			apply(k, single)
			// Both the sum and its normalisation lack the rest.
			assert.InDelta(t, series.at(d)/series.zeta, got[0], 2*series.rest, "α = %v, d = %v", alpha, d)
			// The slope of k is at most 3, and d is rounded to float32.
			assert.InDelta(t, got[0], float64(single[0]), 3e-6, "α = %v, d = %v", alpha, d)
		}
	}
}

// circle returns n points of a uniform grid of the circle.
func circle(n int) compute.Matrix {
	x := compute.NewMatrix(n, 1)
	for i := range n {
		x.Set(i, 0, 2*math.Pi*float64(i)/float64(n))
	}
	return x
}

// On a uniform grid of n points K/n has the harmonics as eigenvectors. Frequencies j, n - j, n + j, 2n - j … coincide
// there, so that the eigenvalue of frequency j < n/2 is half the sum of their weights. The kernel is 1 on the diagonal,
// and no eigenvalue is negative.
func TestPeriodicSobolevEigenvalues(t *testing.T) {
	const n = 64
	x := circle(n)
	for _, alpha := range capacities {
		k := PeriodicSobolev{alpha}
		gram := compute.NewEngine(compute.Options{Threads: 1}).KernelMatrix(k, x, x)
		p := k.Weights()
		assert.InDelta(t, 1, floats.Sum(p), 1e-14)
		assert.InDelta(t, math.Pow(3, -1/alpha), p[2]/p[0], 1e-14)
		for j := 1; j < n/2; j++ {
			want := 0.0
			for l := 1; l <= len(p); l++ {
				if l%n == j || l%n == n-j {
					want += p[l-1] / 2
				}
			}
			for i := range n {
				f := 0.0
				for l := range n {
					f += gram.At(i, l) / n * math.Sin(float64(j)*x.At(l, 0)+0.3)
				}
				// Clenshaw's recurrence amplifies roundings by at most J.
				require.InDelta(t, want*math.Sin(float64(j)*x.At(i, 0)+0.3), f, SobolevFrequencies*0x1p-52, "α = %v, frequency %d", alpha, j)
			}
		}
		for i := range n {
			require.InDelta(t, 1, gram.At(i, i), SobolevFrequencies*0x1p-52)
		}
		var e mat.EigenSym
		require.True(t, e.Factorize(mat.NewSymDense(n, gram.Data), false))
		assert.GreaterOrEqual(t, e.Values(nil)[0], -n*SobolevFrequencies*0x1p-52)
	}
}

// E[φ(x) φ(z)] = k(x, z). A product of features is at most 2, so that a mean over D has a standard deviation of at most
// 2/√D; 6 kernels, 10 pairs and 2 precisions are 120 means at 5 of them: false alarm for less than 0.01 % of seeds. The error
// of a feature in float32 is far smaller.
func TestPeriodicSobolevFeatures(t *testing.T) {
	const features = 1 << 16
	x := compute.Matrix{Rows: 4, Cols: 1, Stride: 1, Data: []float64{0.1, 0.35, 2, 6.2}}
	for precision := range precisions {
		for _, alpha := range capacities {
			k := PeriodicSobolev{alpha}
			want := engine(compute.Float64).KernelMatrix(k, x, x)
			phi := engine(precision).FeatureMatrix(k.Features(7, 1, 256), x, compute.Range{Lo: 0, Hi: features / 256})
			for i := range x.Rows {
				for j := range i + 1 {
					assert.InDelta(t, want.At(i, j), mean(phi.Row(i), phi.Row(j)), deviations*2/math.Sqrt(features), "%s, α = %v, points %d and %d", precision, alpha, i, j)
				}
			}
		}
	}
}

func TestPeriodicSobolevNeeds(t *testing.T) {
	_, need := Outside(PeriodicSobolev{0.5}, []float64{1, 2})
	assert.Equal(t, "one input, an angle in radians", need)
	for capacity, want := range map[float64]string{
		0:   "kernel periodic-sobolev: capacity: missing; kernel periodic-sobolev needs a number > 0 and <= 1",
		1.5: "kernel periodic-sobolev: capacity: must be > 0 and <= 1, got 1.5",
	} {
		_, err := New(Config{Name: "periodic-sobolev", Capacity: capacity}, 0)
		assert.EqualError(t, err, want)
	}
}
