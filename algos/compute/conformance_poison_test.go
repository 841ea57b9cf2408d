package compute_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// everyPoison runs a test with each poison: NaN and the infinities, which must not spread.
func everyPoison(t *testing.T, test func(t *testing.T, value float64)) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		t.Run(fmt.Sprint(v), func(t *testing.T) { test(t, v) })
	}
}

// mustPoison checks that the given rows and columns have no finite entry, and that all others have the values expected with
// finite operands.
func mustPoison(t *testing.T, want expected, got compute.Matrix, rows, columns []int) {
	t.Helper()
	for i := range got.Rows {
		for j, v := range got.Row(i) {
			value, bound := want.value.At(i, j), want.bound.At(i, j)
			if slices.Contains(rows, i) || slices.Contains(columns, j) {
				if !math.IsNaN(v) && !math.IsInf(v, 0) {
					require.FailNow(t, "a poisoned entry is finite", "entry (%d, %d) is %v", i, j, v)
				}
			} else if !(math.Abs(v-value) <= bound) {
				require.FailNow(t, "a clean entry is poisoned", "entry (%d, %d) is %v, want %v ± %v", i, j, v, value, bound)
			}
		}
	}
}

// all returns the indices of all n rows or columns.
func all(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func (s suite) poisonedKernels(t *testing.T) {
	const n, m, columns, bad = 70, 101, 3, 49
	for _, argument := range arguments {
		for _, d := range []int{1, 16, 17, 50} {
			t.Run(argument.name+dims(d), func(t *testing.T) {
				everyPoison(t, func(t *testing.T, value float64) {
					k := newKernel(argument.of, d, 0)
					c := s.kernelCase(k, n, m, d)
					entries, e := c.entries(nil, false), s.engine(1)
					back := entries.transposed()
					x, z := c.operands[0], c.operands[1]
					v, u := normals(3, m, columns), normals(4, n, columns)
					product, transpose := entries.times(v, s.roundoff()), back.times(u, s.roundoff())

					v.Set(bad, 1, value)
					mustPoison(t, product, c.apply(t, e, v, false), nil, []int{1})
					v = normals(3, m, columns)

					keep := x.At(bad, d/2)
					x.Set(bad, d/2, value)
					mustPoison(t, entries, c.matrix(e), []int{bad}, nil)
					mustPoison(t, product, c.apply(t, e, v, false), []int{bad}, nil)
					mustPoison(t, transpose, c.apply(t, e, u, true), nil, all(columns))
					x.Set(bad, d/2, keep)

					for _, j := range []int{0, bad, m - 1} {
						keep = z.At(j, d/2)
						z.Set(j, d/2, value)
						mustPoison(t, entries, c.matrix(e), nil, []int{j})
						mustPoison(t, product, c.apply(t, e, v, false), nil, all(columns))
						mustPoison(t, transpose, c.apply(t, e, u, true), []int{j}, nil)
						z.Set(j, d/2, keep)
					}
				})
			})
			t.Run("symmetric "+argument.name+dims(d), func(t *testing.T) {
				everyPoison(t, func(t *testing.T, value float64) {
					x := normals(1, n, d)
					c := s.kernelOf(newKernel(argument.of, d, 0), x, x)
					entries := c.entries(nil, false)
					x.Set(bad, d/2, value)
					mustPoison(t, entries, c.matrix(s.engine(1)), []int{bad}, []int{bad})
				})
			})
		}
	}
}

func (s suite) poisonedFeatures(t *testing.T) {
	const n, columns, bad = 70, 3, 49
	for _, d := range []int{1, 17} {
		everyPoison(t, func(t *testing.T, value float64) {
			c, e := s.featuresCase(Features{Seed: 1, Size: 20}, 1, n, d, 1, 5), s.engine(1)
			entries := c.entries(nil, false)
			back := entries.transposed()
			v, u := normals(3, c.cols, columns), normals(4, n, columns)
			product, transpose := entries.times(v, s.roundoff()), back.times(u, s.roundoff())

			v.Set(bad, 1, value)
			u.Set(bad, 2, value)
			mustPoison(t, product, c.apply(t, e, v, false), nil, []int{1})
			mustPoison(t, transpose, c.apply(t, e, u, true), nil, []int{2})

			c.operands[0].Set(bad, d/2, value)
			v = normals(3, c.cols, columns)
			mustPoison(t, entries, c.matrix(e), []int{bad}, nil)
			mustPoison(t, product, c.apply(t, e, v, false), []int{bad}, nil)
			mustPoison(t, transpose, c.apply(t, e, u, true), nil, all(columns))
		})
	}
}

func (s suite) poisonedProducts(t *testing.T) {
	const k, bad = 20, 9
	for _, size := range [][2]int{{70, 97}, {97, 10}, {10, 97}} {
		for flags := range 4 {
			p := productCase{m: size[0], n: size[1], k: k, ta: flags&1 != 0, tb: flags&2 != 0, alpha: 0.5, beta: 1}
			everyPoison(t, func(t *testing.T, value float64) { s.poisonedProduct(t, p, bad, value) })
		}
	}
	everyPoison(t, func(t *testing.T, value float64) {
		a := normals(1, 97, k)
		p := productCase{m: 97, n: 97, k: k, tb: true, alpha: 1}
		c := garbage(97, 97)
		want := p.expected(a, a, c, nil, s.roundoff())
		a.Set(bad, 3, value)
		s.engine(1).Syrk(c, 1, a, false, 0)
		mustPoison(t, want, c, []int{bad}, []int{bad})
	})
}

// poisonedProduct poisons component 3 of a row of op(a), a column of op(b), and an entry of c.
func (s suite) poisonedProduct(t *testing.T, p productCase, bad int, value float64) {
	a, b, e := operand(1, p.m, p.k, p.ta), operand(2, p.k, p.n, p.tb), s.engine(1)
	want := p.expected(a, b, normals(3, p.m, p.n), nil, s.roundoff())
	multiply := func(a, b, c compute.Matrix) compute.Matrix {
		e.Gemm(c, p.alpha, a, p.ta, b, p.tb, p.beta)
		return c
	}
	poisonedA, poisonedB := a.Clone(), b.Clone()
	if p.ta {
		poisonedA.Set(3, bad, value)
	} else {
		poisonedA.Set(bad, 3, value)
	}
	if p.tb {
		poisonedB.Set(bad, 3, value)
	} else {
		poisonedB.Set(3, bad, value)
	}
	mustPoison(t, want, multiply(poisonedA, b, normals(3, p.m, p.n)), []int{bad}, nil)
	mustPoison(t, want, multiply(a, poisonedB, normals(3, p.m, p.n)), nil, []int{bad})

	c := normals(3, p.m, p.n)
	c.Set(bad, 1, value)
	got := multiply(a, b, c)
	require.False(t, got.RowRange(bad, bad+1).ColRange(1, 2).Finite(), "an entry of c")
	got.Set(bad, 1, want.value.At(bad, 1))
	want.check(t, got, nil)
}
