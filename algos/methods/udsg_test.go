package methods

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// mustRunAlike runs two fits of problems with two outputs for 20 steps and requires the same bits of their predictions,
// averages and running predictions.
func mustRunAlike(t *testing.T, want, got algos.Fit) {
	t.Helper()
	x := algostest.Queries(3)
	running := map[algos.Fit]algos.Predictions{want: algostest.Predictions(want, x.Rows), got: algostest.Predictions(got, x.Rows)}
	for k := range 20 {
		for f, p := range running {
			algostest.Steps(t, f, 1)
			if k%3 == 2 {
				f.(algos.Incremental).Advance(k-2, x, p)
			}
		}
		require.Equal(t, want.Model().Predict(x), got.Model().Predict(x))
		require.Equal(t, want.(algos.Averager).Average().Predict(x), got.(algos.Averager).Average().Predict(x))
		require.Equal(t, running[want], running[got])
		require.Equal(t, want.(algos.Normed).SquaredNorms(), got.(algos.Normed).SquaredNorms())
		require.Equal(t, want.(algos.Sizer).Footprint(), got.(algos.Sizer).Footprint())
	}
}

// UDSG with U = 0, and CDSG with a noise that its check never accepts, have the bits of DSG.
func TestDSGWithoutReuse(t *testing.T) {
	for _, name := range losses.Names() {
		for _, size := range []struct{ batch, block int }{{1, 1}, {7, 5}} {
			settings := DSGSettings{Batch: size.batch, Block: size.block, Step: &schedules.Inverse{Gamma0: 0.5, T0: 10}, Average: true}
			for _, a := range []algos.Algorithm{&UDSG{settings, 3, 0}, &CDSG{settings, 1e9, 1, 0, 2}, &CDSG{settings, math.Inf(1), 1, 0, 2}} {
				t.Run(fmt.Sprintf("%s/%d,%d/%T", name, size.batch, size.block, a), func(t *testing.T) {
					l := algostest.Loss(t, name)
					mustRunAlike(t, algostest.Start(t, &DSG{DSGSettings: settings}, algostest.Problem(60, l)), algostest.Start(t, a, algostest.Problem(60, l)))
				})
			}
		}
	}
}

// TestUDSGCountsBlocks compares the closed form of the blocks drawn, on which Cost rests, with a count.
func TestUDSGCountsBlocks(t *testing.T) {
	for _, a := range []*UDSG{{Grow: 1, Reuse: 1}, {Grow: 3, Reuse: 2}, {Grow: 1, Reuse: 4}, {Grow: 2, Reuse: 0}, {Grow: 5, Reuse: 1}} {
		drawn, sum := 0.0, 0.0
		for i := range 40 {
			gotDrawn, gotSum := a.blocksAfter(float64(i))
			assert.Equal(t, drawn, gotDrawn, "%d iterations, G = %d, U = %d", i, a.Grow, a.Reuse)
			assert.Equal(t, sum, gotSum, "%d iterations, G = %d, U = %d", i, a.Grow, a.Reuse)
			sum += drawn
			if i%(a.Grow+a.Reuse) < a.Grow {
				drawn++
			}
		}
	}
}
