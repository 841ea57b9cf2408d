package algos

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// visits returns the batches of the given number of examples.
func visits(t *testing.T, p *Problem, batch, examples int) [][]int {
	t.Helper()
	o := order{p: p}
	var all [][]int
	for seen := 0; seen < examples; {
		rows, x, y := o.batch(int64(seen), batch)
		require.NotEmpty(t, rows)
		require.LessOrEqual(t, len(rows), batch)
		d := p.Train.(*dense)
		for i, r := range rows {
			require.Equal(t, d.x.Row(r), x.Row(i))
			require.Equal(t, d.y.Row(r), y.Row(i))
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
			p := problem(n, losses.Square{})
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
	p := problem(n, losses.Square{})
	o := order{p: p}
	at := func(seen int64) []int {
		rows, _, _ := o.batch(seen, 4)
		return slices.Clone(rows)
	}
	first, later := at(4), at(5*n+8)
	assert.Equal(t, first, at(4))
	assert.Equal(t, later, at(5*n+8))
	assert.Len(t, at(n-1), 1)

	other := problem(n, losses.Square{})
	other.Seed++
	assert.NotEqual(t, slices.Concat(visits(t, p, 4, n)...), slices.Concat(visits(t, other, 4, n)...))
	assert.Equal(t, slices.Concat(visits(t, p, 4, n)...), slices.Concat(visits(t, p, 7, n)...), "whatever the batch size")
}

// TestMethodsSeeTheSameExamples compares what different methods asked for with one seed and batch size.
func TestMethodsSeeTheSameExamples(t *testing.T) {
	const n, batch, epochs = 23, 5, 2
	want := visits(t, problem(n, losses.Square{}), batch, epochs*n)
	step := &schedules.Constant{Gamma0: 0.1}
	for name, a := range map[string]Algorithm{
		"dsg":       &DSG{Batch: batch, Block: 3, Step: step},
		"r-pegasos": &RPegasos{PegasosSettings{Batch: batch, Features: 3, Step: step}},
		"n-pegasos": &NPegasos{PegasosSettings: PegasosSettings{Batch: batch, Features: 3, Step: step}, Jitter: 1e-10},
		"r-sdca":    &RSDCA{SDCASettings{Batch: batch}, 3},
		"n-sdca":    &NSDCA{SDCASettings{Batch: batch}, 3, 1e-10},
		"r-sbmd":    &RSBMD{SBMDSettings{Batch: batch, Features: 3, Blocks: 3}},
		"n-sbmd":    &NSBMD{SBMDSettings{Batch: batch, Features: 3, Blocks: 3}, 1e-10},
	} {
		p := problem(n, losses.Square{})
		f := start(t, a, p)
		p.Train.(*dense).gathered = nil
		steps(t, f, len(want))
		assert.Equal(t, want, p.Train.(*dense).gathered, name)
	}
	// NORMA and k-SDCA ask for their centres as well; with the square loss they are the examples themselves.
	k := start(t, &KSDCA{SDCASettings{Batch: batch}}, problem(n, losses.Square{})).(*ksdca)
	steps(t, k, len(want)/epochs)
	assert.Equal(t, slices.Concat(want[:len(want)/epochs]...), k.Rows)
	f := start(t, &NORMA{Batch: batch, Step: step}, problem(n, losses.Square{})).(*norma)
	steps(t, f, len(want))
	assert.Equal(t, slices.Concat(want...), f.Rows)
}

func TestResidual(t *testing.T) {
	p := problem(3, losses.Square{})
	u, y := compute.NewMatrix(2, 2), compute.NewMatrix(2, 2)
	copy(u.Data, []float64{1, 2, 3, 4})
	copy(y.Data, []float64{0, 5, 3, -1})
	assert.True(t, p.residual(u, y))
	assert.Equal(t, []float64{1, -3, 0, 5}, u.Data)
	for _, bad := range []float64{nan, inf, -inf} {
		copy(u.Data, []float64{1, 2, bad, 4})
		assert.False(t, p.residual(u, y))
	}
}
