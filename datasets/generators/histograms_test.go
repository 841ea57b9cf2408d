package generators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/datasets/transforms"
)

// The bits of these rows must never change: records made with them would no longer be comparable.
func TestHistogramsGolden(t *testing.T) {
	x, y := transforms.Gather(open(t, "histograms", 1, 64).Train, []int{5})
	assert.Equal(t, []float64{0, 0.0383733346574537, 0.2412788061800699, 0.14570198954154845}, x.Row(0)[:4])
	assert.Equal(t, 0.1414460332314956, y.At(0, 0))
}
