package kernels

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// deviations is the number of standard deviations allowed to a mean. A normal variate is farther
// away with probability 5.7e-7.
const deviations = 5

// featured are the kernels of configs that have Fourier features √2·cos(ω·x + b) of the inputs themselves.
func featured(t *testing.T, sigma float64) []Featured {
	var s []Featured
	for _, k := range all(t, sigma) {
		require.Implements(t, (*Featured)(nil), k)
		if _, ok := k.(Featured).Features(1, 1, 1).(fourier); ok {
			s = append(s, k.(Featured))
		}
	}
	require.Len(t, s, 8)
	return s
}

// mean returns the mean of the products of features.
func mean(phi, psi []float64) (m float64) {
	for l, v := range phi {
		m += v * psi[l]
	}
	return m / float64(len(phi))
}

// TestFeatureVariance checks Var[φ_ω(x) φ_ω(z)] = E[cos²(ω·(x - z))] + 1/2 - k², in which the first term is
// (1 + κ(2(x - z)))/2: it pins the form √2·cos(ω·x + b) with a uniform phase, where others have the same
// mean, and the law of ω at twice the distance.
func TestFeatureVariance(t *testing.T) {
	const D = 40000
	x := points(5, 3)
	double := points(5, 3)
	for i := range double.Data {
		double.Data[i] *= 2
	}
	for _, k := range featured(t, 1.3) {
		e := engine(compute.Float64)
		values, far := e.KernelMatrix(k, x, x), e.KernelMatrix(k, double, double)
		phi := e.FeatureMatrix(k.Features(2, 3, D), x, compute.Range{Lo: 0, Hi: 1})
		for i := range x.Rows {
			for j := range i + 1 {
				kij := values.At(i, j)
				variance := 0.0
				for l, v := range phi.Row(i) {
					variance += (v*phi.At(j, l) - kij) * (v*phi.At(j, l) - kij) / D
				}
				want := (1+far.At(i, j))/2 + 0.5 - kij*kij
				// The squared deviation is in [0, 9] and has mean ≤ 1.5, hence a variance ≤ 13.5. 120 pairs.
				assert.InDelta(t, want, variance, deviations*math.Sqrt(13.5/D), "%s%v, points %d and %d", k.Name(), k, i, j)
			}
		}
	}
}

// draw returns the bits of block i.
func draw(f compute.FeatureMap, d, i int) string {
	omega, phase := compute.NewMatrix(d, f.Width()), make([]float64, f.Width())
	f.(compute.ProjectionMap).Draw(i, omega, phase)
	return fmt.Sprint(omega.Data, phase)
}

// TestFeatureBlocks checks that a block depends on seed, index and shape alone, and that different
// blocks and seeds are different.
func TestFeatureBlocks(t *testing.T) {
	const d, width = 3, 5
	for _, k := range featured(t, 1) {
		f, again, other := k.Features(1, d, width), k.Features(1, d, width), k.Features(2, d, width)
		assert.Equal(t, width, f.Width())
		assert.Equal(t, stream(f), stream(again))
		assert.NotEqual(t, stream(f), stream(other))
		third := draw(f, d, 3)
		assert.Equal(t, third, draw(again, d, 3), "same bits, whatever was drawn before")
		draw(again, d, 0)
		assert.Equal(t, third, draw(again, d, 3))
		assert.NotEqual(t, third, draw(f, d, 4))
		assert.NotEqual(t, third, draw(other, d, 3))
	}
}

func stream(f compute.FeatureMap) any { return f.(compute.ProjectionMap).Stream() }

// TestFeatureStreams checks that two kernels have equal streams only if their features are equal: the
// engine keeps frequencies by stream. The Laplace and the Matérn kernel of order 1/2 are the same.
func TestFeatureStreams(t *testing.T) {
	drawn := map[any]string{}
	for _, sigma := range []float64{1, 2} {
		for _, k := range featured(t, sigma) {
			f := k.Features(1, 3, 5)
			features := draw(f, 3, 0)
			if old, ok := drawn[stream(f)]; ok {
				assert.Equal(t, old, features, k.Name())
			}
			drawn[stream(f)] = features
		}
	}
	assert.Len(t, drawn, 2*(len(featured(t, 1))-1))
	clear(drawn)
	for _, seed := range []uint64{1, 2} {
		for _, f := range []compute.FeatureMap{
			newSigns(seed, 5, 1, 1), newSigns(seed, 5, 2, 1), newSigns(seed, 5, 1, 2), ArcCosine{1}.Features(seed, 3, 5),
			ExponentialSemigroup{Beta: 1}.Features(seed, 3, 5), ExponentialSemigroup{Beta: 2}.Features(seed, 3, 5),
			ReciprocalSemigroup{Lambda: 1}.Features(seed, 3, 5), ReciprocalSemigroup{Lambda: 2}.Features(seed, 3, 5),
			PeriodicSobolev{Capacity: 1}.Features(seed, 1, 5), PeriodicSobolev{Capacity: 0.5}.Features(seed, 1, 5),
		} {
			assert.NotContains(t, drawn, stream(f), "%T of seed %d", f, seed)
			drawn[stream(f)] = ""
		}
	}
	_, source := Gaussian{Sigma: 1}.Features(3, 2, 5).(fourier).Spectrum()
	assert.Equal(t, compute.NewSource(3, "features"), source, "which no order of examples is drawn from")
}

// The components of additive features are in a random order, drawn anew for every vector from a stream of their own.
func TestOrderOfComponents(t *testing.T) {
	const d, width, seed, block = 3, 7, 5, 2
	x := compute.NewMatrix(d, d)
	for l := range d {
		x.Set(l, l, 0.7)
	}
	phi := engine(compute.Float64).FeatureMatrix(ChiSquared{}.Features(seed, d, width), x, compute.Range{Lo: block, Hi: block + 1})
	order := compute.NewStream(seed, "components", block)
	var components []int
	for j := range width {
		if j%d == 0 {
			components = order.Perm(d)
		}
		for l := range d {
			assert.Equal(t, l == components[j%d], phi.At(l, j) != 0, "feature %d, component %d", j, l)
		}
	}
}

// The tosses of a coin are the bits of the words of its stream, and nothing between two words.
func TestTossesAreTheBitsOfWords(t *testing.T) {
	source := compute.NewSource(1, "features")
	c, words := coin{stream: source.Stream(0)}, source.Stream(0)
	for range 4 {
		word := words.Uint32()
		for bit := range 32 {
			assert.Equal(t, 1-2*float64(word>>bit&1), c.sign(), "bit %d", bit)
		}
	}
}
