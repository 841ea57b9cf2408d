package compute_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// A productCase is c = alpha·op(a)·op(b) + beta·c, with b = a transposed (Syrk) if half.
type productCase struct {
	m, n, k     int
	ta, tb      bool
	alpha, beta float64
	half        bool
}

// operand returns a normal matrix m such that op(m) is rows × cols.
func operand(seed uint64, rows, cols int, transpose bool) compute.Matrix {
	if transpose {
		return normals(seed, cols, rows)
	}
	return normals(seed, rows, cols)
}

// expected returns the given rows (nil means all) of the product. An entry is a sum of k products whose operands are
// rounded once: k + 2 roundings. It is scaled and added to c in float64, once for each part, of more than 100 components,
// of the inner dimension. The oracle rounds k times.
func (p productCase) expected(a, b, c compute.Matrix, rows []int, u float64) expected {
	if p.ta {
		a = a.Transposed()
	}
	if !p.tb {
		b = b.Transposed()
	}
	a, c = pick(a, rows), pick(c, rows)
	e := newExpected(a.Rows, b.Rows)
	for i := range a.Rows {
		for j := range b.Rows {
			sum, size := dot(a.Row(i), b.Row(j))
			old := 0.0
			if p.beta != 0 {
				old = p.beta * c.At(i, j)
			}
			size *= math.Abs(p.alpha)
			e.set(i, j, p.alpha*sum+old, float64(p.k+2)*u*size+float64(p.k/100+4)*0x1p-53*(size+math.Abs(old))+underflow(u))
		}
	}
	return e
}

func (s suite) product(t *testing.T, p productCase, rows []int) {
	a, b := operand(1, p.m, p.k, p.ta), operand(2, p.k, p.n, p.tb)
	c := garbage(p.m, p.n)
	if p.half {
		b, p.tb = a, !p.ta
	}
	if p.beta != 0 {
		c = normals(3, p.m, p.n)
	}
	if p.beta != 0 && p.half { // symmetric
		c.CopyFrom(c.Transposed())
		for i := range p.m {
			for j := range i {
				c.Set(i, j, c.At(j, i))
			}
		}
	}
	want, unchanged := p.expected(a, b, c, rows, s.roundoff()), watch(a, b)
	var first compute.Matrix
	for threads := 1; threads <= 3; threads += 2 {
		got, e := strided(p.m, p.n, 5, guard), s.engine(threads)
		got.CopyFrom(c)
		if p.half {
			e.Syrk(got, p.alpha, a, p.ta, p.beta)
		} else {
			e.Gemm(got, p.alpha, a, p.ta, b, p.tb, p.beta)
		}
		mustKeepGuards(t, got)
		if threads > 1 {
			mustEqual(t, first, got, "three threads")
			continue
		}
		first = got
		want.check(t, got, rows)
		require.True(t, got.Finite(), "some entries were not set")
		if p.half {
			mustEqual(t, got, got.Transposed(), "transposed")
		}
	}
	if p.alpha == 1 && p.beta == 0 && !p.tb && !p.half {
		mustEqual(t, first, s.engine(2).Mul(a, b, p.ta), "Mul")
	}
	if p.alpha == 1 && p.beta == 0 && p.half {
		c := garbage(p.m, p.n)
		s.engine(2).Gemm(c, 1, a, p.ta, a, !p.ta, 0)
		want.check(t, c, rows)
	}
	unchanged(t)
}

func (s suite) products(t *testing.T) {
	sizes := make([]int, 71)
	for i := range sizes {
		sizes[i] = i
	}
	alphas, betas := []float64{1, 1, -0.75, 0}, []float64{0, 0, 1, -2}
	r := newSampler(11)
	sample := func(m, n, k int, half bool) {
		p := productCase{m, n, k, r.yes(), r.yes(), alphas[r.r.IntN(4)], betas[r.r.IntN(4)], half}
		if half {
			p.n = m
		}
		s.product(t, p, nil)
	}
	for range 71 { // each size three times in each place
		sample(r.pick(sizes), r.pick(sizes), r.pick(sizes), true)
		sample(r.pick(sizes), r.pick(points), r.pick(inputs), false)
		sample(r.pick(points), r.pick(sizes), r.pick(columns), false)
		sample(r.pick(columns), r.pick(widths[:5]), r.pick(sizes), false)
	}
	for _, k := range []int{511, 512, 513, 1023, 1024, 1025, 3100} { // the inner dimension in parts
		sample(9, 50, k, false)
		sample(50, 0, k, true)
	}
	if !testing.Short() {
		s.everyProduct(t)
	}
}

// everyProduct tests all shapes up to 70×70, as parts of one product.
func (s suite) everyProduct(t *testing.T) {
	const most = 70
	e := s.engine(1)
	for _, k := range []int{3, 17, 70} {
		a, b := normals(1, most, k), normals(2, k, most)
		p := productCase{m: most, n: most, k: k, alpha: 1}
		c := garbage(most, most)
		want := p.expected(a, b, c, nil, s.roundoff())
		for m := range most + 1 {
			for n := range most + 1 {
				part := c.RowRange(0, m).ColRange(0, n)
				e.Gemm(part, 1, a.RowRange(0, m), false, b.ColRange(0, n), false, 0)
				want.part(m, n).check(t, part, nil)
			}
		}
		mustKeepGuards(t, c)
	}
}

// largeProducts have operands of several groups of panels, and narrow and long operands.
func (s suite) largeProducts(t *testing.T) {
	for _, p := range []productCase{
		{m: 200, n: 4200, k: 5, alpha: 1},
		{m: 230, n: 4080, k: 3, alpha: 2, beta: 1, tb: true},
		{m: 4099, n: 97, k: 70, ta: true, alpha: 1},
		{m: 4301, n: 3, k: 20, alpha: 1},
		{m: 2, n: 5000, k: 33, ta: true, tb: true, alpha: -1},
		{m: 1, n: 1, k: 10001, alpha: 1},
		{m: 700, n: 700, k: 4, alpha: 1, half: true},
		{m: 101, n: 101, k: 4097, ta: true, alpha: 1, beta: 0.5, half: true},
	} {
		t.Run(dims(p.m, p.n, p.k), func(t *testing.T) { s.product(t, p, edges(p.m)) })
	}
}
