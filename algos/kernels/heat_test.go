package kernels

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The sum over frequencies and that over the images of a normal density, its equal by Poisson's formula, each
// where the other is used.
func TestHeatSeries(t *testing.T) {
	for _, s := range []float64{0.01, 0.1, 0.5, 0.99, 1, 3} {
		k, err := New(Config{Name: "heat", Time: s}, 0)
		require.NoError(t, err)
		for _, d := range []float64{0, 1e-3, 0.5, 2, math.Pi, 5, 2 * math.Pi, 7} {
			want := 0.0
			for j := -80; j <= 80 && s < 1; j++ {
				want += math.Exp(-float64(j*j)*s) * math.Cos(float64(j)*d)
			}
			for m := -8; m <= 8 && s >= 1; m++ {
				a := d - 2*math.Pi*float64(m)
				want += math.Sqrt(math.Pi/s) * math.Exp(-a*a/(4*s))
			}
			got, single := []float64{d * d}, []float32{float32(d * d)}
			apply(k, got)
			apply(k, single)
			// Terms of size 2 at up to 60 frequencies.
			assert.InDelta(t, want, got[0], 1e-13, "s = %g, d = %g", s, d)
			// d is rounded to float32, the slope of k is at most √(π/s)/√(2es).
			assert.InDelta(t, want, float64(single[0]), 1e-6*math.Sqrt(math.Pi/s)*(1+d/math.Sqrt(2*math.E*s)), "s = %g, d = %g", s, d)
		}
	}
}

func TestHeatIsForAngles(t *testing.T) {
	column, need := Outside(Heat{0.5}, []float64{1, 2})
	assert.Equal(t, -1, column)
	assert.Equal(t, "one input, an angle in radians", need)
	_, need = Outside(Heat{0.5}, []float64{-9})
	assert.Empty(t, need)
	_, err := New(Config{Name: "heat"}, 0)
	assert.EqualError(t, err, "kernel heat: time: missing; kernel heat needs a number > 0 and finite")
}
