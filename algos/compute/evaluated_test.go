package compute_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// powers is the Evaluator with feature j of block i the sum of the components of x to the power
// 1 + (5i + j) mod 3, times 1 + i + j.
type powers struct{ width int }

func (p powers) Width() int { return p.width }

func (p powers) Evaluate(i int, x, phi compute.Matrix) {
	for r := range x.Rows {
		for j := range p.width {
			phi.Set(r, j, p.at(i, j, x.Row(r)))
		}
	}
}

func (powers) at(i, j int, x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Pow(v, float64(1+(5*i+j)%3))
	}
	return sum * float64(1+i+j)
}

// of returns the features of some blocks.
func (p powers) of(x compute.Matrix, blocks compute.Range) compute.Matrix {
	phi := compute.NewMatrix(x.Rows, p.width*(blocks.Hi-blocks.Lo))
	for r := range x.Rows {
		for j := range phi.Cols {
			phi.Set(r, j, p.at(blocks.Lo+j/p.width, j%p.width, x.Row(r)))
		}
	}
	return phi
}

// product is op(a)·b in the order of its rows, and the sums of the magnitudes of its terms.
func product(a compute.Matrix, transpose bool, b compute.Matrix) (c, size compute.Matrix) {
	at, rows, inner := a.At, a.Rows, a.Cols
	if transpose {
		at, rows, inner = func(i, j int) float64 { return a.At(j, i) }, a.Cols, a.Rows
	}
	c, size = compute.NewMatrix(rows, b.Cols), compute.NewMatrix(rows, b.Cols)
	for i := range rows {
		for j := range b.Cols {
			for l := range inner {
				v := at(i, l) * b.At(l, j)
				c.Set(i, j, c.At(i, j)+v)
				size.Set(i, j, size.At(i, j)+math.Abs(v))
			}
		}
	}
	return c, size
}

// TestEvaluatedFeatures compares operators of an Evaluator with its features written down: of one part and of
// several parts of rows and of blocks, some of them empty. A sum of m products has at most 2m + 161 roundings
// in float64, and in float32 97 + 2 of those (docs/compute.md).
func TestEvaluatedFeatures(t *testing.T) {
	for name, c := range map[string]struct{ n, width, lo, blocks, columns int }{
		"one block":      {7, 5, 0, 1, 1},
		"some blocks":    {150, 20, 3, 4, 3},
		"parts of rows":  {1100, 33, 1, 2, 2},
		"parts of both":  {1030, 256, 0, 4, 1},
		"no points":      {0, 5, 0, 2, 1},
		"no blocks":      {4, 5, 2, 0, 1},
		"wider than all": {3, 700, 0, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			for precision, u := range map[compute.Precision]float64{compute.Float64: 0x1p-53, compute.Float32: 0x1p-24} {
				e := compute.NewEngine(compute.Options{Threads: 1, Precision: precision})
				three := compute.NewEngine(compute.Options{Threads: 3, Precision: precision})
				f, x, blocks := powers{c.width}, normalMatrix(1, c.n, 3), compute.Range{Lo: c.lo, Hi: c.lo + c.blocks}
				want := f.of(x, blocks)
				require.Equal(t, want, e.FeatureMatrix(f, x, blocks), "features are float64 whatever the precision")
				op, stored := e.Features(f, x, blocks), e.Store(e.Features(f, x, blocks))
				for _, transpose := range []bool{false, true} {
					rows, inner := c.n, want.Cols
					if transpose {
						rows, inner = inner, rows
					}
					v := normalMatrix(2, inner, c.columns)
					exact, size := product(want, transpose, v)
					apply := func(op compute.Operator) compute.Matrix {
						dst := compute.NewMatrix(rows, c.columns)
						for i := range dst.Data {
							dst.Data[i] = math.NaN() // old content does not matter
						}
						if transpose {
							op.MulTransTo(dst, v)
						} else {
							op.MulTo(dst, v)
						}
						return dst
					}
					got := apply(op)
					assert.Equal(t, got, apply(three.Features(f, x, blocks)), "threads")
					for _, got := range []compute.Matrix{got, apply(stored)} {
						for i, v := range got.Data {
							require.InDelta(t, exact.Data[i], v, (99*u+float64(2*inner+161)*0x1p-53)*size.Data[i], "entry %d", i)
						}
					}
				}
			}
		})
	}
}

func TestSelectedEvaluatedFeatures(t *testing.T) {
	e, f, x := compute.NewEngine(compute.Options{Threads: 1}), powers{4}, normalMatrix(1, 9, 2)
	op, blocks := e.Features(f, x, compute.Range{Lo: 0, Hi: 2}), compute.Range{Lo: 0, Hi: 2}
	v := normalMatrix(2, 8, 1)
	for _, op := range []compute.Operator{op, e.Store(op)} {
		got := compute.NewMatrix(3, 1)
		op.Select([]int{4, 0, 4}).MulTo(got, v)
		want, _ := product(f.of(x, blocks), false, v)
		for i, r := range []int{4, 0, 4} {
			assert.InDelta(t, want.At(r, 0), got.At(i, 0), 1e-12) // 8 terms below 1000 each
		}
	}
}

func TestCountersOfEvaluatedFeatures(t *testing.T) {
	const n, d, c, k = 5, 3, 8, 2
	e, f, x := compute.NewEngine(compute.Options{Threads: 1}), powers{4}, normalMatrix(1, n, d)
	op := e.Features(f, x, compute.Range{Lo: 0, Hi: 2})
	want := compute.Counters{FeatureEvals: n * c, Flops: 2 * n * c * (d + k), Bytes: 8 * (n*(d+k) + c*k)}
	op.MulTo(compute.NewMatrix(n, k), normalMatrix(2, c, k))
	assert.Equal(t, want, e.Counters())
	op.MulTransTo(compute.NewMatrix(c, k), normalMatrix(2, n, k))
	assert.Equal(t, want.Add(want), e.Counters())
	before := e.Counters()
	e.FeatureMatrix(f, x, compute.Range{Lo: 0, Hi: 2})
	assert.Equal(t, compute.Counters{FeatureEvals: n * c, Flops: 2 * n * c * d, Bytes: 8 * n * d}, e.Counters().Sub(before))
}

// doubled is the kernel w(x)·s(2x, 2z)·w(z) with w(x) = 1 + x_0².
type doubled struct{ of compute.Argument }

func (k doubled) Formula() compute.Formula { return compute.Formula{Of: k.of, Weighted: true} }

func (doubled) Map(x compute.Matrix) compute.Matrix {
	m := compute.NewMatrix(x.Rows, x.Cols+1)
	for i := range x.Rows {
		for l, v := range x.Row(i) {
			m.Set(i, l, 2*v)
		}
		m.Set(i, x.Cols, 1+x.At(i, 0)*x.At(i, 0))
	}
	return m
}

// TestWeightedKernels compares with the formula, of points mapped and weighted, for the kernel of two sets and
// of one with itself, by all ways to apply it. 17 inputs are expanded into norms.
func TestWeightedKernels(t *testing.T) {
	for precision, u := range map[compute.Precision]float64{compute.Float64: 0x1p-53, compute.Float32: 0x1p-24} {
		for _, d := range []int{1, 3, 17} {
			for _, of := range []compute.Argument{compute.SquaredDistance, compute.Distance1, compute.InnerProduct} {
				e, k := compute.NewEngine(compute.Options{Threads: 2, Precision: precision}), doubled{of}
				x, other := normalMatrix(1, 110, d), normalMatrix(2, 60, d)
				for _, z := range []compute.Matrix{x, other} {
					want, largest := compute.NewMatrix(x.Rows, z.Rows), 0.0
					for i := range x.Rows {
						for j := range z.Rows {
							s, size := 0.0, 0.0
							for l, v := range x.Row(i) {
								a, b := 2*v, 2*z.At(j, l)
								s += map[compute.Argument]float64{compute.SquaredDistance: (a - b) * (a - b), compute.Distance1: math.Abs(a - b), compute.InnerProduct: a * b}[of]
								size += (1 + math.Abs(a) + math.Abs(b)) * (1 + math.Abs(a) + math.Abs(b))
							}
							w := (1 + x.At(i, 0)*x.At(i, 0)) * (1 + z.At(j, 0)*z.At(j, 0))
							want.Set(i, j, s*w)
							largest = max(largest, size*w)
						}
					}
					// d + 10 roundings of terms as large as (|a| + |b|)², points shifted by a mean below 1 among them.
					tol := 2 * float64(d+10) * u * largest
					op := e.Kernel(k, x, z)
					assert.InDeltaSlice(t, want.Data, e.KernelMatrix(k, x, z).Data, tol, "%s, d = %d, %v", precision, d, of)
					for _, op := range []compute.Operator{op, e.Store(op)} {
						unit, column := compute.NewMatrix(z.Rows, 1), compute.NewMatrix(x.Rows, 1)
						unit.Set(50, 0, 1)
						op.MulTo(column, unit)
						selected := compute.NewMatrix(2, 1)
						op.Select([]int{7, 100}).MulTo(selected, unit)
						for i := range x.Rows {
							require.InDelta(t, want.At(i, 50), column.At(i, 0), tol)
						}
						require.InDelta(t, want.At(7, 50), selected.At(0, 0), tol)
						require.InDelta(t, want.At(100, 50), selected.At(1, 0), tol)
					}
				}
			}
		}
	}
}
