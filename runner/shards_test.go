package runner

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/experiments"
)

func shards(t *testing.T, cells []experiments.Cell, n int) []Shard {
	t.Helper()
	all, err := Shards(t.Context(), cells, n, &datasets.Library{})
	require.NoError(t, err)
	require.Len(t, all, n)
	var places []int
	for _, s := range all {
		assert.True(t, slices.IsSorted(s), "cells of a shard keep the order of the plan")
		places = append(places, s...)
	}
	slices.Sort(places)
	for i := range cells {
		require.Equal(t, i, places[i], "every cell is in one shard")
	}
	require.Len(t, places, len(cells))
	return all
}

func TestShardsAreThePartsOfAPlan(t *testing.T) {
	cells := spec(t, head+compared, `evaluate.metrics=["test-mse"]`, "repeat.seeds=5").Expand()
	for _, n := range []int{1, 2, 3, 7, 20, 25} {
		first := shards(t, cells, n)
		assert.Equal(t, first, shards(t, cells, n), "the same packing every time")
		if n >= 20 {
			for _, s := range first {
				assert.LessOrEqual(t, len(s), 1)
			}
		}
	}
}

// The longest first, into the shard with the least: at most 4/3 - 1/(3n) of the best packing [Graham 1969, theorem 2], and never
// more than the mean and the largest unit together.
func TestPackIsBalanced(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(8)
		units := make([]unit, 1+r.IntN(40))
		most, sum := int64(0), int64(0)
		for i := range units {
			units[i] = unit{cells: []int{i}, cost: 1 + r.Int64N(1000)}
			most, sum = max(most, units[i].cost), sum+units[i].cost
		}
		costs := make([]int64, len(units))
		for i, u := range units {
			costs[i] = u.cost
		}
		for _, s := range pack(units, n) {
			load := int64(0)
			for _, i := range s {
				load += costs[i]
			}
			assert.LessOrEqual(t, load, sum/int64(n)+most)
		}
	}
	exact := pack([]unit{{cells: []int{0}, cost: 3}, {cells: []int{1}, cost: 3}, {cells: []int{2}, cost: 2}, {cells: []int{3}, cost: 2}, {cells: []int{4}, cost: 2}}, 2)
	assert.Equal(t, []Shard{{0, 2, 4}, {1, 3}}, exact)
}

func TestCellsThatNeedEachOtherStayTogether(t *testing.T) {
	s := spec(t, head+compared, "repeat.seeds=4") // the metric exact-distance shares a reference solution
	for _, shard := range shards(t, s.Expand(), 4) {
		cells := s.Expand()
		require.Len(t, shard, 4)
		for _, i := range shard {
			assert.Equal(t, cells[shard[0]].Seed, cells[i].Seed)
		}
	}
	s = spec(t, head+compared, `evaluate.metrics=["test-mse"]`, "repeat.seeds=3", `method.norma.budget={time_of="dsg"}`)
	cells := s.Expand()
	for _, shard := range shards(t, cells, 6) {
		for _, i := range shard {
			for _, name := range cells[i].Needs {
				assert.True(t, slices.ContainsFunc(shard, func(j int) bool { return cells[j].Name == name }), "%s is with %s", cells[i].Name, name)
			}
		}
	}
}

func TestTimedCellsHaveShardsOfTheirOwn(t *testing.T) {
	plain := spec(t, head+compared, `evaluate.metrics=["test-mse"]`, "repeat.seeds=3").Expand()
	timed := spec(t, head+compared, `evaluate.metrics=["test-mse"]`, "repeat.seeds=3", "repeat.timed=true").Expand()
	cells := append(plain, timed...)
	for _, n := range []int{2, 3, 5} {
		alone := 0
		for _, s := range shards(t, cells, n) {
			kinds := map[bool]bool{}
			for _, i := range s {
				kinds[cells[i].Spec.Repeat.Timed] = true
			}
			assert.Len(t, kinds, 1, "n = %d", n)
			if s.Alone(cells) {
				alone++
			}
		}
		assert.InDelta(t, float64(n)/2, float64(alone), 0.5, "half of the cost, half of the shards")
	}
	shards(t, cells, 1)
}

// A unit costs what its cells do, in milliseconds. Cells of unknown time count as the mean of the others, at least a second.
func TestUnitsOfAPlan(t *testing.T) {
	plain := strings.NewReplacer(`, "exact-distance"`, "", "reference = \"krr\"\n", "").Replace(head)
	program := "[[method]]\nid = \"program\"\nalgorithm = \"external\"\ncommand.train = [\"x\", \"{train}\", \"{test}\", \"{predictions}\"]\n"
	for _, c := range []struct {
		text  string
		sizes []int
	}{{head + compared, []int{4, 4}}, {plain + compared, []int{1, 1, 1, 1, 1, 1, 1, 1}}, {plain + steps, []int{4, 4, 1, 4, 4, 1}}} {
		cells := spec(t, c.text).Expand()
		costs, err := nominalCosts(t.Context(), cells, &datasets.Library{})
		require.NoError(t, err)
		units, err := unitsOf(t.Context(), cells, &datasets.Library{})
		require.NoError(t, err)
		var sizes []int
		for _, u := range units {
			sum := int64(0)
			for _, i := range u.cells {
				sum += costs[i]
			}
			assert.Equal(t, sum, u.cost)
			sizes = append(sizes, len(u.cells))
		}
		assert.Equal(t, c.sizes, sizes)
	}
	for set, want := range map[string]float64{"data.train=600": 1000, "data.train=60000": 0} {
		cells := spec(t, plain+strings.Split(compared, "[[method]]\nid = \"r-pegasos\"")[0]+program, set, "repeat.seeds=1").Expand()
		costs, err := nominalCosts(t.Context(), cells, &datasets.Library{})
		require.NoError(t, err)
		takes := estimate(t, NewNominalEstimator(&datasets.Library{}), &cells[0]).Seconds
		assert.Equal(t, max(1, int64(math.Round(1000*takes))), costs[0])
		assert.Equal(t, max(int64(want), (costs[0]+costs[1])/2), costs[2], set)
		assert.True(t, Shard{2}.Alone(cells), "a program may use any number of threads")
	}
	free, alone := spec(t, plain+compared, "repeat.seeds=1").Expand(), spec(t, plain+compared, "repeat.seeds=3", "repeat.timed=true").Expand()
	for n, want := range map[int]int{2: 1, 4: 3} {
		cells, timed := slices.Concat(free, alone), 0
		for _, s := range shards(t, cells, n) {
			if s.Alone(cells) {
				timed++
			}
		}
		assert.Equal(t, want, timed, "three quarters of the cost, of %d shards at least one and at most all but one", n)
	}
}
