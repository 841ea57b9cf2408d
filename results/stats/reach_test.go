package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// A direct solver reaches its target when its only step ends, not before; a method that was stopped after one step might have.
func TestReachInOneStep(t *testing.T) {
	for status, first := range map[records.Status]bool{records.Done: false, records.Budget: true} {
		r := recordstest.Record("a", 7, 1)
		r.End.Status = status
		got, err := Reach(r, "error", "seconds", 2, false)
		require.NoError(t, err)
		assert.Equal(t, Crossing{Seed: 7, X: 1.25, Reached: true, First: first}, got, status)
		several := recordstest.Record("a", 7, 1, 1, 1)
		several.End.Status = status
		got, err = Reach(several, "error", "step", 2, false)
		require.NoError(t, err)
		assert.True(t, got.First, "only one step at all is the place itself")
	}
}

// What is known of the place where a curve reaches a target, with evaluations at steps 1, 2, 4 and 8.
func TestReach(t *testing.T) {
	never := math.Inf(1)
	for _, c := range []struct {
		name   string
		values []float64
		target float64
		larger bool
		want   Crossing
		known  [2]float64
	}{
		{"from above, halfway in logarithms", []float64{16, 4, 1, 1}, 2, false, Crossing{X: 2 * math.Sqrt2, Reached: true}, [2]float64{2 * math.Sqrt2, 2 * math.Sqrt2}},
		{"from above, at an evaluation", []float64{16, 4, 1, 1}, 4, false, Crossing{X: 2, Reached: true}, [2]float64{2, 2}},
		{"at the first evaluation", []float64{16, 4, 1, 1}, 16, false, Crossing{X: 1, Reached: true, First: true}, [2]float64{0, 1}},
		{"never", []float64{16, 4, 2, 2}, 1, false, Crossing{X: 8}, [2]float64{8, never}},
		{"and lost again", []float64{16, 1, 16, 16}, 1, false, Crossing{X: 2, Touched: 2}, [2]float64{2, never}},
		{"noise before it stays", []float64{16, 4, 16, 4, 4, 4}, 8, false, Crossing{X: 4 * math.Sqrt2, Reached: true, Touched: math.Sqrt2}, [2]float64{4 * math.Sqrt2, 4 * math.Sqrt2}},
		{"noise after it stays", []float64{16, 16, 4, 4, 4, 16, 4}, 8, false, Crossing{X: 2 * math.Sqrt2, Reached: true}, [2]float64{2 * math.Sqrt2, 2 * math.Sqrt2}},
		{"it stays for most of the rest", []float64{16, 4, 4, 4, 4, 16, 16}, 8, false, Crossing{X: math.Sqrt2, Reached: true}, [2]float64{math.Sqrt2, math.Sqrt2}},
		{"from the first evaluation on, with noise", []float64{4, 4, 16, 4}, 8, false, Crossing{X: 1, Reached: true, First: true}, [2]float64{0, 1}},
		{"at the first evaluation only", []float64{4, 16, 16, 16}, 8, false, Crossing{X: 1, Touched: 1}, [2]float64{1, never}},
		{"infinite after it was met", []float64{16, 4, 4, math.NaN(), 4}, 8, false, Crossing{X: math.Sqrt2, Reached: true}, [2]float64{math.Sqrt2, math.Sqrt2}},
		{"from below", []float64{1, 4, 16, 16}, 8, true, Crossing{X: 2 * math.Sqrt2, Reached: true}, [2]float64{2 * math.Sqrt2, 2 * math.Sqrt2}},
		{"from below, a small value is none", []float64{1, 1, 1, 1}, 8, true, Crossing{X: 8}, [2]float64{8, never}},
		{"from above, a large value is none", []float64{9, 9, 9, 9}, 8, false, Crossing{X: 8}, [2]float64{8, never}},
		{"values without a logarithm", []float64{3, 1, -1, -1}, 0, false, Crossing{X: 2 * math.Sqrt2, Reached: true}, [2]float64{2 * math.Sqrt2, 2 * math.Sqrt2}},
	} {
		got, err := Reach(recordstest.Record("a", 7, c.values...), "error", "step", c.target, c.larger)
		require.NoError(t, err, c.name)
		c.want.Seed = got.Seed
		assert.InDelta(t, c.want.X, got.X, 1e-12, c.name)
		c.want.X = got.X
		assert.Equal(t, c.want, got, c.name)
		assert.InDelta(t, c.known[0], got.Range()[0], 1e-12, c.name)
		if math.IsInf(c.known[1], 1) {
			assert.Equal(t, never, got.Range()[1], c.name)
		} else {
			assert.InDelta(t, c.known[1], got.Range()[1], 1e-12, c.name)
		}
		if got.Reached {
			assert.EqualValues(t, 7, got.Seed, c.name)
		}
	}
}
