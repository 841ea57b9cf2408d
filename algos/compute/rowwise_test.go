package compute_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// TestRowwise compares inner products with rows and sums of rows with plain sums of the stored entries: 2m + 2 roundings of
// the sum of magnitudes for m terms. The same row gives the same bits in every group of rows and in every evaluation.
func TestRowwise(t *testing.T) {
	const n, d = 60, 5
	x := normalMatrix(1, n, d)
	onEach(t, func(t *testing.T) {
		for _, precision := range []compute.Precision{compute.Float32, compute.Float64} {
			for _, m := range []int{1, 7, 48, 203} {
				e := compute.NewEngine(compute.Options{Threads: 2, Precision: precision})
				none := compute.NewEngine(compute.Options{Threads: 1, Precision: precision, MemoryBytes: -1})
				f := kernels.Gaussian{Sigma: 2}.Features(1, d, m)
				stored := e.Store(e.Features(f, x, compute.Range{Lo: 0, Hi: 1}))
				entries, of := compute.Entries(stored), compute.RowsOf(stored)
				v, rows, c := normalMatrix(2, m, 1).Data, []int{5, 59, 5, 0, 31}, []float64{1, -2, 0.5, 3, 1e-3}
				dots, sum := make([]float64, len(rows)), append([]float64(nil), v...)
				of.Dots(dots, rows, v)
				of.AddTo(sum, rows, c)
				for i, r := range rows {
					want, size := 0.0, 0.0
					for j, a := range entries.Row(r) {
						want += a * v[j]
						size += math.Abs(a * v[j])
					}
					assert.InDelta(t, want, dots[i], float64(2*m+2)*size*0x1p-53)
				}
				for j := range sum {
					want, size := v[j], math.Abs(v[j])
					for i, r := range rows {
						want += c[i] * entries.At(r, j)
						size += math.Abs(c[i] * entries.At(r, j))
					}
					assert.InDelta(t, want, sum[j], float64(2*len(rows)+2)*size*0x1p-53)
				}

				before := none.Counters()
				fewer := none.Evaluate(none.Features(f, x.Select(rows), compute.Range{Lo: 0, Hi: 1}))
				assert.EqualValues(t, len(rows)*m, none.Counters().Sub(before).FeatureEvals)
				selected, again := compute.RowsOf(stored.Select(rows)), append([]float64(nil), v...)
				for i := range rows {
					one := make([]float64, 1)
					for name, r := range map[string]compute.Rowwise{"evaluated without the others": fewer, "selected": selected} {
						r.Dots(one, []int{i}, v)
						require.Equal(t, dots[i], one[0], "%s, %d columns", name, m)
					}
					fewer.AddTo(again, []int{i}, c[i:i+1])
				}
				assert.Equal(t, sum, again)
			}
		}
	})
	assert.Panics(t, func() { compute.RowsOf(compute.NewEngine(compute.Options{}).Kernel(kernels.Gaussian{Sigma: 1}, x, x)) })
}
