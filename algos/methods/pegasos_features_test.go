package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// TestPegasosProjection checks ‖w‖ ≤ 1/√ν after every step, that the line matters, and that it changes
// nothing where it is not needed.
func TestPegasosProjection(t *testing.T) {
	const nu = 0.05
	run := func(projection bool, gamma schedules.Schedule, check func(norm float64)) *linearSGD {
		a := &RPegasos{PegasosSettings{Batch: 1, Features: 12, Projection: projection, Step: gamma}}
		f := algostest.Start(t, a, algostest.Single(algostest.Inputs, handLabels, losses.Hinge{}, nu)).(*linearSGD)
		for range 20 {
			algostest.Steps(t, f, 1)
			check(floats.Norm(f.Alpha, 2))
		}
		return f
	}
	longest := 0.0
	run(false, nil, func(norm float64) { longest = max(longest, norm) })
	require.Greater(t, longest, 1.5/math.Sqrt(nu), "without it w leaves the ball")
	longest = 0
	run(true, nil, func(norm float64) {
		longest = max(longest, norm)
		assert.LessOrEqual(t, norm, (1+1e-14)/math.Sqrt(nu)) // the scaling of w rounds
	})
	assert.InEpsilon(t, 1/math.Sqrt(nu), longest, 1e-14, "the ball is reached")

	small, longest := &schedules.Constant{Gamma0: 1.5}, 0.0
	inside := run(false, small, func(norm float64) { longest = max(longest, norm) })
	require.InDelta(t, 0.75/math.Sqrt(nu), longest, 0.24/math.Sqrt(nu), "close to the ball's surface")
	assert.Equal(t, inside.Alpha, run(true, small, func(float64) {}).Alpha, "nothing to project")
}
