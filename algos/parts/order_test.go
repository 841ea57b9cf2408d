package parts

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// visits returns the batches of the given number of examples.
func visits(t *testing.T, p *algos.Problem, batch, examples int) [][]int {
	t.Helper()
	o := NewOrder(p)
	var all [][]int
	for seen := 0; seen < examples; {
		rows, x, y := o.Batch(int64(seen), batch)
		require.NotEmpty(t, rows)
		require.LessOrEqual(t, len(rows), batch)
		d := p.Train.(*algostest.Samples)
		for i, r := range rows {
			require.Equal(t, d.X.Row(r), x.Row(i))
			require.Equal(t, d.Y.Row(r), y.Row(i))
		}
		all = append(all, slices.Clone(rows))
		seen += len(rows)
	}
	return all
}

func TestOrderVisitsEveryRowOnceAnEpoch(t *testing.T) {
	const n = 23
	for _, fileOrder := range []bool{false, true} {
		for _, batch := range []int{1, 5, 22, 23, 24, 100} {
			p := algostest.Problem(n, losses.Square{})
			p.FileOrder = fileOrder
			all := visits(t, p, batch, 3*n)
			perEpoch := (n + batch - 1) / batch
			require.Len(t, all, 3*perEpoch)
			var epochs [][]int
			for len(all) > 0 {
				last := all[perEpoch-1]
				assert.Len(t, last, n-(perEpoch-1)*min(batch, n), "the last batch is short")
				epochs = append(epochs, slices.Concat(all[:perEpoch]...))
				all = all[perEpoch:]
			}
			for _, e := range epochs {
				sorted := slices.Sorted(slices.Values(e))
				for i, r := range sorted {
					require.Equal(t, i, r)
				}
				assert.Equal(t, fileOrder, slices.IsSorted(e))
			}
			if !fileOrder {
				assert.NotEqual(t, epochs[0], epochs[1], "every epoch is shuffled anew")
				assert.NotEqual(t, epochs[1], epochs[2])
			}
		}
	}
}

// TestOrderIsAFunctionOfSeedAndPosition jumps between positions, as a restored fit does.
func TestOrderIsAFunctionOfSeedAndPosition(t *testing.T) {
	const n = 23
	p := algostest.Problem(n, losses.Square{})
	o := NewOrder(p)
	at := func(seen int64) []int {
		rows, _, _ := o.Batch(seen, 4)
		return slices.Clone(rows)
	}
	first, later := at(4), at(5*n+8)
	assert.Equal(t, first, at(4))
	assert.Equal(t, later, at(5*n+8))
	assert.Len(t, at(n-1), 1)

	for epoch := range 3 {
		want := compute.NewStream(p.Seed, "order", uint64(epoch)).Perm(n)
		assert.Equal(t, want, slices.Clone(o.Rows(int64(epoch*n), n)), "an order has a stream of its own")
	}

	other := algostest.Problem(n, losses.Square{})
	other.Seed++
	assert.NotEqual(t, slices.Concat(visits(t, p, 4, n)...), slices.Concat(visits(t, other, 4, n)...))
	assert.Equal(t, slices.Concat(visits(t, p, 4, n)...), slices.Concat(visits(t, p, 7, n)...), "whatever the batch size")
}

// With replacement, rows depend on the seed and the position only, whatever the batch size, and each is as frequent as any
// other: the sum of squared deviations is χ² with n - 1 degrees of freedom, at most 5 s.d. above its mean.
func TestRowsDrawnWithReplacement(t *testing.T) {
	const n, draws = 23, 3 * drawnTogether
	const mean = float64(draws) / n
	p := algostest.Problem(n, losses.Square{})
	o, err := NewSampling("a method", p, true)
	require.NoError(t, err)
	whole := slices.Clone(o.Rows(0, draws))
	require.Len(t, whole, draws)
	for _, b := range []int{1, 7, n + 1, 5000} {
		for _, seen := range []int{drawnTogether - 3, 0, 5} {
			assert.Equal(t, whole[seen:seen+b], slices.Clone(o.Rows(int64(seen), b)))
		}
	}
	count, chi2 := make([]int, n), 0.0
	for _, r := range whole {
		count[r]++
	}
	for _, c := range count {
		chi2 += math.Pow(float64(c)-mean, 2) / mean
	}
	assert.Less(t, chi2, n-1+5*math.Sqrt(2*(n-1)))
	assert.Greater(t, chi2, 1.0, "without replacement all would be equal")
	assert.NotEqual(t, slices.Clone(o.permutation(0, n)), whole[:n], "a stream of its own")
	assert.NotEqual(t, whole[:drawnTogether], whole[drawnTogether:2*drawnTogether], "draws do not repeat")

	// Of more rows than are drawn together, each third is as frequent, within 5 standard deviations.
	o, err = NewSampling("a method", algostest.Problem(n*drawnTogether, losses.Square{}), true)
	require.NoError(t, err)
	thirds := [3]float64{}
	for _, r := range o.Rows(0, drawnTogether) {
		thirds[3*r/(n*drawnTogether)]++
	}
	for _, c := range thirds {
		assert.InDelta(t, drawnTogether/3., c, 5*math.Sqrt(drawnTogether*2/9.))
	}
}

// A stream counts the loss of each prediction against the targets that it then reveals, in the order in which all methods visit the rows.
func TestStreamTallies(t *testing.T) {
	const n, rounds = 7, 17
	p := algostest.Problem(n, losses.Square{})
	s, order := NewStream(p), NewOrder(p)
	want, random := algos.Tally{Rounds: rounds, Outputs: rounds}, compute.NewStream(1, "test", 0)
	for round := range int64(rounds) {
		_, x, y := order.Batch(round, 1)
		u := []float64{y.At(0, 0) + random.Normal()}
		if round == 3 {
			u[0] = 0
		}
		d := u[0] - y.At(0, 0)
		want.Squares += d * d
		switch signs := math.Signbit(u[0]) != math.Signbit(y.At(0, 0)); {
		case u[0] == 0:
			want.Ties++
		case signs:
			want.Wrong++
		}
		assert.Equal(t, x.Row(0), s.Inputs(round))
		assert.Equal(t, y.Row(0), s.Reveal(round, u))
	}
	assert.Equal(t, want, *s.Tally)
	assert.Positive(t, want.Wrong)
	assert.Panics(t, func() { s.Reveal(rounds-1, []float64{0}) }, "a second time")
	s.Inputs(rounds)
	assert.Panics(t, func() { s.Reveal(rounds-1, []float64{0}) }, "of an earlier example")
}

// Ahead returns the rows of whole batches, as many as are asked for and fit, and one at least.
func TestRowsAhead(t *testing.T) {
	const n, b = 23, 5
	p := algostest.Problem(n, losses.Square{})
	o, whole := NewOrder(p), slices.Concat(visits(t, p, n, 2*n)...)
	for _, c := range []struct {
		seen, n, most int
		ends          []int
	}{{0, 3, 100, []int{5, 10, 15}}, {5, 9, 14, []int{5, 10}}, {5, 9, 15, []int{5, 10, 15}}, {5, 9, 1, []int{5}}, {20, 2, 100, []int{3, 8}}} {
		rows, ends := o.Ahead(int64(c.seen), b, c.n, c.most)
		assert.Equal(t, c.ends, ends)
		assert.Equal(t, whole[c.seen:c.seen+ends[len(ends)-1]], rows)
	}
}
