package compute_test

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// symmetric checks that kernels K(x, x) agree with the oracle and take half the work.
func (s suite) symmetric(t *testing.T) {
	for i, c := range []struct{ n, d, columns int }{
		{0, 3, 1}, {1, 17, 1}, {2, 16, 2}, {47, 50, 3}, {48, 2, 0}, {49, 123, 10}, {97, 17, 49}, {145, 50, 1}, {193, 1, 100},
	} {
		t.Run(dims(c.n, c.d, c.columns), func(t *testing.T) {
			for _, argument := range arguments {
				t.Run(argument.name, func(t *testing.T) {
					k := newKernel(argument.of, c.d, i)
					x := normals(1, c.n, c.d)
					s.small(t, s.kernelOf(k, x, x), c.columns)
				})
			}
		})
	}
	t.Run("large", func(t *testing.T) {
		x := normals(1, 1580, 33)
		s.large(t, s.kernelOf(Kernel{Of: compute.SquaredDistance}, x, x), 3)
	})
	t.Run("half the values", func(t *testing.T) { s.halfTheValues(t, 960) })
}

// halfTheValues counts evaluations of κ. All pairs within one panel of 48 points, padding included, may be evaluated: the
// pairs of the 20 panels of 960 points are 0.525 of 960².
func (s suite) halfTheValues(t *testing.T, n int) {
	x := normals(1, n, 5)
	v, square := normals(2, n, 2), int64(n*n)
	values := func(z compute.Matrix, use func(e *compute.Engine, k Kernel, z compute.Matrix)) int64 {
		k := Kernel{Of: compute.SquaredDistance, Scale: 1, Values: new(atomic.Int64)}
		use(s.engine(2), k, z)
		return k.Values.Load()
	}
	for name, use := range map[string]func(e *compute.Engine, k Kernel, z compute.Matrix){
		"product":            func(e *compute.Engine, k Kernel, z compute.Matrix) { e.Kernel(k, x, z).MulTo(garbage(n, 2), v) },
		"transposed product": func(e *compute.Engine, k Kernel, z compute.Matrix) { e.Kernel(k, x, z).MulTransTo(garbage(n, 2), v) },
		"stored":             func(e *compute.Engine, k Kernel, z compute.Matrix) { e.KernelMatrix(k, x, z) },
	} {
		require.LessOrEqual(t, values(x, use), square*53/100, name)
		require.Equal(t, square, values(x.Clone(), use), "%s with a copy", name)
	}
}

// distances checks squared distances where they cancel: between points far from the origin that are near each other or
// identical. Identical points must have distance exactly 0, in the same row or in different ones.
func (s suite) distances(t *testing.T) {
	const n, m = 25, 25
	for _, d := range []int{1, 16, 17, 300} {
		for _, c := range []struct {
			name                   string
			offset, spread, nearby float64
		}{
			{"around the origin", 0, 1, 1e-3},
			{"tiny", 0, 1e-12, 1e-15},
			{"huge", 0, 1e12, 1},
			{"far", 1e3, 1, 1e-4},
			{"far and close together", 1e5, 1e-2, 1e-6},
			{"farther", 1e6, 1, 1e-2},
		} {
			t.Run(dims(d)+" "+c.name, func(t *testing.T) {
				x, z := normals(1, n, d), normals(2, m, d)
				for i := range n {
					for l := range d {
						x.Set(i, l, c.offset+c.spread*x.At(i, l))
					}
				}
				for j := range m {
					for l := range d {
						v := c.offset + c.spread*z.At(j, l)
						switch j % 3 {
						case 0: // identical to another row of x
							v = x.At(n-1-j, l)
						case 1: // near one
							v = x.At(j, l) + c.nearby*z.At(j, l)
						}
						z.Set(j, l, v)
					}
				}
				k := Kernel{Of: compute.SquaredDistance}
				of := s.kernelOf(k, x, z)
				s.small(t, of, 1)
				for _, r := range []compute.Matrix{of.matrix(s.engine(1)), s.engine(1).KernelMatrix(k, z, x).Transposed()} {
					for i := range n {
						for j, v := range r.Row(i) {
							require.GreaterOrEqual(t, v, 0.0, "a negative distance")
							if j%3 == 0 && i == n-1-j {
								require.Equal(t, uint64(0), math.Float64bits(v), "distance of identical points")
							}
						}
					}
				}
				itself := s.engine(1).KernelMatrix(k, x, x)
				for i := range n {
					require.Equal(t, uint64(0), math.Float64bits(itself.At(i, i)), "distance of a point to itself")
				}
			})
		}
	}
}

// sharedOperands checks that operands may overlap: weights that are a column of the points, points that are a subset of the
// other points, and factors that are parts of one matrix.
func (s suite) sharedOperands(t *testing.T) {
	const n, d = 70, 20
	all := normals(1, n+1, d)
	x, z := all.RowRange(0, n), all.RowRange(1, n+1)
	v := z.ColRange(2, 4)
	e := s.engine(1)
	for _, argument := range arguments {
		k := newKernel(argument.of, d, 1)
		got, want := garbage(n, 2), garbage(n, 2)
		e.Kernel(k, x, z).MulTo(got, v)
		e.Kernel(k, x.Clone(), z.Clone()).MulTo(want, v.Clone())
		mustEqual(t, want, got, argument.name)
	}
	f, blocks := Features{Seed: 1, Size: n / 2}, compute.Range{Lo: 1, Hi: 3}
	got, want := garbage(n, 2), garbage(n, 2)
	e.Features(f, x, blocks).MulTransTo(got, x.ColRange(0, 2))
	e.Features(f, x.Clone(), blocks).MulTransTo(want, x.ColRange(0, 2).Clone())
	mustEqual(t, want, got, "features")
	mustEqual(t, e.Mul(x.Clone(), z.Clone(), true), e.Mul(x, z, true), "product")
	mustEqual(t, e.Mul(x.ColRange(0, 9).Clone(), x.Clone(), true), e.Mul(x.ColRange(0, 9), x, true), "product of parts")
}
