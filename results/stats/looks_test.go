package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a look spends of the error of 5 % follows from its seeds: nine tenths at the planned one, and at a later one what was known of the
// number then as a share of what is known now. Of a number of one run, little more can be known.
func TestLookLevel(t *testing.T) {
	exact, run := math.Inf(1), 1.0
	for _, c := range []struct {
		n, planned int
		k, spent   float64
	}{
		{10, 10, exact, 0.9}, {10, 10, run, 0.9}, {10, 0, exact, 0.9},
		{9, 10, exact, 0.001}, {2, 10, run, 0.001},
		{6, 5, exact, 0.04 * 5 / 6}, {20, 10, exact, 0.04 / 2}, {40, 10, exact, 0.04 / 4},
		{20, 10, run, 0.04 * 1.05 / 1.1}, {20, 10, 10, 0.04 * 0.15 / 0.2},
	} {
		assert.InDelta(t, c.spent*0.05, 1-LookLevel(c.n, c.planned, c.k), 1e-12, "%+v", c)
	}
}
