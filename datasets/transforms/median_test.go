package transforms

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

func normalRows(n, d int) InMemory {
	m := InMemory{compute.NewMatrix(n, d), compute.NewMatrix(n, 1)}
	s := compute.NewStream(5, "test", 0)
	for i := range m.X.Data {
		m.X.Data[i] = s.Normal()
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
					s += math.Pow(m.X.At(i, k)-m.X.At(j, k), 2)
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
	sample := Subset{Samples: m, Rows: sampleRows(500, 100, compute.NewStream(1, "bandwidth", 0))}
	assert.Equal(t, MedianDistance(sample, 0, 0), MedianDistance(m, 100, 1), "the sample has a stream of its own")
	assert.Zero(t, MedianDistance(normalRows(1, 3), 0, 0))
	many := normalRows(MedianSample+500, 1)
	assert.Equal(t, MedianDistance(many, MedianSample, 1), MedianDistance(many, 0, 1), "the sample that is the default")
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

// middle is exact whatever it is told of where the two lie, and the bracket of many pairs tells it right.
func TestMiddle(t *testing.T) {
	s := compute.NewStream(3, "test", 0)
	const n = 600
	for name, entry := range map[string]func(i int) float64{
		"normal": func(int) float64 { return s.Normal() },
		"sorted": func(i int) float64 { return float64(i) },
		"equal":  func(int) float64 { return 3 },
		"few":    func(int) float64 { return float64(s.IntN(3)) },
	} {
		x := compute.NewMatrix(n, 1)
		for i := range x.Data {
			x.Data[i] = entry(i)
		}
		_, all := between(x, math.Inf(-1), math.Inf(1))
		require.Len(t, all, n*(n-1)/2)
		require.GreaterOrEqual(t, len(all), 16*probes)
		lo, hi := bracket(x, len(all))
		below, kept := between(x, lo, hi)
		assert.LessOrEqual(t, below, len(all)/2-1, name)
		assert.Greater(t, below+len(kept), len(all)/2, name)
		sorted := slices.Sorted(slices.Values(all))
		for _, k := range []int{len(all) / 2, len(all) / 3, 1, len(all) - 1} {
			for _, told := range [][2]float64{{lo, hi}, {-2, -1}, {1e9, 1e10}, {math.Inf(-1), math.Inf(1)}, {sorted[k], math.Inf(1)}, {math.Inf(-1), sorted[k-1]}} {
				low, high := middle(x, k, told[0], told[1])
				require.Equal(t, sorted[k-1], low, "%s, %d", name, k)
				require.Equal(t, sorted[k], high, "%s, %d", name, k)
			}
		}
	}
}
