package compute_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// onGrid returns an n × d matrix of least … least + 255 times a step.
func onGrid(seed uint64, n, d, least int, step float64) compute.Matrix {
	r := rand.New(rand.NewPCG(seed, 0))
	m := compute.NewMatrix(n, d)
	for i := range m.Data {
		m.Data[i] = float64(least+r.IntN(256)) * step
	}
	return m
}

// distances is the kernel ‖x - z‖².
type distances struct{}

func (distances) Formula() compute.Formula { return compute.SquaredDistance.Then() }

// Squared distances of points on a grid are those of float64 but for three roundings, in products of all kinds and at both
// sides of the numbers at which something begins.
func TestPointsOnAGrid(t *testing.T) {
	for _, c := range []struct {
		n, m, d, least int
		step           float64
	}{
		{256, 300, 17, 0, 1. / 255}, {300, 256, 18, -128, 1}, {401, 333, 123, 0, 0.1}, {260, 1000, 784, -255, 1. / 255}, {500, 500, 785, -77, 3},
	} {
		x, z := onGrid(1, c.n, c.d, c.least, c.step), onGrid(2, c.m, c.d, c.least, c.step)
		copy(z.Row(5), x.Row(7))
		exact := compute.NewMatrix(c.n, c.m)
		for i := range x.Rows {
			for j := range z.Rows {
				sum := 0.0
				for l, v := range x.Row(i) {
					d := math.Round(v/c.step) - math.Round(z.At(j, l)/c.step)
					sum += d * d
				}
				exact.Set(i, j, sum*c.step*c.step)
			}
		}
		e := compute.NewEngine(compute.Options{Threads: 2, Precision: compute.Float32})
		near := func(want, got compute.Matrix, what string) {
			t.Helper()
			for i := range want.Rows {
				for j, w := range want.Row(i) {
					require.InDelta(t, w, got.At(i, j), 0x1.8p-23*w, "%s of %+v: entry (%d, %d)", what, c, i, j)
				}
			}
		}
		near(exact, e.KernelMatrix(distances{}, x, z), "matrix")
		near(exact, compute.Entries(e.Store(e.Kernel(distances{}, x, z))), "stored matrix")
		rows := []int{7, 3, 255, 3}
		near(exact.Select(rows), compute.Entries(e.Store(e.Kernel(distances{}, x, z).Select(rows))), "rows")
		require.Zero(t, e.KernelMatrix(distances{}, x, z).At(7, 5), "distance of a point to itself")

		k := kernels.Gaussian{Sigma: math.Sqrt(exact.At(0, 0))}
		powers := exact.Clone()
		compute.Apply(powers.Data, k.Formula().Steps...)
		kept := compute.KeepPacked(e.Kernel(k, x, z))
		v, double := normalMatrix(3, c.m, 2), compute.NewEngine(compute.Options{})
		want, got := compute.NewMatrix(c.n, 2), compute.NewMatrix(c.n, 2)
		double.Gemm(want, 1, powers, false, v, false, 0)
		for range 3 {
			kept.MulTo(got, v)
			for i, w := range want.Data {
				require.InDelta(t, w, got.Data[i], 1e-6*float64(c.m), "product of %+v", c)
			}
		}
		same := e.KernelMatrix(k, x, x)
		for i := range c.n {
			require.Equal(t, 1.0, same.At(i, i))
			require.Equal(t, slices.Collect(column(same, i)), same.Row(i), "symmetric")
		}
	}
}

func column(m compute.Matrix, j int) func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		for i := range m.Rows {
			if !yield(m.At(i, j)) {
				return
			}
		}
	}
}

// Points that one number takes off the grid, wherever it is, have the distances of float32.
func TestPointsOffTheGrid(t *testing.T) {
	e := compute.NewEngine(compute.Options{Threads: 2, Precision: compute.Float32})
	k := kernels.Gaussian{Sigma: 2}
	for _, off := range []float64{1.0 / 255 * (1 + 1e-5), 0.5 / 255, 256. / 255, -1. / 255, math.NaN(), 1e10, 1e-300} {
		for _, at := range [][2]int{{0, 0}, {299, 19}, {130, 7}} {
			for _, left := range []bool{false, true} {
				x, z := onGrid(1, 300, 20, 0, 1./255), onGrid(2, 300, 20, 0, 1./255)
				x.Set(1, 1, 1)
				changed, other := x, z
				if !left {
					changed, other = z, x
				}
				changed.Set(at[0], at[1], off)
				got := e.KernelMatrix(k, x, z)
				// The same rows, too few to look for a grid.
				if left {
					want := e.KernelMatrix(k, changed.Select([]int{at[0]}), other)
					near(t, want.Row(0), got.Row(at[0]), off)
				} else {
					want := e.KernelMatrix(k, other, changed.Select([]int{at[0]}))
					for i := range other.Rows {
						near(t, want.Row(i), []float64{got.At(i, at[0])}, off)
					}
				}
			}
		}
	}
}

// near requires numbers that differ by less than the error of distances in float32, or both are NaN.
func near(t *testing.T, want, got []float64, of float64) {
	t.Helper()
	for i, w := range want {
		if !(w != w && got[i] != got[i]) {
			require.InDelta(t, w, got[i], 1e-5, "with %v", of)
		}
	}
}
