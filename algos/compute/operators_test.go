package compute_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// guard fills the gaps between the rows of strided operands.
const guard = -987.25

// strided returns a copy of m with gaps between its rows.
func strided(m compute.Matrix) compute.Matrix {
	const pad = 3
	s := compute.Matrix{Rows: m.Rows, Cols: m.Cols, Stride: m.Cols + pad, Data: make([]float64, m.Rows*(m.Cols+pad))}
	for i := range s.Data {
		s.Data[i] = guard
	}
	s.CopyFrom(m)
	return s
}

// garbage returns a strided result matrix, full of NaN.
func garbage(rows, cols int) compute.Matrix {
	m := compute.NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = math.NaN()
	}
	return strided(m)
}

func mustKeepGuards(t *testing.T, m compute.Matrix) {
	t.Helper()
	for i := range m.Rows {
		for _, v := range m.Data[i*m.Stride+m.Cols : (i+1)*m.Stride] {
			if v != guard {
				require.FailNow(t, "written between the rows", "after row %d", i)
			}
		}
	}
}

// naive is an oracle: the stored matrix and sums in the order of the formula.
type naive struct{ a compute.Matrix }

func (o naive) mul(v compute.Matrix, transpose bool) compute.Matrix {
	rows, inner, at := o.a.Rows, o.a.Cols, o.a.At
	if transpose {
		rows, inner, at = inner, rows, func(i, l int) float64 { return o.a.At(l, i) }
	}
	u := compute.NewMatrix(rows, v.Cols)
	for i := range rows {
		for l := range inner {
			for j := range v.Cols {
				u.Data[i*v.Cols+j] += at(i, l) * v.At(l, j)
			}
		}
	}
	return u
}

func naiveGaussian(x, z compute.Matrix, sigma float64) naive {
	k := compute.NewMatrix(x.Rows, z.Rows)
	for i := range x.Rows {
		for j := range z.Rows {
			d2 := 0.0
			for l := range x.Cols {
				d2 += (x.At(i, l) - z.At(j, l)) * (x.At(i, l) - z.At(j, l))
			}
			k.Set(i, j, math.Exp(-d2/(2*sigma*sigma)))
		}
	}
	return naive{k}
}

func naiveFeatures(f compute.FeatureMap, x compute.Matrix, blocks compute.Range) naive {
	w := f.Width()
	phi := compute.NewMatrix(x.Rows, w*(blocks.Hi-blocks.Lo))
	for b := blocks.Lo; b < blocks.Hi; b++ {
		omega, phase := compute.NewMatrix(x.Cols, w), make([]float64, w)
		f.Draw(b, omega, phase)
		for i := range x.Rows {
			for j := range w {
				turns := phase[j]
				for l := range x.Cols {
					turns += omega.At(l, j) * x.At(i, l)
				}
				phi.Set(i, (b-blocks.Lo)*w+j, math.Sqrt2*math.Cos(2*math.Pi*turns))
			}
		}
	}
	return naive{phi}
}

// entryError bounds the error of one kernel value or feature: inputs are normal, so that at most 17
// dimensions give ‖x‖² + ‖z‖² < 150 and |ω·x| < 10 turns, each rounded to 1e-16 a few dozen times.
const entryError = 1e-13

// mustAgree compares a product with its oracle. Entries of the operators are at most √2.
func mustAgree(t *testing.T, want, got, v compute.Matrix) {
	t.Helper()
	require.Equal(t, [2]int{want.Rows, want.Cols}, [2]int{got.Rows, got.Cols})
	for j := range v.Cols {
		sum := 0.0
		for i := range v.Rows {
			sum += math.Abs(v.At(i, j))
		}
		for i := range want.Rows {
			if !(math.Abs(want.At(i, j)-got.At(i, j)) <= entryError*sum) {
				require.InDelta(t, want.At(i, j), got.At(i, j), entryError*sum, "entry (%d, %d)", i, j)
			}
		}
	}
}

// An operatorCase makes one operator on an engine, with strided operands, and its oracle.
type operatorCase struct {
	rows, cols int
	operator   func(e *compute.Engine) compute.Operator
	oracle     naive
}

// checkOperator runs the conformance suite: products with one and with three columns, both ways,
// against the oracle; the same bits at every number of threads, with and without a cache, and at a
// second application; operands untouched.
func checkOperator(t *testing.T, c operatorCase) {
	engines := []*compute.Engine{
		compute.NewEngine(compute.Options{Threads: 1}),
		compute.NewEngine(compute.Options{Threads: 2, CacheBytes: -1}),
		compute.NewEngine(compute.Options{Threads: 3, CacheBytes: 1 << 12}),
	}
	for _, k := range []int{1, 3} {
		for _, transpose := range []bool{false, true} {
			in, out := c.cols, c.rows
			if transpose {
				in, out = out, in
			}
			v := strided(normalMatrix(9, in, k))
			before := v.Clone()
			want := c.oracle.mul(v, transpose)
			var first compute.Matrix
			for i, e := range engines {
				op := c.operator(e)
				r, cols := op.Dims()
				require.Equal(t, [2]int{c.rows, c.cols}, [2]int{r, cols})
				apply := op.MulTo
				if transpose {
					apply = op.MulTransTo
				}
				got := garbage(out, k)
				apply(got, v)
				mustKeepGuards(t, got)
				if i == 0 {
					first = got.Clone()
					mustAgree(t, want, first, v)
					apply(got, v)
				}
				require.True(t, slices.Equal(first.Data, got.Clone().Data), "engine %d: other bits", i)
			}
			require.True(t, slices.Equal(before.Data, v.Clone().Data), "operand changed")
			mustKeepGuards(t, v)
		}
	}
}

func shapes() []int {
	if testing.Short() {
		return []int{0, 1, 2, 33, 65, 513}
	}
	return []int{0, 1, 2, 31, 32, 33, 63, 64, 65, 513, 1025}
}

// limit is the largest number of entries tried at d inputs: all shapes once, up to 513×513 once beyond
// the dimension at which squared distances are computed in another way, fewer elsewhere.
func limit(d int) int {
	switch d {
	case 4:
		return 1 << 21
	case 17:
		return 1 << 19
	}
	return 1 << 16
}

func TestKernelOperator(t *testing.T) {
	g := kernels.Gaussian{Sigma: 1.7}
	for _, d := range []int{1, 2, 4, 5, 16, 17} {
		for _, n := range shapes() {
			x := strided(normalMatrix(1, n, d))
			for _, m := range shapes() {
				if n*m > limit(d) {
					continue
				}
				z := strided(normalMatrix(2, m, d))
				t.Run(fmt.Sprintf("d=%d/%dx%d", d, n, m), func(t *testing.T) {
					checkOperator(t, operatorCase{n, m, func(e *compute.Engine) compute.Operator { return e.Kernel(g, x, z) }, naiveGaussian(x, z, g.Sigma)})
				})
			}
		}
	}
}

func TestFeaturesOperator(t *testing.T) {
	for _, d := range []int{1, 2, 4, 5, 17} {
		for _, n := range shapes() {
			x := strided(normalMatrix(1, n, d))
			for _, s := range []struct{ width, blocks int }{{1, 0}, {1, 1}, {1, 33}, {5, 13}, {31, 1}, {32, 2}, {64, 1}, {127, 1}, {129, 3}, {513, 1}, {513, 2}} {
				if n*s.width*s.blocks > limit(d) {
					continue
				}
				f := kernels.Gaussian{Sigma: 1.7}.Features(3, d, s.width)
				blocks := compute.Range{Lo: 2, Hi: 2 + s.blocks}
				t.Run(fmt.Sprintf("d=%d/%dx%dx%d", d, n, s.width, s.blocks), func(t *testing.T) {
					checkOperator(t, operatorCase{n, s.width * s.blocks, func(e *compute.Engine) compute.Operator { return e.Features(f, x, blocks) }, naiveFeatures(f, x, blocks)})
				})
			}
		}
	}
}

// TestOperatorsBeyondOnePanel uses so many dimensions that operands are prepared in several panels.
func TestOperatorsBeyondOnePanel(t *testing.T) {
	const n, d, centres, width, blocks = 3, 1000, 1200, 300, 5
	// A wide kernel keeps values away from 0: ‖x - z‖² is about 2000.
	g := kernels.Gaussian{Sigma: 40}
	x, z := normalMatrix(1, n, d), normalMatrix(2, centres, d)
	checkOperator(t, operatorCase{n, centres, func(e *compute.Engine) compute.Operator { return e.Kernel(g, x, z) }, naiveGaussian(x, z, g.Sigma)})
	checkOperator(t, operatorCase{centres, n, func(e *compute.Engine) compute.Operator { return e.Kernel(g, z, x) }, naiveGaussian(z, x, g.Sigma)})

	f, r := g.Features(4, d, width), compute.Range{Lo: 0, Hi: blocks}
	checkOperator(t, operatorCase{n, width * blocks, func(e *compute.Engine) compute.Operator { return e.Features(f, x, r) }, naiveFeatures(f, x, r)})
}

// TestAdjoint checks ⟨Av, u⟩ = ⟨v, Aᵀu⟩ without any oracle.
func TestAdjoint(t *testing.T) {
	const n, d = 70, 6
	x, z := normalMatrix(1, n, d), normalMatrix(2, 2*n, d)
	g, e := kernels.Gaussian{Sigma: 2}, compute.NewEngine(compute.Options{Threads: 2})
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
		// 2n² = 9800 terms below 10, each rounded to 1e-16.
		assert.InDelta(t, left, right, 1e-11, name)
	}
}

// TestMaterialised checks that the stored matrices hold the very entries of the operators.
func TestMaterialised(t *testing.T) {
	g := kernels.Gaussian{Sigma: 2}
	for _, d := range []int{0, 2, 5} {
		for _, n := range []int{0, 1, 33} {
			for _, width := range []int{1, 40, 600} {
				x, z := strided(normalMatrix(1, n, d)), strided(normalMatrix(2, width, d))
				f, blocks := g.Features(1, d, width), compute.Range{Lo: 3, Hi: 5}
				for threads := 1; threads <= 3; threads++ {
					e := compute.NewEngine(compute.Options{Threads: threads})
					same(t, e.Features(f, x, blocks), e.FeatureMatrix(f, x, blocks))
					same(t, e.Kernel(g, x, z), e.KernelMatrix(g, x, z))
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
