package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
)

// handLabels are labels of algostest.Inputs.
var handLabels = []float64{1, -1, 1, 1, -1, 1, -1}

// naiveFeature returns √2·cos(ω·x + b) for feature j of a block, with the ω and b that the block draws, in turns.
func naiveFeature(f compute.FeatureMap, block, j int, x []float64) float64 {
	omega, phase := compute.NewMatrix(len(x), f.Width()), make([]float64, f.Width())
	f.(compute.ProjectionMap).Draw(block, omega, phase)
	turns := phase[j]
	for l, v := range x {
		turns += omega.At(l, j) * v
	}
	return math.Sqrt2 * math.Cos(2*math.Pi*turns)
}

// column returns the single output of predictions.
func column(m compute.Matrix) []float64 {
	c := make([]float64, m.Rows)
	for i := range c {
		c[i] = m.At(i, 0)
	}
	return c
}

// handTolerance is the tolerance after a few dozen operations on numbers of size 1, each with a rounding error of 1e-16;
// features have the error of compute.CosTurns, 6e-16.
const handTolerance = 1e-13

// mustEqualAt requires that a model of one output equals a function at the query points.
func mustEqualAt(t *testing.T, want func(x []float64) float64, m algos.Model) {
	t.Helper()
	x := algostest.Queries(2)
	got := m.Predict(x)
	for i := range x.Rows {
		require.InDelta(t, want(x.Row(i)), got.At(i, 0), handTolerance, "at %v", x.Row(i))
	}
}
