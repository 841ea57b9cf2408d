// Package computetest tests devices against the formulas.
package computetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// Conforms fails t unless a device computes what it promises, in both precisions: kernels of every argument with every function of
// package compute, features, stored matrices, products and factorisations agree with the formulas, the distance of identical points
// is 0, repetition gives the same bits, a number that is not finite reaches only the results that depend on it, no operand and no
// gap between rows is written, and counters are those of the host.
func Conforms(t require.TestingT, device func(host compute.Device) compute.Device) {
	for _, p := range []compute.Precision{compute.Float64, compute.Float32} {
		s := &suite{t: t, device: device, precision: p}
		s.factors()
		s.products()
		s.features()
		s.kernels()
	}
}

type suite struct {
	t         require.TestingT
	device    func(host compute.Device) compute.Device
	precision compute.Precision
	e, other  *compute.Engine // of the same device
	operands  [][2]compute.Matrix
	draws     int
}

const gap, guard = 3, -987.25 // numbers between the rows of a matrix

// unset returns a matrix of NaNs for a result.
func unset(rows, cols int) compute.Matrix {
	m := compute.Matrix{Rows: rows, Cols: cols, Stride: cols + gap, Data: slices.Repeat([]float64{guard}, rows*(cols+gap))}
	for i := range m.Data {
		if i%m.Stride < cols {
			m.Data[i] = math.NaN()
		}
	}
	return m
}

// normal returns a matrix of normal variates with variance 1/scale.
func (s *suite) normal(rows, cols, scale int) compute.Matrix {
	s.draws++
	m, r := unset(rows, cols), rand.New(rand.NewPCG(uint64(s.draws), 0))
	for i := range rows {
		for j := range cols {
			m.Set(i, j, r.NormFloat64()/math.Sqrt(float64(scale)))
		}
	}
	return m
}

// operand returns m, which may not change any more.
func (s *suite) operand(m compute.Matrix) compute.Matrix {
	s.operands = append(s.operands, [2]compute.Matrix{m, m.Clone()})
	return m
}

// compare compares what run computes with s.e on the device, twice, and on the reference. Errors may be 10⁵ times the unit
// roundoff of the largest number in a result: sums here have less than 300 terms, which are at most 20 times as large as their sum,
// and each has less than 16 roundings.
func (s *suite) compare(name string, run func() []compute.Matrix) {
	on := func(p compute.Precision, device func(host compute.Device) compute.Device) []compute.Matrix {
		s.e, s.other = compute.NewEngine(compute.Options{Device: device, Precision: p}), compute.NewEngine(compute.Options{Device: device, Precision: p})
		s.draws, s.operands = 0, nil
		return run()
	}
	want := on(compute.Float64, Reference)
	on(s.precision, nil)
	counters := s.e.Counters()
	again, got := on(s.precision, s.device), on(s.precision, s.device)
	name = fmt.Sprintf("%s, %s", s.precision, name)
	require.Equal(s.t, counters, s.e.Counters(), "%s: counters", name)
	tolerance := 1e5 * 0x1p-53
	if s.precision == compute.Float32 {
		tolerance = 1e5 * 0x1p-24
	}
	for k, m := range got {
		what := fmt.Sprintf("%s: result %d", name, k)
		s.agree(what, want[k], m, tolerance)
		s.agree(what+" again", again[k], m, 0)
	}
	for _, o := range s.operands {
		s.agree(name+": operand", o[1], o[0], 0)
	}
}

func (s *suite) agree(what string, want, got compute.Matrix, tolerance float64) {
	require.Equal(s.t, [2]int{want.Rows, want.Cols}, [2]int{got.Rows, got.Cols}, "%s: shape", what)
	finite := func(v float64) bool { return v-v == 0 }
	largest := 0.0
	for i := range want.Rows {
		for _, v := range want.Row(i) {
			if finite(v) {
				largest = max(largest, math.Abs(v))
			}
		}
	}
	for i := range got.Rows {
		for j, w := range want.Row(i) {
			if g := got.At(i, j); finite(w) != finite(g) || math.Abs(g-w) > tolerance*largest || w == 0 && g != 0 {
				require.FailNow(s.t, "wrong value", "%s: entry (%d, %d) is %v, want %v ± %v", what, i, j, g, w, tolerance*largest)
			}
		}
		if at := i*got.Stride + got.Cols; got.Stride == got.Cols+gap && got.Data[at] != guard {
			require.FailNow(s.t, "written between the rows", "%s: after row %d", what, i)
		}
	}
}

// distances is the kernel ‖x - z‖².
type distances struct{ compute.KernelFunc }

func (distances) Formula() compute.Formula { return compute.SquaredDistance.Then() }

// kernelsOf are kernels with every argument, whose formulas and features have every function.
var kernelsOf = []compute.KernelFunc{
	distances{}, kernels.Gaussian{Sigma: 1.3}, kernels.Laplace{Sigma: 1.4}, kernels.Laplacian{Sigma: 3}, kernels.Cauchy{Sigma: 1.4},
	kernels.CauchyProduct{Sigma: 2}, kernels.Matern{Sigma: 1, Order: 1.5}, kernels.Matern{Sigma: 1, Order: 2.5},
	kernels.Linear{Sigma: 1, Offset: 0.3}, kernels.Polynomial{Sigma: 2, Offset: 0.5, Degree: 3}, kernels.DotProduct{Sigma: 2},
	kernels.ArcCosine{Order: 1}, kernels.ArcCosine{Order: 2}, kernels.SkewedChiSquared{C: 9},
}

func (s *suite) kernels() {
	for _, k := range kernelsOf {
		for _, c := range [][3]int{{0, 2, 3}, {1, 1, 1}, {49, 97, 3}, {60, 60, 20}, {97, 0, 20}} { // without second points K(x, x)
			for _, first := range []float64{1, math.NaN()} {
				s.compare(fmt.Sprintf("kernel %T%+v%v, %v", k, k, c, first), func() []compute.Matrix {
					x := s.normal(c[0], c[2], c[2])
					z := x
					if c[1] > 0 {
						z = s.operand(s.normal(c[1], c[2], c[2]))
					}
					if x.Rows > 1 {
						copy(x.Row(1), z.Row(z.Rows/2)) // identical points
						x.Set(0, 0, first)
					}
					s.operand(x)
					if first != 1 {
						return []compute.Matrix{s.e.KernelMatrix(k, x, z)}
					}
					return s.operator(s.e.Kernel(k, x, z), s.e.KernelMatrix(k, x, z))
				})
			}
		}
	}
}

// operator returns what an operator gives in all ways to use it, and its matrix.
func (s *suite) operator(op compute.Operator, matrix compute.Matrix) []compute.Matrix {
	stored := s.e.Store(op)
	all, n := []compute.Matrix{matrix, compute.Entries(stored)}, matrix.Rows
	rows := []int{n - 1, 0, n / 2, 0}[:4*min(n, 1)]
	for _, op := range []compute.Operator{op, stored, s.other.Adopt(stored), op.Select(rows), stored.Select(rows), s.e.Store(op.Select(rows))} {
		r, c := op.Dims()
		for _, columns := range []int{1, 3, 14} {
			v, w, u, back := s.normal(c, columns, 1), s.operand(s.normal(r, columns, 1)), unset(r, columns), unset(c, columns)
			if columns == 3 && c > 1 {
				v.Set(1, 1, math.Inf(1)) // reaches one column
			}
			op.MulTo(u, s.operand(v))
			op.MulTransTo(back, w)
			all = append(all, u, back)
		}
	}
	for _, op := range []compute.Rowwise{compute.RowsOf(stored), s.e.Evaluate(op)} {
		dots := compute.NewMatrix(len(rows), 1)
		op.Dots(dots.Data, rows, s.normal(matrix.Cols, 1, 1).Clone().Data)
		all = append(all, dots)
	}
	return all
}

func (s *suite) features() {
	for _, k := range kernelsOf {
		featured, ok := k.(kernels.Featured)
		for _, c := range [][4]int{{0, 3, 0, 1}, {1, 1, 0, 1}, {66, 3, 1, 3}, {33, 20, 2, 5}} {
			if f, blocks := featured, (compute.Range{Lo: c[2], Hi: c[3]}); ok {
				s.compare(fmt.Sprintf("features of %T%+v%v", k, k, c), func() []compute.Matrix {
					x, phi := s.operand(s.normal(c[0], c[1], c[1])), f.Features(1, c[1], 33)
					return s.operator(s.e.Features(phi, x, blocks), s.e.FeatureMatrix(phi, x, blocks))
				})
			}
		}
	}
}

func (s *suite) products() {
	for _, c := range [][3]int{{0, 3, 2}, {1, 1, 0}, {50, 97, 20}, {70, 3, 49}, {3, 70, 1}, {20, 1, 30}, {33, 33, 33}} {
		for _, by := range [][2]float64{{1, 0}, {-0.75, 1}, {0, -2}, {2, 0.5}} {
			for flags := range 4 {
				s.compare(fmt.Sprint("product", c, by, flags), func() []compute.Matrix {
					turned := func(r, c int, t bool) compute.Matrix {
						if t {
							r, c = c, r
						}
						return s.operand(s.normal(r, c, 1))
					}
					ta, tb := flags&1 != 0, flags&2 != 0
					a, b := turned(c[0], c[2], ta), turned(c[2], c[1], tb)
					u, half := unset(c[0], c[1]), unset(c[0], c[0])
					if by[1] != 0 {
						u, half = s.normal(c[0], c[1], 1), s.normal(c[0], c[0], 1)
					}
					for i := range half.Rows {
						for j := range i {
							half.Set(i, j, half.At(j, i))
						}
					}
					s.e.Gemm(u, by[0], a, ta, b, tb, by[1])
					s.e.Syrk(half, by[0], a, ta, by[1])
					for i := range half.Rows {
						for j := range i {
							require.Equal(s.t, half.At(j, i), half.At(i, j), "symmetric to the bit")
						}
					}
					return []compute.Matrix{u, half}
				})
			}
		}
	}
}

// factors compares factorisations of a matrix of eigenvalues between 1 and about 5, and checks that eigenvectors V of A = VΛVᵀ do.
func (s *suite) factors() {
	for _, n := range []int{0, 1, 3, 70} {
		s.compare(fmt.Sprint("factors of ", n, " rows"), func() []compute.Matrix {
			g, one := s.normal(n, n, n+1), compute.NewEngine(compute.Options{Device: Reference})
			a := one.Mul(g, g, true)
			a.AddToDiagonal(1)
			u, x, y, bad := a.Clone(), s.normal(n, 3, 1), s.normal(n, 3, 1), a.Clone()
			require.True(s.t, s.e.Cholesky(u), "a positive definite matrix")
			s.e.Trsm(u, false, x)
			s.e.Trsm(u, true, y)
			for i := range n {
				clear(u.Row(i)[:i])
				bad.Set(n-1, n-1, -1)
			}
			require.Equal(s.t, n == 0, s.e.Cholesky(bad), "an indefinite matrix")
			all := []compute.Matrix{u, x, y}
			for _, k := range []int{0, n / 2, n} {
				values, v, ok := s.e.Syevd(a.Clone(), k)
				require.True(s.t, ok && v.Cols == k, "%d eigenvectors of %d rows", k, n)
				scaled, again := v.Clone(), compute.NewMatrix(n, n)
				for i := range v.Rows {
					for j := range k {
						scaled.Data[i*k+j] *= values[j]
					}
				}
				if k > 0 {
					one.Gemm(again, 1, scaled, false, v, true, 0)
				}
				all = append(all, compute.FromRows([][]float64{values}), again)
			}
			return all
		})
	}
}
