package generators

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/transforms"
)

func TestHistograms(t *testing.T) {
	const n = 4000
	x, y := transforms.Gather(open(t, "histograms", 3, n).Train, transforms.Span(0, n))
	empty := 0.0
	for i := range n {
		sum, square := 0.0, 0.0
		for _, v := range x.Row(i) {
			require.True(t, v >= 0 && v <= 1)
			sum += v
			square += v * v
			if v == 0 {
				empty++
			}
		}
		require.InDelta(t, 1, sum, 16*0x1p-53) // 16 quotients and their sum
		require.InDelta(t, square, y.At(i, 0), 16*0x1p-53)
	}
	// Binomial, 4.5 standard deviations: false alarm with probability 7e-6.
	assert.InDelta(t, n*16/4., empty, 4.5*math.Sqrt(n*16*3/16.))
}

// The bits of these rows must never change: records made with them would no longer be comparable.
func TestHistogramsGolden(t *testing.T) {
	x, y := transforms.Gather(open(t, "histograms", 1, 64).Train, []int{5})
	assert.Equal(t, []float64{0, 0.0383733346574537, 0.2412788061800699, 0.14570198954154845}, x.Row(0)[:4])
	assert.Equal(t, 0.1414460332314956, y.At(0, 0))
}
