package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// Where rounding errors decide a direction, an output keeps what it has. Here a matrix that is not symmetric stands for them, whose third
// direction is not conjugate to the second, and one that is not positive definite, whose second direction has a negative curvature.
func TestConjugatesKeepWhatRoundingErrorsWouldMove(t *testing.T) {
	for name, c := range map[string]struct {
		h     [][]float64
		moves int // that change β
	}{
		"not conjugate":         {[][]float64{{1, 0.9, 0}, {-0.9, 0.5, 0.9}, {0, -0.9, 2}}, 2},
		"not positive definite": {[][]float64{{1, 0.9, 0}, {0.9, -0.5, 0}, {0, 0, 1}}, 1},
	} {
		identity := func(r compute.Matrix) compute.Matrix { return r }
		e, b, beta := compute.NewEngine(compute.Options{Threads: 1}), compute.FromRows([][]float64{{1}, {0.5}, {0}}), compute.NewMatrix(3, 1)
		var s Conjugates
		s.Begin(b, identity, 0)
		for move := range 5 {
			before := beta.Clone()
			require.True(t, s.Move(beta, func(d compute.Matrix) compute.Matrix { return e.Mul(compute.FromRows(c.h), d, false) }, identity))
			assert.Equal(t, move >= c.moves, s.Solved(), "%s, move %d", name, move)
			assert.Equal(t, move < c.moves, before.Data[0] != beta.Data[0], "%s, move %d", name, move)
		}
	}
}

// Each output goes on until it is solved, however early the others are.
func TestConjugatesSolveEachOutput(t *testing.T) {
	e, identity := compute.NewEngine(compute.Options{Threads: 1}), func(r compute.Matrix) compute.Matrix { return r }
	h := compute.FromRows([][]float64{{1, 0, 0}, {0, 2, 0}, {0, 0, 4}})
	system := func(d compute.Matrix) compute.Matrix { return e.Mul(h, d, false) }
	for _, b := range [][][]float64{{{1, 1}, {0, 1}, {0, 1}}, {{1, 1}, {1, 0}, {1, 0}}} {
		var s Conjugates
		beta := compute.NewMatrix(3, 2)
		s.Begin(compute.FromRows(b), identity, 0)
		for move := range 3 {
			assert.False(t, s.Solved(), "after %d moves", move)
			require.True(t, s.Move(beta, system, identity))
		}
		for i, row := range b {
			assert.InDeltaSlice(t, row, system(beta).Row(i), 1e-14)
		}
	}
}
