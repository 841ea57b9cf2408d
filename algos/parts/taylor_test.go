package parts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
)

// There are C(M+d, d) functions [jezequel2019 §4]: the numbers of its experiments.
func TestTaylorFunctions(t *testing.T) {
	for _, c := range []struct{ in, order, want int }{
		{9, 2, 55}, {9, 3, 220}, {9, 4, 715}, {22, 2, 276}, {22, 3, 2300}, {8, 2, 45}, {8, 3, 165}, {8, 4, 495}, {18, 2, 190}, {18, 3, 1330}, {5, 2, 21}, {5, 3, 56}, {5, 4, 126},
	} {
		f, err := NewTaylor(c.in, c.order, 1)
		require.NoError(t, err)
		assert.Equal(t, c.want, f.Len())
		assert.EqualValues(t, c.want, TaylorFunctions(c.in, c.order))
	}
	_, err := NewTaylor(200, 4, 1)
	require.ErrorIs(t, err, algos.ErrUnsupported)
	assert.EqualError(t, err, "method does not apply: 200 inputs have 7.01e+07 Taylor functions of order 4, more than 65536: choose a smaller order")
	assert.Greater(t, TaylorFunctions(math.MaxInt32, 64), 1e100)
}

// |k(x, z) - Σ_k g_k(x) g_k(z)| ≤ (R/σ)^(2M+2)/(M+1)! for |x|, |z| ≤ R [jezequel2019 Lemma 4.4], and the bound is not far
// from the error.
func TestTaylorApproximatesTheKernel(t *testing.T) {
	const in, sigma = 3, 0.9
	s := compute.NewStream(3, "taylor", 0)
	for order := 1; order <= 8; order++ {
		f, err := NewTaylor(in, order, sigma)
		require.NoError(t, err)
		u, v := make([]float64, f.Len()), make([]float64, f.Len())
		worst := 0.0
		for range 200 {
			x, z := make([]float64, in), make([]float64, in)
			radius := 0.0
			for _, p := range [][]float64{x, z} {
				square := 0.0
				for j := range p {
					p[j] = 2*s.Float64() - 1
					square += p[j] * p[j]
				}
				radius = max(radius, math.Sqrt(square))
			}
			f.At(u, x)
			f.At(v, z)
			k, sum := 0.0, 0.0
			for j := range u {
				sum += u[j] * v[j]
			}
			for j := range x {
				k += (x[j] - z[j]) * (x[j] - z[j])
			}
			k = math.Exp(-k / (2 * sigma * sigma))
			bound := math.Pow(radius/sigma, float64(2*order+2)) / math.Gamma(float64(order+2))
			assert.LessOrEqual(t, math.Abs(k-sum), bound)
			worst = max(worst, math.Abs(k-sum)/bound)
		}
		assert.Greater(t, worst, 1e-3, "order %d", order)
	}
}
