package compute_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// symmetric returns a symmetric matrix with numbers of a stream in [-1, 1].
func symmetric(n int) compute.Symmetric {
	a, s := compute.NewSymmetric(n), compute.NewStream(1, "symmetric", 0)
	for i := range n {
		for j := i; j < n; j++ {
			a.Set(i, j, 2*s.Float64()-1)
		}
	}
	return a
}

// vector returns n numbers of a stream in [-1, 1] and zeros up to whole bricks.
func vector(n int, purpose string) []float64 {
	v, s := make([]float64, compute.Whole(n)), compute.NewStream(1, purpose, 0)
	for i := range n {
		v[i] = 2*s.Float64() - 1
	}
	return v
}

// Products and updates are those by the entries, and have the same bits at any number of threads. The magnitudes are at most 1,
// so that errors are below twice the number of terms times 2⁻⁵³, and that number once more.
func TestSymmetric(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 45, 100, 530} {
		a, x := symmetric(n), vector(n, "x")
		tolerance := float64(4*(n+20)*(n+20)) * 0x1p-53
		v := compute.NewRows(20, n) // three groups of rows, the last four of them 0
		rows := make([][]float64, 20)
		for l := range rows {
			rows[l] = vector(n, fmt.Sprint("row", l))
			v.Set(l, rows[l][:n])
		}
		results := map[string][]float64{}
		for _, threads := range []int{1, 2, 3} {
			same := func(key string, got []float64) {
				if want, ok := results[key]; ok {
					require.Equal(t, want, got, "%s of %d rows on %d threads", key, n, threads)
				}
				results[key] = got
			}
			e := compute.NewEngine(compute.Options{Threads: threads})
			y := vector(n, "overwritten")
			e.SymMulVec(y, a, x)
			same("product", y)
			for i := range n {
				want := 0.0
				for j := range n {
					want += a.At(i, j) * x[j]
				}
				require.InDelta(t, want, y[i], tolerance, "row %d of %d", i, n)
			}
			for _, subtract := range []bool{false, true} {
				b, sign, worst := symmetric(n), 1.0, 0.0
				if subtract {
					sign = -1
				}
				e.SymAddOuter(b, v, subtract)
				same(fmt.Sprint("update", subtract), b.Data)
				for i := range n {
					for j := range n {
						want := a.At(i, j)
						for _, row := range rows {
							want += sign * row[i] * row[j]
						}
						worst = max(worst, math.Abs(want-b.At(i, j)), math.Abs(want-b.At(j, i)))
					}
				}
				require.LessOrEqual(t, worst, tolerance, "update of %d rows", n)
			}
			dots := make([]float64, 24)
			e.RowsMulVec(dots, v, x)
			sum := make([]float64, compute.Whole(n))
			e.RowsAddTo(sum, v, dots)
			for i := range n {
				want := 0.0
				for l, row := range rows {
					dot := 0.0
					for j, w := range row {
						dot += w * x[j]
					}
					if i == 0 {
						require.InDelta(t, dot, dots[l], tolerance)
					}
					want += row[i] * dot
				}
				require.InDelta(t, want, sum[i], float64(n+1)*tolerance)
			}
			for _, v := range dots[20:] {
				assert.Zero(t, v)
			}
		}
	}
}

// On one thread, or of few rows, products allocate nothing.
func TestSymmetricAllocatesNothing(t *testing.T) {
	e := compute.NewEngine(compute.Options{Threads: 1})
	for _, n := range []int{45, 600} {
		a, x, y := symmetric(n), vector(n, "x"), make([]float64, compute.Whole(n))
		assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { e.SymMulVec(y, a, x) }), float64(n/600), "%d rows", n)
	}
}
