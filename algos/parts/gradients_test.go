package parts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

func TestResidual(t *testing.T) {
	p := algostest.Problem(3, losses.Square{})
	u, y := compute.NewMatrix(2, 2), compute.NewMatrix(2, 2)
	copy(u.Data, []float64{1, 2, 3, 4})
	copy(y.Data, []float64{0, 5, 3, -1})
	assert.True(t, Residual(p, u, y))
	assert.Equal(t, []float64{1, -3, 0, 5}, u.Data)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		copy(u.Data, []float64{1, 2, bad, 4})
		assert.False(t, Residual(p, u, y))
	}
}
