package datasets

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

func normalRows(n, d int) matrixSamples {
	m := matrixSamples{compute.NewMatrix(n, d), compute.NewMatrix(n, 1)}
	s := compute.NewStream(5, "test", 0)
	for i := range m.x.Data {
		m.x.Data[i] = s.Normal()
	}
	return m
}

func TestMedianDistanceAgainstSorting(t *testing.T) {
	for _, n := range []int{2, 3, 4, 7, 60, 61} { // odd and even numbers of pairs
		m := normalRows(n, 7)
		var all []float64
		for i := range n {
			for j := range i {
				var s float64
				for k := range 7 {
					s += math.Pow(m.x.At(i, k)-m.x.At(j, k), 2)
				}
				all = append(all, math.Sqrt(s))
			}
		}
		slices.Sort(all)
		want := (all[(len(all)-1)/2] + all[len(all)/2]) / 2
		// seven squares summed in another order
		assert.InEpsilon(t, want, MedianDistance(m, 0, 0), 1e-14, "%d rows", n)
	}
}

func TestMedianDistanceSamples(t *testing.T) {
	m := normalRows(500, 3)
	assert.Equal(t, MedianDistance(m, 100, 1), MedianDistance(m, 100, 1))
	assert.NotEqual(t, MedianDistance(m, 100, 1), MedianDistance(m, 100, 2))
	assert.Equal(t, MedianDistance(m, 500, 1), MedianDistance(m, 1000, 2), "all rows, whatever the seed")
	assert.Zero(t, MedianDistance(normalRows(1, 3), 0, 0))
}

// Two uniform points of a square of side 10 are at most 5.1200 apart with probability 1/2: πs² -
// 8s³/3 + s⁴/2 = 1/2 at s = 0.51200. Over 4000 points the median has standard deviation
// 2√(ζ/4000)/p = 0.031, where p is the density there and ζ = 0.0187 the variance over x of the
// probability given x. 4.5 of them: false alarm with probability 7e-6.
func TestMedianDistanceOfSynthetic(t *testing.T) {
	assert.InDelta(t, 5.1200, MedianDistance(synthetic(0, "data/train"), 0, 0), 4.5*0.031)
}

func TestSampleRows(t *testing.T) {
	s := compute.NewStream(1, "test", 0)
	var hits [10]int
	for range 3000 {
		rows := sampleRows(10, 4, s)
		require.Len(t, rows, 4)
		slices.Sort(rows)
		require.Len(t, slices.Compact(rows), 4, "without replacement")
		for _, r := range rows {
			hits[r]++
		}
	}
	// binomial(3000, 0.4): standard deviation 26.8; 5 of them, ten rows: false alarm 6e-6
	for r, h := range hits {
		assert.InDelta(t, 1200, h, 134, "row %d", r)
	}
	assert.Equal(t, []int{0, 1, 2}, sampleRows(3, 3, s))
}

func TestSelectKth(t *testing.T) {
	s := compute.NewStream(2, "test", 0)
	for range 300 {
		v := make([]float64, 1+s.IntN(80))
		for i := range v {
			v[i] = float64(s.IntN(1 + s.IntN(40))) // many equal values
		}
		sorted := slices.Sorted(slices.Values(v))
		k := s.IntN(len(v))
		require.Equal(t, sorted[k], selectKth(v, k))
		for _, before := range v[:k] {
			require.LessOrEqual(t, before, sorted[k])
		}
	}
}

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
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Bandwidth(c.median, c.scale, c.convention)
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.InEpsilon(t, c.want, got, 4e-16) // a rounding or two
		})
	}
}
