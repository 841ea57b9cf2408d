package compute

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rough is a Gaussian kernel of distances between points of many inputs.
type rough struct{}

func (rough) Formula() Formula {
	return SquaredDistance.Then(EachStep(func(s float64) float64 { return math.Exp(-s / 50) }))
}

// Rows are those of KernelMatrix, whichever were asked for before and however few are kept, and AddTo adds them up.
func TestKernelRows(t *testing.T) {
	const n = 200
	r := rand.New(rand.NewPCG(1, 2))
	x := gaussian(n, 20)
	for _, o := range []Options{{}, {Precision: Float32}, {Threads: 1}} {
		e := NewEngine(o)
		want := e.KernelMatrix(rough{}, x, x)
		tolerance := 1e-13
		if o.Precision == Float32 {
			tolerance = 1e-5
		}
		for _, most := range []int64{1, 40, 1000} {
			rows := e.KernelRows(rough{}, x, most*8*n)
			before := e.Counters().KernelEvals
			asked := map[int]bool{}
			for range 15 {
				chosen := r.Perm(n)[:1+r.IntN(60)]
				rows.Fetch(chosen)
				for _, i := range chosen {
					asked[i] = true
					requireNear(t, want.Row(i), rows.Row(i), tolerance)
				}
				y, sum, w := make([]float64, n), make([]float64, n), make([]float64, len(chosen))
				for l, i := range chosen {
					w[l] = r.NormFloat64()
					for j := range sum {
						sum[j] += w[l] * want.At(i, j)
					}
				}
				rows.AddTo(y, chosen, w)
				requireNear(t, sum, y, 100*tolerance)
			}
			for i, v := range rows.Diagonal() {
				require.InDelta(t, want.At(i, i), v, tolerance)
			}
			evaluated := e.Counters().KernelEvals - before
			if most >= n {
				assert.Equal(t, int64(len(asked)*n), evaluated, "each row once")
			} else {
				assert.Greater(t, evaluated, int64(len(asked)*n))
			}
			assert.LessOrEqual(t, len(rows.kept), max(int(min(most, n)), 60), "no more than fit, or than were asked for at once")
		}
	}
}

// requireNear requires numbers within a tolerance of others, in much less time than assertions of each take.
func requireNear(t *testing.T, want, got []float64, tolerance float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance) {
			require.InDelta(t, w, got[i], tolerance, "number %d", i)
		}
	}
}

// The row that was not asked for the longest gives way.
func TestKernelRowsKeepTheLatest(t *testing.T) {
	x := NewMatrix(10, 20)
	e := NewEngine(Options{})
	rows := e.KernelRows(rough{}, x, 3*8*10)
	for _, i := range []int{0, 1, 2, 0, 3} {
		rows.Fetch([]int{i})
	}
	before := e.Counters().KernelEvals
	rows.Fetch([]int{0, 2, 3})
	assert.Equal(t, before, e.Counters().KernelEvals)
	rows.Fetch([]int{1})
	assert.Equal(t, before+10, e.Counters().KernelEvals)
}
