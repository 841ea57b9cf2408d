package compute_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// An operator that keeps its points packed gives the bits of one that does not, for selections of any size, in both
// precisions, and packs nothing twice.
func TestKeepPacked(t *testing.T) {
	for _, precision := range precisions {
		for _, d := range []int{3, 300} {
			for _, k := range []compute.KernelFunc{kernels.Gaussian{Sigma: 4}, kernels.Laplace{Sigma: 4}} {
				e := compute.NewEngine(compute.Options{Threads: 2, Precision: precision})
				x, v := normalMatrix(1, 2000, d), normalMatrix(2, 2000, 3)
				plain := e.Kernel(k, x, x)
				kept := compute.KeepPacked(plain)
				for i, rows := range [][]int{{7}, {1, 2, 3}, {1999, 0}, nil, {5, 5, 700, 1400}, {3}} {
					a, b := plain.Select(rows), kept.Select(rows)
					if rows == nil {
						a, b = plain, kept
					}
					r, _ := a.Dims()
					want, got := compute.NewMatrix(r, 3), compute.NewMatrix(r, 3)
					a.MulTo(want, v)
					b.MulTo(got, v)
					require.Equal(t, want, got, "%s, %d inputs, product %d", precision, d, i)
					want, got = compute.NewMatrix(2000, 3), compute.NewMatrix(2000, 3)
					w := normalMatrix(3, r, 3)
					a.MulTransTo(want, w)
					b.MulTransTo(got, w)
					require.Equal(t, want, got, "%s, %d inputs, transposed product %d", precision, d, i)
				}
			}
		}
	}
	stored := compute.NewEngine(compute.Options{}).Store(compute.NewEngine(compute.Options{}).Kernel(kernels.Gaussian{Sigma: 1}, normalMatrix(1, 5, 2), normalMatrix(2, 6, 2)))
	require.Same(t, stored, compute.KeepPacked(stored))
}
