package kernels

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBandwidth(t *testing.T) {
	for _, c := range []struct {
		name, convention string
		median, scale    float64
		want             float64
		err              string
	}{
		{"default", "", 5, 0.1, 0.5, ""},
		{"the paper's text", "sigma=median", 5, 0.1, 0.5, ""},
		{"the authors' code", "exp(-d2/median2)", 5, 2, 10 / math.Sqrt2, ""},
		{"unknown", "median", 5, 1, 0, `unknown convention "median"`},
		{"no scale", "", 5, 0, 0, "scale must be positive and finite, got 0"},
		{"NaN scale", "", 5, math.NaN(), 0, "scale must be positive and finite, got NaN"},
		{"coinciding rows", "", 0, 1, 0, "the median distance of the training inputs is 0"},
		{"large inputs", "", math.Inf(1), 1, 0, "half of the squared distances of the training inputs overflow; scale the inputs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Bandwidth{Scale: c.scale, Convention: c.convention}.OfMedian(c.median)
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.InEpsilon(t, c.want, got, 4e-16) // a rounding or two
		})
	}
}
