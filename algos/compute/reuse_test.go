package compute_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// An engine made after another retired takes its memory, and a matrix that of one given to Reuse: what is in it does not matter.
func TestMemoryIsReused(t *testing.T) {
	x, v := normalMatrix(1, 200, 20), normalMatrix(2, 200, 3)
	products := func(e *compute.Engine) []float64 {
		k := e.Kernel(kernels.Gaussian{Sigma: 3}, x, x)
		u := compute.NewMatrix(200, 3)
		k.MulTo(u, v)
		m := e.KernelMatrix(kernels.Gaussian{Sigma: 3}, x, x.RowRange(0, 150))
		got := append(slices.Clone(m.Data), u.Data...)
		for i := range m.Data {
			m.Data[i] = math.NaN()
		}
		e.Reuse(m)
		return got
	}
	for _, precision := range precisions {
		e := compute.NewEngine(compute.Options{Threads: 2, Precision: precision})
		want := products(e)
		require.Equal(t, want, products(e))
		small := e.KernelMatrix(kernels.Gaussian{Sigma: 3}, x.RowRange(0, 2), x.RowRange(0, 2))
		require.Equal(t, 4, cap(small.Data), "a small matrix does not keep large memory")
		e.Retire()
		require.Equal(t, want, products(compute.NewEngine(compute.Options{Threads: 2, Precision: precision})))
		require.Equal(t, want, products(e), "a retired engine can be used")
	}
}
