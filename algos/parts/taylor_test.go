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

// jezequel2019 Thm 4.1, point 1: with M = ⌈8R²/σ² ∨ 2 log(2n(1+κ)/(λ ∧ 1/λ))⌉ there are
//
//	r = C(M+d, d) ≤ (3 + 21R²/(σ²d) ∨ (6/d) log(2n(1+κ)/(λ ∧ 1/λ)))^d
//
// functions, κ = 1. This holds for the numbers of inputs of its experiments, 5 to 22, and up to 93. It is false from 94 on
// where R²/σ² is some 100 d: r is about (8eR²/(σ²d))^d then, and 8e is 21.7. The proof's own bound e^d(1 + M/d)^d holds.
func TestNumberOfTaylorFunctionsOfTheorem(t *testing.T) {
	bound := func(d int, ratio, c float64) (log, own, printed float64) { // c = log(2n(1+κ)/(λ ∧ 1/λ)), ratio = R²/(σ²d)
		f, m := float64(d), math.Ceil(max(8*ratio*float64(d), 2*c))
		lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
		return lgamma(m+f+1) - lgamma(m+1) - lgamma(f+1), f * (1 + math.Log1p(m/f)), f * math.Log(3+max(21*ratio, 6*c/f))
	}
	log, _, _ := bound(2, 1, math.Log(8000)) // of jezequel2019/regret
	assert.InEpsilon(t, math.Log(TaylorFunctions(2, 18)), log, 1e-12)
	for d := 1; d <= 93; d++ {
		for _, ratio := range []float64{1e-3, 0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64, 100} {
			for _, c := range []float64{math.Log(4), 3, 10, 20, 30} {
				log, own, printed := bound(d, ratio, c)
				assert.LessOrEqual(t, log, own, "d = %d, R²/(σ²d) = %g", d, ratio)
				assert.LessOrEqual(t, log, printed, "d = %d, R²/(σ²d) = %g", d, ratio)
			}
		}
	}
	log, own, printed := bound(94, 100, 20)
	assert.Less(t, log, own)
	assert.Greater(t, log, printed, "the printed bound has become true: change docs/papers/jezequel2019.md")
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
