package guard

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/changes"
)

func TestSparklines(t *testing.T) {
	b, a := sparklines(&changes.Curve{Y: []float64{1, 10, 100}}, &changes.Curve{Y: []float64{100, 1}})
	assert.Equal(t, []string{"▁▅█", "█▁"}, []string{b, a})
	b, a = sparklines(nil, &changes.Curve{Y: []float64{-1, 0, 1}})
	assert.Equal(t, []string{"", "▁▅█"}, []string{b, a})
	b, _ = sparklines(&changes.Curve{Y: []float64{2, 2}}, nil)
	assert.Equal(t, "▁▁", b)
}
