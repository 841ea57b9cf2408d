package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/losses"
)

// Four rounds of two outputs: one wrong sign, one prediction of zero.
func TestProgressiveMetrics(t *testing.T) {
	var tally algos.Tally
	for _, round := range [][2][]float64{
		{{1, -1}, {1, -1}},
		{{0.5, 2}, {1, 1}},
		{{0, -1}, {-1, -1}},
		{{-1, 1}, {1, 1}},
	} {
		tally.Add(round[0], round[1])
	}
	for name, want := range map[string]float64{
		"progressive-mse":        (1.25 + 1 + 4) / 4,
		"progressive-rmse":       3 * math.Sqrt((1.25+1+4)/4),
		"cumulative-loss":        6.25,
		"progressive-error":      2.0 / 8,
		"progressive-coin-error": 1.5 / 8,
		"progressive-ties":       1.0 / 8,
	} {
		assert.InDelta(t, want, value(t, name, Evaluation{Tally: tally, TargetUnit: 3, Task: losses.Binary}, columns(1)), 1e-15, name)
	}
}
