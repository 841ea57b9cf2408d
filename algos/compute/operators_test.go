package compute_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

var precisions = []compute.Precision{compute.Float32, compute.Float64}

// TestGaussianEntries compares the kernel and its features, whose hooks are vector code, with their formulas.
// TestConformance has the operators in every shape.
func TestGaussianEntries(t *testing.T) {
	const n, sigma = 60, 1.7
	g := kernels.Gaussian{Sigma: sigma}
	onEach(t, func(t *testing.T) {
		for _, precision := range precisions {
			// Inputs are normal, so that 17 of them give ‖x‖² + ‖z‖² < 150 and |ω·x| < 10 turns, of which some
			// 20 roundings make errors of 1e-4 and 2e-13, and powers of 2 and cosines at most 2π of them.
			tol := 1e-4
			if precision == compute.Float64 {
				tol = 2e-13
			}
			e := compute.NewEngine(compute.Options{Threads: 1, Precision: precision})
			for _, d := range []int{1, 16, 17} {
				x, z, blocks := normalMatrix(1, n, d), normalMatrix(2, n+1, d), compute.Range{Lo: 2, Hi: 4}
				f := g.Features(3, d, 33).(compute.ProjectionMap)
				k, phi := e.KernelMatrix(g, x, z), e.FeatureMatrix(f, x, blocks)
				for i := range n {
					for j := range n + 1 {
						d2 := 0.0
						for l := range d {
							d2 += (x.At(i, l) - z.At(j, l)) * (x.At(i, l) - z.At(j, l))
						}
						require.InDelta(t, math.Exp(-d2/(2*sigma*sigma)), k.At(i, j), tol, "kernel, %s, d = %d", precision, d)
					}
				}
				for b := range 2 {
					omega, phase := compute.NewMatrix(d, 33), make([]float64, 33)
					f.Draw(2+b, omega, phase)
					for i := range n {
						for j, turns := range phase {
							for l := range d {
								turns += omega.At(l, j) * x.At(i, l)
							}
							require.InDelta(t, math.Sqrt2*math.Cos(2*math.Pi*turns), phi.At(i, 33*b+j), tol, "feature, %s, d = %d", precision, d)
						}
					}
				}
			}
		}
	})
}

// TestGaussianOfItself checks k(x, x) = 1 exactly, and nowhere more.
func TestGaussianOfItself(t *testing.T) {
	onEach(t, func(t *testing.T) {
		for _, precision := range precisions {
			e := compute.NewEngine(compute.Options{Threads: 1, Precision: precision})
			for _, d := range []int{1, 2, 5, 16, 17, 300} {
				for _, scale := range []float64{1e-3, 1, 30} {
					x := normalMatrix(1, 40, d)
					x.Scale(scale)
					k := e.KernelMatrix(kernels.Gaussian{Sigma: 2}, x, x)
					for i := range x.Rows {
						require.Equal(t, 1.0, k.At(i, i), "%s, d = %d", precision, d)
						for _, v := range k.Row(i) {
							require.LessOrEqual(t, v, 1.0, "distances are never negative")
						}
					}
				}
			}
		}
	})
}

// TestAdjoint checks ⟨Av, u⟩ = ⟨v, Aᵀu⟩ without any oracle.
func TestAdjoint(t *testing.T) {
	const n, d = 70, 6
	x, z := normalMatrix(1, n, d), normalMatrix(2, 2*n, d)
	g := kernels.Gaussian{Sigma: 2}
	for _, precision := range precisions {
		// 2n² = 9800 terms below 10 in all, of errors of some 1e-16 or 1e-7 each, of both signs.
		tol := 1e-11
		if precision == compute.Float32 {
			tol = 1e-2
		}
		e := compute.NewEngine(compute.Options{Threads: 2, Precision: precision})
		for name, a := range map[string]compute.Operator{
			"kernel":   e.Kernel(g, x, z),
			"features": e.Features(g.Features(1, d, n), x, compute.Range{Lo: 1, Hi: 3}),
		} {
			v, u := normalMatrix(3, 2*n, 1), normalMatrix(4, n, 1)
			av, atu := compute.NewMatrix(n, 1), compute.NewMatrix(2*n, 1)
			a.MulTo(av, v)
			a.MulTransTo(atu, u)
			left, right := 0.0, 0.0
			for i := range n {
				left += av.At(i, 0) * u.At(i, 0)
			}
			for j := range 2 * n {
				right += v.At(j, 0) * atu.At(j, 0)
			}
			assert.InDelta(t, left, right, tol, "%s, %s", name, precision)
		}
	}
}

// TestMaterialised checks that the stored matrices hold the very entries of the operators, except that distances
// from norms, of more than 16 inputs, depend on which side is which in the last bits.
func TestMaterialised(t *testing.T) {
	g := kernels.Gaussian{Sigma: 2}
	for _, precision := range precisions {
		for _, d := range []int{0, 2, 17} {
			for _, n := range []int{0, 1, 33} {
				for _, width := range []int{1, 40, 600} {
					t.Run(fmt.Sprint(precision, d, n, width), func(t *testing.T) {
						x, z := normalMatrix(1, n, d), normalMatrix(2, width, d)
						f, blocks := g.Features(1, d, width), compute.Range{Lo: 3, Hi: 5}
						for threads := 1; threads <= 3; threads++ {
							e := compute.NewEngine(compute.Options{Threads: threads, Precision: precision})
							same(t, e.Features(f, x, blocks), e.FeatureMatrix(f, x, blocks))
							if d <= 16 {
								same(t, e.Kernel(g, x, z), e.KernelMatrix(g, x, z))
							}
						}
					})
				}
			}
		}
	}
}

// same applies a to two columns of the identity at a time: sums with one term that is not zero.
func same(t *testing.T, a compute.Operator, m compute.Matrix) {
	t.Helper()
	r, c := a.Dims()
	require.Equal(t, [2]int{r, c}, [2]int{m.Rows, m.Cols})
	for _, j := range []int{0, c / 3, c - 1} {
		v, got := compute.NewMatrix(c, 2), compute.NewMatrix(r, 2)
		v.Set(j, 0, 1)
		v.Set(c-1-j, 1, 1)
		a.MulTo(got, v)
		for i := range r {
			require.Equal(t, []float64{m.At(i, j), m.At(i, c-1-j)}, got.Row(i), "row %d, column %d", i, j)
		}
	}
}

// TestStripsChangeNothing compares features whose panels are cut into strips with those in the cache, which are not,
// bit by bit.
func TestStripsChangeNothing(t *testing.T) {
	const n, d, width = 70, 150, 41 // panels of more than 24 KiB, the first of them from the middle of a strip
	x, blocks := normalMatrix(1, n, d), compute.Range{Lo: 1, Hi: 6}
	f := kernels.Gaussian{Sigma: 3}.Features(1, d, width)
	v := normalMatrix(2, width*(blocks.Hi-blocks.Lo), 3)
	onEach(t, func(t *testing.T) {
		drawn, kept := compute.NewMatrix(n, 3), compute.NewMatrix(n, 3)
		for memory, dst := range map[int64]compute.Matrix{-1: drawn, 1 << 20: kept} {
			e := compute.NewEngine(compute.Options{Precision: compute.Float32, CacheBytes: memory})
			e.Features(f, x, blocks).MulTo(dst, v)
		}
		require.Equal(t, drawn.Data, kept.Data)
	})
}
