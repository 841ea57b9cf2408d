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

// On a uniform grid of n points of the circle K/n has the harmonics as eigenvectors. Frequencies j, n - j, n + j, 2n - j … coincide there, so
// that the eigenvalue of frequency j < n/2 is half the sum of their weights, which for the heat kernel are 2exp(-l²s). The Sobolev kernel is 1
// on the diagonal, and no eigenvalue is negative.
func TestEigenvaluesOnTheCircle(t *testing.T) {
	const n = 64
	x := compute.NewMatrix(n, 1)
	for i := range n {
		x.Set(i, 0, 2*math.Pi*float64(i)/n)
	}
	heat, harmonic := Heat{0.5}, make([]float64, n)
	weights := map[Kernel][]float64{heat: make([]float64, 2*n)}
	for l := range weights[heat] {
		weights[heat][l] = 2 * math.Exp(-float64((l+1)*(l+1))*heat.Time)
	}
	for _, alpha := range capacities {
		k := PeriodicSobolev{alpha}
		weights[k] = k.Weights()
		assert.InDelta(t, 1, floats.Sum(weights[k]), 1e-14)
		assert.InDelta(t, math.Pow(3, -1/alpha), weights[k][2]/weights[k][0], 1e-14)
	}
	for k, p := range weights {
		gram := engine(compute.Float64).KernelMatrix(k, x, x)
		tolerance := 1e-14
		if k != heat {
			tolerance = SobolevFrequencies * 0x1p-52 // Clenshaw's recurrence amplifies roundings by at most J
			assert.InDelta(t, 1, gram.At(n/2, n/2), tolerance)
			var e mat.EigenSym
			require.True(t, e.Factorize(mat.NewSymDense(n, gram.Clone().Data), false))
			assert.GreaterOrEqual(t, e.Values(nil)[0], -n*tolerance)
		}
		for j := 1; j < n/2; j++ {
			want := 0.0
			for l := 1; l <= len(p); l++ {
				if l%n == j || l%n == n-j {
					want += p[l-1] / 2
				}
			}
			for i := range n {
				harmonic[i] = math.Sin(float64(j)*x.At(i, 0) + 0.3)
			}
			for i := range n {
				require.InDelta(t, want*harmonic[i], floats.Dot(gram.Row(i), harmonic)/n, tolerance, "%s, frequency %d", k.Name(), j)
			}
			if k == heat {
				assert.InDelta(t, want, heat.Eigenvalue(j), tolerance)
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
