package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/losses"
	"repro/algos/methods"
	"repro/algos/parts"
)

func TestIterations(t *testing.T) {
	for name, c := range map[string]struct {
		budget Budget
		n      int
		want   int
	}{
		"whole epochs":              {Budget{Limits: Limits{Epochs: 2}}, 100, 20},
		"a short last batch counts": {Budget{Limits: Limits{Epochs: 2}}, 105, 22},
		"part of an epoch":          {Budget{Limits: Limits{Epochs: 0.5}}, 100, 5},
		"part rounds up":            {Budget{Limits: Limits{Epochs: 1.51}}, 100, 16},
		"steps":                     {Budget{Limits: Limits{Steps: 7}}, 100, 7},
		"whichever comes first":     {Budget{Limits: Limits{Steps: 7, Epochs: 1}}, 50, 5},
		"steps come first":          {Budget{Limits: Limits{Steps: 3, Epochs: 1}}, 50, 3},
		"seconds say nothing":       {Budget{Limits: Limits{Seconds: 3}}, 50, 0},
	} {
		assert.Equal(t, c.want, c.budget.Iterations(algos.Size{N: c.n}, &methods.DSG{DSGSettings: methods.DSGSettings{Batch: 10}}), name)
	}
	assert.Equal(t, 11, passes{n: 10, batch: 1}.steps(1.1), "1.1 less 1 is more than a tenth in binary")
	drawn := &methods.SGDRF{Batch: 10, Sampling: "replacement"}
	for epochs, want := range map[float64]int{1: 3, 2: 5, 4: 10, 0.5: 2, 0.1: 1} { // of 25 rows: bT/n is at least that
		assert.Equal(t, want, Budget{Limits: Limits{Epochs: epochs}}.Iterations(algos.Size{N: 25}, drawn), "%v epochs with replacement", epochs)
	}
}

// A method without batches has no epochs, and one with a closed form makes one step. Places of a curve are in epochs only where the budget is.
func TestIterationsWithoutBatches(t *testing.T) {
	both, size := Budget{Limits: Limits{Steps: 7, Epochs: 2}}, algos.Size{N: 50}
	assert.Equal(t, 7, both.Iterations(size, &methods.GD{}))
	assert.Equal(t, 0, Budget{Limits: Limits{Epochs: 2}}.Iterations(size, &methods.GD{}))
	assert.Equal(t, 1, both.Iterations(size, &methods.KRR{}))
	batches := &methods.DSG{DSGSettings: methods.DSGSettings{Batch: 10}}
	assert.Equal(t, 8, both.StepAt(1.51, size, batches))
	assert.Equal(t, 2, both.StepAt(1.51, size, &methods.GD{}))
	assert.Equal(t, 2, Budget{Limits: Limits{Steps: 7}}.StepAt(1.51, size, batches))
}

func TestSeen(t *testing.T) {
	for _, replacement := range []bool{false, true} {
		order, err := parts.NewSampling("test", algostest.Problem(25, losses.Square{}), replacement)
		require.NoError(t, err)
		p := passes{n: 25, batch: 10, replacement: replacement}
		seen := 0
		for step := range 8 {
			assert.Equal(t, seen, p.seen(step))
			seen += len(order.Rows(int64(seen), 10))
		}
	}
}

func TestMarks(t *testing.T) {
	steps := func(e Evaluate, total int) []int { return e.Marks(total, func(at float64) int { return int(10 * at) }) }
	assert.Equal(t, []int{1, 2, 5, 10, 22, 46, 100}, steps(Evaluate{Points: 7, Spacing: "log"}, 100))
	assert.Equal(t, []int{1, 26, 51, 75, 100}, steps(Evaluate{Points: 5, Spacing: "linear"}, 100))
	assert.Equal(t, []int{1}, steps(Evaluate{Points: 5, Spacing: "log"}, 1))
	assert.Equal(t, []int{1, 10, 100}, steps(Evaluate{Points: 5, Spacing: "log"}, 0)[:3])
	assert.Equal(t, []int{5, 10, 20, 70}, steps(Evaluate{Points: 5, Spacing: "log", At: []float64{0.5, 1, 2}}, 70))
}
