package generators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The bits of these rows must never change. The best classifier errs on as many rows as the notes say.
func TestSusyShape(t *testing.T) {
	x, y, _ := rowsOf(t, "susy-shape", 40000)
	assert.Equal(t, []float64{-1, 1, 0.45682531498015266}, append([]float64{y.At(0, 0), y.At(1, 0)}, x.Row(0)[17]))
	wrong, positive := 0.0, 0.0
	for i := range x.Rows {
		if overlap(x.Row(i))*y.At(i, 0) < 0 {
			wrong++
		}
		positive += (y.At(i, 0) + 1) / 2
	}
	assert.InDelta(t, 0.198, wrong/float64(x.Rows), 0.006, "three standard deviations")
	assert.InDelta(t, 0.5, positive/float64(x.Rows), 0.0075)
}
