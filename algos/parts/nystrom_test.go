package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// TestNystromFeatures checks ⟨z(x), z(x')⟩ = k(x, S) K_SS^(-1) k(S, x'), which is k itself at landmarks.
func TestNystromFeatures(t *testing.T) {
	p := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, 0.1)
	s, _ := p.Dense()
	z, err := landmarkFeatures(p, s, 0)
	require.NoError(t, err)
	require.Equal(t, len(algostest.Inputs), z.Width())
	identity := compute.NewMatrix(z.Width(), z.Width())
	for i := range z.Width() {
		identity.Set(i, i, 1)
	}
	features := z.Apply(z.At(s), identity)
	for i := range s.Rows {
		for j := range s.Rows {
			// The eigenvalues of K_SS are above 1e-2 here: a few hundred roundings.
			assert.InDelta(t, algostest.Gaussian(s.Row(i), s.Row(j)), floats.Dot(features.Row(i), features.Row(j)), 1e-12)
		}
	}
	transposed := z.Block(z.At(s), identity, 0, z.Width())
	for i := range s.Rows {
		assert.InDeltaSlice(t, features.Row(i), func() []float64 {
			c := make([]float64, z.Width())
			for j := range c {
				c[j] = transposed.At(j, i)
			}
			return c
		}(), 1e-13)
	}
}

// TestNystromDropsDirections: of twin landmarks one direction is left, and a large jitter leaves the first.
func TestNystromDropsDirections(t *testing.T) {
	twins := algostest.Single([][]float64{{1, 2}, {1, 2}, {0, 0}, {0, 0.1}}, []float64{1, 2, 3, 4}, losses.Square{}, 0.1)
	s, _ := twins.Dense()
	for jitter, want := range map[float64]int{1e-10: 3, 0.1: 2, 0.9999: 1} {
		z, err := landmarkFeatures(twins, s, jitter)
		require.NoError(t, err)
		assert.Equal(t, want, z.Width(), "jitter %v", jitter)
	}
}
