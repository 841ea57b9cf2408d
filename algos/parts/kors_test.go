package parts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A point adds a coordinate if more than 10⁻¹² of its k(x, x) lies outside of the basis.
func TestBasisEndsInRoundingErrors(t *testing.T) {
	for left, want := range map[float64]float64{1e-11: math.Sqrt(4e-11), 1e-13: 0} {
		assert.InEpsilon(t, 1+want, 1+new(Basis).Beyond([]float64{2 * math.Sqrt(1-left)}, 4), 1e-8)
	}
}
