package runner

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets"
)

func vector(v ...float64) compute.Matrix {
	return compute.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

// Two things, shown in two rows and in three. Predictions are averaged before errors are: the first is
// predicted as (1 + 3)/2 = 2, the second as (3 + 4 + 8)/3 = 5.
func TestPredictionsOfGroupsAreAveraged(t *testing.T) {
	s := &instance{data: &datasets.Set{TestY: vector(2, 2, 7, 7, 7), Groups: []int{0, 0, 1, 1, 1}}}
	f := vector(1, 3, 3, 4, 8)
	for _, c := range []struct {
		metric string
		unit   float64
		want   float64
	}{
		{"test-mae", 0, 3. / 5 * 2},
		{"test-mae", 10, 3. / 5 * 20},
		{"test-mse", 10, 3. / 5 * 4},
	} {
		s.data.TargetUnit = c.unit
		got, err := metrics[c.metric](s, s.judged(c.metric, f))
		require.NoError(t, err)
		assert.InDelta(t, c.want, got, 1e-14, c.metric) // a handful of roundings
	}
	assert.Equal(t, []float64{1, 3, 3, 4, 8}, f.Data, "predictions themselves stay as they are")
	assert.Equal(t, f, s.judged("exact-distance", f), "a solver's predictions are compared row by row")

	s.data.Groups = nil
	got, err := metrics["test-mae"](s, s.judged("test-mae", f))
	require.NoError(t, err)
	assert.InDelta(t, 10*(1+1+4+3+1)/5., got, 1e-14)
}
