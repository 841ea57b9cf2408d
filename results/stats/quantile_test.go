package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestQuantile(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name   string
		values []float64
		q      float64
		want   float64
	}{
		{"one value", []float64{3}, 0.25, 3},
		{"median of two", []float64{4, 2}, 0.5, 3},
		{"type 7", []float64{1, 2, 3, 4}, 0.25, 1.75},
		{"maximum", []float64{1, 5, 3}, 1, 5},
		{"a minority diverged", []float64{1, 2, 3, inf}, 0.5, 2.5},
		{"the upper quartile touches it", []float64{1, 2, 3, inf}, 0.75, inf},
		{"half diverged", []float64{1, 2, inf, inf}, 0.5, inf},
		{"exactly on a finite one", []float64{1, 2, inf}, 0.5, 2},
		{"all diverged", []float64{inf, inf}, 0.3, inf},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, Quantile(test.values, test.q))
		})
	}
}

func TestBandSaysWhatItIs(t *testing.T) {
	low, high := Band([]float64{3, 1, 2})
	assert.Equal(t, [2]float64{1, 3}, [2]float64{low, high})
	low, high = Band([]float64{1, 2, 3, 4, 5})
	assert.Equal(t, [2]float64{2, 4}, [2]float64{low, high})
	assert.Equal(t, "one seed", BandName(1))
	assert.Equal(t, "range of 3 seeds", BandName(3))
	assert.Equal(t, "quartiles of 10 seeds", BandName(10))
}

// The interval of the median is that of order statistics: for 12 seeds from the third to the tenth, for fewer than six none.
func TestMedianRange(t *testing.T) {
	var ranges [][2]float64
	for i := range 12 {
		v := float64((7*i)%12 + 1)
		ranges = append(ranges, [2]float64{v, v})
	}
	low, high, ok := MedianRange(ranges, Level)
	assert.True(t, ok)
	assert.Equal(t, [2]float64{3, 10}, [2]float64{low, high})
	for i, r := range ranges { // unknown at one end
		switch r[0] {
		case 1, 11:
			ranges[i][1] = math.Inf(1)
		case 12:
			ranges[i][0] = 0
		}
	}
	low, high, _ = MedianRange(ranges, Level)
	assert.Equal(t, [2]float64{2, 12}, [2]float64{low, high}, "the third smallest lower end, the third largest upper end")
	for n := range 8 {
		_, _, ok := MedianRange(ranges[:n], Level)
		assert.Equal(t, n >= 6, ok, n)
	}
}
