package transforms

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// A constant column becomes 0, though the mean of equal numbers is rounded, and its unit stays 1.
func TestConstantColumn(t *testing.T) {
	x := compute.Matrix{Rows: 10, Cols: 1, Stride: 1, Data: slices.Repeat([]float64{0.1}, 10)}
	for _, fit := range []func() (Affine, error){
		func() (Affine, error) { return ZScore(t.Context(), InMemory{X: x}) }, func() (Affine, error) { return MinMax(t.Context(), InMemory{X: x}, -1, 1) },
	} {
		a, err := fit()
		require.NoError(t, err)
		assert.Equal(t, 1.0, a.Unit(0))
		to := compute.NewMatrix(10, 1)
		a.Apply(to, x, nil)
		assert.Equal(t, make([]float64, 10), to.Data)
	}
}

// Rows are divided by their norm, whatever their signs and sizes are, and zero stays.
func TestUnitNorm(t *testing.T) {
	rows := []float64{3, -4, -3, -4, -4e-200, 3e-200, -3e200, -4e200, 0, 0}
	x := compute.Matrix{Rows: 5, Cols: 2, Stride: 2, Data: rows}
	UnitNorm{}.Apply(x, x, nil)
	assert.InDeltaSlice(t, []float64{0.6, -0.8, -0.6, -0.8, -0.8, 0.6, -0.6, -0.8, 0, 0}, rows, 4e-16) // two divisions and a root
}
