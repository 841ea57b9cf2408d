package audits

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// subsets calls visit with every set of n of the numbers below of.
func subsets(of, n int, visit func([]int)) {
	var grow func(set []int, from int)
	grow = func(set []int, from int) {
		if len(set) == n {
			visit(set)
			return
		}
		for i := from; i < of; i++ {
			grow(append(slices.Clone(set), i), i+1)
		}
	}
	grow(nil, 0)
}

// The probabilities are those of counting every sample within the budget.
func TestDetectionCounts(t *testing.T) {
	seconds := []float64{1, 1, 1, 2, 2, 3, 5, 8, 13, 40}
	for _, test := range []struct {
		budget float64
		size   int
	}{{0, 3}, {0, 10}, {20, 3}, {20, 2}, {40, 4}, {4, 3}, {1000, 5}} {
		d, err := New(seconds, test.budget, test.size)
		require.NoError(t, err)
		units := make([]int, len(seconds))
		var cells []int // by units, rising
		for _, g := range d.groups {
			for _, i := range g.cells {
				units[i] = g.units
				cells = append(cells, i)
			}
		}
		require.Len(t, cells, d.Cells)
		for wrong := 1; wrong <= d.Cells; wrong++ {
			bad := cells[len(cells)-wrong:]
			all, found := 0, 0
			subsets(len(cells), d.Size, func(set []int) {
				total, hit := 0, false
				for _, k := range set {
					total += units[cells[k]]
					hit = hit || slices.Contains(bad, cells[k])
				}
				if total > d.limit {
					return
				}
				all++
				if hit {
					found++
				}
			})
			require.Positive(t, all)
			random, least := d.Detection(wrong)
			assert.InDelta(t, float64(found)/float64(all), least, 1e-12, "%v, %d wrong", test, wrong)
			assert.LessOrEqual(t, least, random+1e-12, "the cells that take longest are found most rarely")
			hyper := 1.0
			for i := range d.Size {
				hyper *= max(0, float64(d.Cells-wrong-i)) / float64(d.Cells-i)
			}
			assert.InDelta(t, 1-hyper, random, 1e-12)
		}
	}
}

// Rounding to parts of the budget hardly changes what a sample takes, however short the cells are.
func TestRoundingKeepsSums(t *testing.T) {
	seconds := make([]float64, 3000)
	for i := range seconds {
		seconds[i] = 0.01 * float64(1+i%7)
	}
	d, err := New(seconds, 5, 500)
	require.NoError(t, err)
	units, total := 0, 0.0
	for _, g := range d.groups {
		units += g.units * len(g.cells)
	}
	for _, s := range seconds {
		total += s
	}
	assert.InDelta(t, total/5*float64(d.limit), float64(units), 1)
	sum := 0.0
	for _, i := range d.Draw(rand.New(rand.NewPCG(1, 2))) {
		sum += seconds[i]
	}
	assert.Less(t, sum, 5*1.1, "within the budget but for rounding")
	assert.Greater(t, d.Size, 50)
}

// Every sample within the budget is drawn equally often: 35 to 120 samples, 200 draws for each, and a χ² test that raises a
// false alarm once in 10,000 seeds; the seed is fixed.
func TestDrawIsUniform(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, test := range []struct {
		seconds []float64
		budget  float64
		size    int
	}{
		{[]float64{1, 2, 3, 4, 5, 6, 7}, 0, 3},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 7, 7}, 15, 3},
	} {
		d, err := New(test.seconds, test.budget, test.size)
		require.NoError(t, err)
		d.Size = test.size
		possible := map[string]int{}
		units := make([]int, len(test.seconds))
		for _, g := range d.groups {
			for _, i := range g.cells {
				units[i] = g.units
			}
		}
		subsets(len(test.seconds), d.Size, func(set []int) {
			total := 0
			for _, i := range set {
				total += units[i]
			}
			if total <= d.limit {
				possible[fmt.Sprint(set)] = 0
			}
		})
		draws := 200 * len(possible)
		for range draws {
			set := fmt.Sprint(d.Draw(random))
			require.Contains(t, possible, set)
			possible[set]++
		}
		chi := 0.0
		for _, n := range possible {
			chi += math.Pow(float64(n)-200, 2) / 200
		}
		k := float64(len(possible) - 1)
		critical := k * math.Pow(1-2/(9*k)+3.72*math.Sqrt(2/(9*k)), 3) // Wilson & Hilferty 1931; 3.72 is the quantile of 1 − 10⁻⁴
		assert.Less(t, chi, critical, "%d samples", len(possible))
	}
}

func TestSizeOfATightBudget(t *testing.T) {
	seconds := slices.Concat(slices.Repeat([]float64{1}, 90), slices.Repeat([]float64{60}, 10))
	free, err := New(seconds, 0, 30)
	require.NoError(t, err)
	assert.Equal(t, 30, free.Size)
	random, least := free.Detection(10)
	assert.InDelta(t, random, least, 1e-12, "without a budget it does not matter which cells are wrong")
	assert.InDelta(t, 0.977, random, 0.001) // 1 − C(90, 30)/C(100, 30)

	tight, err := New(seconds, 90, 30)
	require.NoError(t, err)
	_, least = tight.Detection(10)
	assert.Greater(t, least, 0.1)
	never, err := New(seconds, 45, 30)
	require.NoError(t, err)
	assert.Equal(t, 10, never.TooLong)
	assert.Equal(t, 90, never.Cells)

	_, err = New(nil, 0, 30)
	assert.Error(t, err)
	_, err = New([]float64{5}, 1, 30)
	assert.Error(t, err)
	_, err = New([]float64{5}, 0, 0)
	assert.Error(t, err)
	one, err := New([]float64{5}, 0, 30)
	require.NoError(t, err)
	assert.Equal(t, []int{0}, one.Draw(rand.New(rand.NewPCG(1, 1))))
}
