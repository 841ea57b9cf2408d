package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

func TestGaussianFormula(t *testing.T) {
	for _, sigma := range []float64{0.1, 1, 9.03} {
		d2 := []float64{0, 1e-20, 1e-3, 1, 2, 10, 100, 1e4, 1e300, math.Inf(1)}
		got := slices.Clone(d2)
		Gaussian{Sigma: sigma}.Apply(got)
		for i, v := range d2 {
			want := math.Exp(-v / (2 * sigma * sigma))
			if want < 0x1p-1021 {
				assert.Zero(t, got[i], "σ = %v, ‖x-z‖² = %v", sigma, v)
				continue
			}
			// compute.Exp2 has 1e-15; the exponent E = d²/2σ² in base 2 carries 3 roundings of 1.1e-16·E.
			assert.InEpsilon(t, want, got[i], 1e-15+5e-16*v/(2*sigma*sigma), "σ = %v, ‖x-z‖² = %v", sigma, v)
		}
	}
	nan := []float64{math.NaN()}
	Gaussian{Sigma: 1}.Apply(nan)
	assert.True(t, math.IsNaN(nan[0]))
}

func TestDiagonalIsTheValueAtDistanceZero(t *testing.T) {
	for _, name := range Names() {
		k, err := New(name, 1.5)
		require.NoError(t, err)
		zero := []float64{0}
		k.Apply(zero)
		assert.Equal(t, k.Diagonal(), zero[0], name)
	}
}

func TestNew(t *testing.T) {
	for _, name := range Names() {
		k, err := New(name, 2)
		require.NoError(t, err)
		assert.Equal(t, name, k.Name())
	}
	assert.True(t, slices.IsSorted(Names()))
	k, err := New("gaussian", 2)
	require.NoError(t, err)
	assert.Equal(t, Gaussian{Sigma: 2}, k)

	for name, c := range map[string]struct {
		kernel string
		sigma  float64
		want   string
	}{
		"zero":     {"gaussian", 0, "kernel gaussian: bandwidth must be positive and finite, got 0"},
		"negative": {"gaussian", -1, "kernel gaussian: bandwidth must be positive and finite, got -1"},
		"infinite": {"gaussian", math.Inf(1), "kernel gaussian: bandwidth must be positive and finite, got +Inf"},
		"nan":      {"gaussian", math.NaN(), "kernel gaussian: bandwidth must be positive and finite, got NaN"},
		"unknown":  {"gausian", 1, `unknown kernel "gausian"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(c.kernel, c.sigma)
			require.EqualError(t, err, c.want)
		})
	}
}

// deviations is the number of standard deviations allowed to a mean. A normal variate is farther
// away with probability 6.3e-5.
const deviations = 4

// points returns n normal points of dimension d.
func points(n, d int) compute.Matrix {
	x, s := compute.NewMatrix(n, d), compute.NewStream(1, "points", 0)
	for i := range n {
		s.Row(i, x.Row(i))
	}
	return x
}

// exact returns k(x, x).
func exact(k Kernel, x compute.Matrix) compute.Matrix {
	return compute.NewEngine(compute.Options{Threads: 1}).KernelMatrix(k, x, x)
}

// featured are all kernels with random features.
func featured(t *testing.T, sigma float64) []Featured {
	var f []Featured
	for _, name := range Names() {
		k, err := New(name, sigma)
		require.NoError(t, err)
		if k, ok := k.(Featured); ok {
			f = append(f, k)
		}
	}
	return f
}

// TestFeaturesAreUnbiased checks E[φ_ω(x) φ_ω(z)] = k(x, z). The product is cos(a-b) + cos(a+b) with
// a = ω·x + b, so that for the Gaussian its second moment is at most 3/2 and its variance no more.
// 108 pairs at 4 standard deviations, most of them smaller than the bound: false alarm below 0.7 %
// of seeds.
func TestFeaturesAreUnbiased(t *testing.T) {
	const D = 40000
	for _, sigma := range []float64{0.7, 2} {
		for _, d := range []int{1, 3, 10} {
			for _, k := range featured(t, sigma) {
				x := points(6, d)
				want := exact(k, x)
				e := compute.NewEngine(compute.Options{Threads: 1})
				phi := e.FeatureMatrix(k.Features(1, d, D/4), x, compute.Range{Lo: 0, Hi: 4})
				for i := range x.Rows {
					for j := range i + 1 {
						mean := 0.0
						for l, v := range phi.Row(i) {
							mean += v * phi.At(j, l) / D
						}
						assert.InDelta(t, want.At(i, j), mean, deviations*math.Sqrt(1.5/D), "%s, σ = %v, d = %d, points %d and %d", k.Name(), sigma, d, i, j)
					}
				}
			}
		}
	}
}

// TestGaussianFeatureVariance checks Var[φ_ω(x) φ_ω(z)] = 1/2 + (1 - k²)²/2: it pins the form
// √2·cos(ω·x + b) with a uniform phase, where others have the same mean.
func TestGaussianFeatureVariance(t *testing.T) {
	const D = 40000
	k, x := Gaussian{Sigma: 1.3}, points(5, 3)
	values := exact(k, x)
	phi := compute.NewEngine(compute.Options{Threads: 1}).FeatureMatrix(k.Features(2, 3, D), x, compute.Range{Lo: 0, Hi: 1})
	for i := range x.Rows {
		for j := range i + 1 {
			kij := values.At(i, j)
			variance := 0.0
			for l, v := range phi.Row(i) {
				variance += (v*phi.At(j, l) - kij) * (v*phi.At(j, l) - kij) / D
			}
			want := 0.5 + (1-kij*kij)*(1-kij*kij)/2
			// The squared deviation is in [0, 9] and has mean ≤ 1, hence a variance ≤ 9. 15 pairs.
			assert.InDelta(t, want, variance, deviations*math.Sqrt(9.0/D), "points %d and %d", i, j)
		}
	}
}

// TestFeatureErrorDecay checks that the error of the Monte-Carlo kernel falls as D^(-1/2): from 16 to
// 1024 features by 8. Each root mean square over 300 independent maps has a relative deviation of
// about 1/√600 = 4 %, hence their ratio 6 %; the bounds are 4 of these, 6.3e-5 false alarms.
func TestFeatureErrorDecay(t *testing.T) {
	const maps = 300
	for _, k := range featured(t, 1) {
		x := points(2, 3)
		want := exact(k, x).At(0, 1)
		rms := func(D int) float64 {
			sum := 0.0
			for seed := range uint64(maps) {
				phi := compute.NewEngine(compute.Options{Threads: 1}).FeatureMatrix(k.Features(seed, 3, D), x, compute.Range{Lo: 0, Hi: 1})
				mean := 0.0
				for l, v := range phi.Row(0) {
					mean += v * phi.At(1, l) / float64(D)
				}
				sum += (mean - want) * (mean - want) / maps
			}
			return math.Sqrt(sum)
		}
		assert.InEpsilon(t, 8, rms(16)/rms(1024), deviations*0.06, k.Name())
	}
}

// TestFeatureBlocks checks that a block depends on seed, index and shape alone, and that different
// blocks and seeds are different.
func TestFeatureBlocks(t *testing.T) {
	const d, width = 3, 5
	draw := func(f compute.FeatureMap, i int) string {
		omega, phase := compute.NewMatrix(d, width), make([]float64, width)
		f.Draw(i, omega, phase)
		return fmt.Sprint(omega.Data, phase)
	}
	for _, k := range featured(t, 1) {
		f, again, other := k.Features(1, d, width), k.Features(1, d, width), k.Features(2, d, width)
		assert.Equal(t, width, f.Width())
		assert.Equal(t, f.Stream(), again.Stream())
		assert.NotEqual(t, f.Stream(), other.Stream())
		third := draw(f, 3)
		assert.Equal(t, third, draw(again, 3), "same bits, whatever was drawn before")
		draw(again, 0)
		assert.Equal(t, third, draw(again, 3))
		assert.NotEqual(t, third, draw(f, 4))
		assert.NotEqual(t, third, draw(other, 3))
	}
	assert.NotEqual(t, Gaussian{Sigma: 1}.Features(1, d, width).Stream(), Gaussian{Sigma: 2}.Features(1, d, width).Stream())
}
