package generators

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets"
)

// The grid's inner products with the harmonics are the Fourier coefficients of the step: 4/(πj) for odd
// sines, up to aliasing of relative size (j/n)².
func TestHeavisideIsItsFourierSeries(t *testing.T) {
	const n = 512
	set, err := new(datasets.Library).Open(context.Background(), datasets.Options{Name: "heaviside", Train: n}, "", 1, "")
	require.NoError(t, err)
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	x, y := compute.NewMatrix(n, 1), compute.NewMatrix(n, 1)
	set.Train.Gather(rows, x, y)
	for j := 1; j < 8; j++ {
		sin, cos := 0.0, 0.0
		for i := range n {
			s, c := math.Sincos(float64(j) * x.At(i, 0))
			sin, cos = sin+2*s*y.At(i, 0)/n, cos+2*c*y.At(i, 0)/n
		}
		want := 0.0
		if j%2 == 1 {
			want = 4 / (math.Pi * float64(j))
		}
		assert.InDelta(t, want, sin, 1e-3, "sine %d", j)
		assert.InDelta(t, 0, cos, 1e-12, "cosine %d", j)
	}
	for i := range set.TestX.Rows {
		require.Equal(t, set.Truth(set.TestX.Row(i)), set.TestY.At(i, 0))
	}
}
