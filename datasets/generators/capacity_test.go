package generators

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets"
	_ "repro/datasets/sources" // its tests name some
)

var exponents = []datasets.Options{
	{Capacity: 0.2, Regularity: 0.5}, {Capacity: 0.5, Regularity: 0.5}, {Capacity: 0.9, Regularity: 0.5}, {Capacity: 0.5, Regularity: 1},
}

func openCapacity(t *testing.T, o datasets.Options) *datasets.Set {
	o.Name = "capacity"
	s, err := new(datasets.Library).Open(context.Background(), o, "regression", 1, "")
	require.NoError(t, err)
	return s
}

// The function is its series, and the truth at a test row is the row's target. The grid's mean of f_H² is 1, as it is the
// integral.
func TestCapacityIsItsSeries(t *testing.T) {
	for _, o := range exponents {
		s := openCapacity(t, o)
		a, norm := 0.5+o.Regularity/o.Capacity, 0.0
		for j := 1; j <= harmonics; j++ {
			norm += math.Pow(float64(j), -2*a) / 2
		}
		for _, x := range []float64{0, 0.01, 1, 3, 6.28} {
			want := 0.0
			for j := 1; j <= harmonics; j++ {
				want += math.Pow(float64(j), -a) * math.Cos(float64(j)*x)
			}
			// Roundings of x, which frequency j multiplies by j.
			assert.InDelta(t, want/math.Sqrt(norm), s.Truth([]float64{x}), 1e-11, "%+v, x = %v", o, x)
		}
		square := 0.0
		for i := range s.TestX.Rows {
			require.Equal(t, s.TestY.At(i, 0), s.Truth(s.TestX.Row(i)))
			square += s.TestY.At(i, 0) * s.TestY.At(i, 0) / float64(s.TestX.Rows)
		}
		assert.InDelta(t, 1, square, 1e-12)
	}
}

// Rows are the same bits on every platform.
func TestCapacityGolden(t *testing.T) {
	s := openCapacity(t, datasets.Options{Capacity: 0.9, Regularity: 0.5, Train: 4, Test: 5})
	x, y := compute.NewMatrix(2, 1), compute.NewMatrix(2, 1)
	s.Train.Gather([]int{0, 3}, x, y)
	assert.Equal(t, []float64{1.8934563899213335, 5.99969939828215}, x.Data)
	assert.Equal(t, []float64{-0.2856397840527515, 1.3491615865147293}, y.Data)
	assert.Equal(t, []float64{0.577797788391583, -0.5429581497943283, -0.7965998953671276, -0.5429581497943282, 0.577797788391583}, s.TestY.Data)
}

func TestCapacityOptions(t *testing.T) {
	for want, o := range map[string]datasets.Options{
		"data.capacity: missing: capacity needs a number > 0 and <= 1, such as 0.5":                          {Name: "capacity", Regularity: 0.5},
		"data.regularity: missing: capacity needs a number > 0 and <= 10, such as 0.5":                       {Name: "capacity", Capacity: 0.5},
		"data.capacity: it must be > 0 and <= 1, got 1.5":                                                    {Name: "capacity", Capacity: 1.5, Regularity: 0.5},
		"data.regularity: it must be > 0 and <= 10, got -1":                                                  {Name: "capacity", Capacity: 0.5, Regularity: -1},
		"data.capacity: it belongs to data that is made with given exponents, such as capacity: remove it":   {Name: "dai2014-synthetic", Capacity: 0.5},
		"data.regularity: it belongs to data that is made with given exponents, such as capacity: remove it": {Name: "a9a", Regularity: 0.5},
		"data.inputs: capacity has 1 inputs and no form in other dimensions: remove it":                      {Name: "capacity", Capacity: 0.5, Regularity: 0.5, Inputs: 2},
	} {
		assert.EqualError(t, o.Check(), want)
	}
}
