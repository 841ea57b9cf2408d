package transforms

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/compute"
)

// Rows are divided by their norm, whatever their signs and sizes are, and zero stays.
func TestUnitNorm(t *testing.T) {
	rows := []float64{3, -4, -3, -4, -4e-200, 3e-200, -3e200, -4e200, 0, 0}
	x := compute.Matrix{Rows: 5, Cols: 2, Stride: 2, Data: rows}
	UnitNorm{}.Apply(x, x, nil)
	assert.InDeltaSlice(t, []float64{0.6, -0.8, -0.6, -0.8, -0.8, 0.6, -0.6, -0.8, 0, 0}, rows, 4e-16) // two divisions and a root
}
