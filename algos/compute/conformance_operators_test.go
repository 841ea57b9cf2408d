package compute_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// An operatorCase is an operator and its oracle.
type operatorCase struct {
	rows, cols int
	operands   []compute.Matrix
	operator   func(e *compute.Engine) compute.Operator
	matrix     func(e *compute.Engine) compute.Matrix
	// entries returns the expected values of the given rows (nil means all) of the operator or of its transpose.
	entries func(rows []int, transpose bool) expected
	// exact says that stored entries are those expected, to the bit.
	exact bool
}

// small compares all entries of a stored operator, and of its products with matrices of the given number of columns, with
// the oracle: on one thread, and on three without a cache.
func (s suite) small(t *testing.T, c operatorCase, columns int) {
	unchanged := watch(c.operands...)
	entries := c.entries(nil, false)
	e, other := s.engine(1), s.cached(-1)
	stored := c.matrix(e)
	entries.check(t, stored, nil)
	mustEqual(t, stored, c.matrix(other), "stored by three threads without a cache")
	if c.exact {
		mustEqual(t, entries.value, stored, "entries")
	}
	for _, transpose := range []bool{false, true} {
		v, want := normals(9, c.cols, columns), entries
		if transpose {
			v = normals(9, c.rows, columns)
			want = entries.transposed()
		}
		got := c.apply(t, e, v, transpose)
		want.times(v, s.roundoff()).check(t, got, nil)
		mustEqual(t, got, c.apply(t, other, v, transpose), "three threads without a cache")
	}
	kept := e.Store(c.operator(e))
	s.multiplied(t, kept, entries, columns)
	if c.rows > 0 {
		rows := []int{c.rows - 1, 0, c.rows / 2, 0}
		few := c.entries(rows, false)
		s.multiplied(t, kept.Select(rows), few, columns)
		s.multiplied(t, c.operator(e).Select(rows), few, columns)
		s.multiplied(t, kept.Select(rows).Select([]int{2, 0}), c.entries([]int{rows[2], rows[0]}, false), columns)
	}
	e.Release(kept)
	unchanged(t)
}

// multiplied compares products of an operator and of its transpose with the oracle.
func (s suite) multiplied(t *testing.T, op compute.Operator, want expected, columns int) {
	t.Helper()
	v, u := normals(9, want.value.Cols, columns), normals(9, want.value.Rows, columns)
	want.times(v, s.roundoff()).check(t, multiply(t, op, v, false), nil)
	want.transposed().times(u, s.roundoff()).check(t, multiply(t, op, u, true), nil)
}

// large compares a sample of the rows of products with the oracle, and checks that the other rows were set.
func (s suite) large(t *testing.T, c operatorCase, columns int) {
	unchanged := watch(c.operands...)
	e, other := s.engine(1), s.engine(3)
	for _, transpose := range []bool{false, true} {
		out, in := c.rows, c.cols
		if transpose {
			out, in = in, out
		}
		v := normals(9, in, columns)
		got := c.apply(t, e, v, transpose)
		require.True(t, got.Finite(), "some rows were not set")
		c.entries(edges(out), transpose).times(v, s.roundoff()).check(t, got, edges(out))
		mustEqual(t, got, c.apply(t, other, v, transpose), "three threads")
	}
	stored := c.matrix(other)
	require.True(t, stored.Finite(), "some entries were not set")
	c.entries(edges(c.rows), false).check(t, stored, edges(c.rows))
	unchanged(t)
}

// apply returns the product of the operator or its transpose with v.
func (c operatorCase) apply(t *testing.T, e *compute.Engine, v compute.Matrix, transpose bool) compute.Matrix {
	t.Helper()
	op := c.operator(e)
	rows, cols := op.Dims()
	require.Equal(t, [2]int{c.rows, c.cols}, [2]int{rows, cols}, "shape")
	return multiply(t, op, v, transpose)
}

// multiply returns the product of op or its transpose with v.
func multiply(t *testing.T, op compute.Operator, v compute.Matrix, transpose bool) compute.Matrix {
	t.Helper()
	rows, cols := op.Dims()
	unchanged, by := watch(v), op.MulTo
	if transpose {
		rows, by = cols, op.MulTransTo
	}
	dst := garbage(rows, v.Cols)
	by(dst, v)
	mustKeepGuards(t, dst)
	unchanged(t)
	return dst
}

// kernelCase is a kernel between n and m points.
func (s suite) kernelCase(k Kernel, n, m, d int) operatorCase {
	return s.kernelOf(k, normals(1, n, d), normals(2, m, d))
}

func (s suite) kernelOf(k Kernel, x, z compute.Matrix) operatorCase {
	sx, sz := k.scaled(x), k.scaled(z)
	shift := ballOf(sz)
	return operatorCase{
		rows: x.Rows, cols: z.Rows, operands: []compute.Matrix{x, z},
		operator: func(e *compute.Engine) compute.Operator { return e.Kernel(k.weighted(), x, z) },
		matrix:   func(e *compute.Engine) compute.Matrix { return e.KernelMatrix(k.weighted(), x, z) },
		entries: func(rows []int, transpose bool) expected {
			a, b, sa, sb := x, z, sx, sz
			if transpose {
				a, b, sa, sb = z, x, sz, sx
			}
			e := k.entries(pick(sa, rows), sb, shift, s.roundoff())
			if k.Weighted {
				return e.weighted(pick(a, rows), b, s.roundoff())
			}
			return e
		},
	}
}

// featuresCase is features, of one of the kinds, of blocks lo ≤ i < lo + blocks at n points. Gemm adds up to 4096 terms of products
// of those evaluated in the precision of tiles, and rounds these features once more.
func (s suite) featuresCase(f Features, kind, n, d, lo, blocks int) operatorCase {
	x, r := normals(1, n, d), compute.Range{Lo: lo, Hi: lo + blocks}
	drawn := f.blocks(d, r)
	fm := kinds[kind](f)
	_, exact := fm.(Evaluated)
	of := func(x compute.Matrix, rows []int) expected {
		e := drawn.entries(x, rows, s.roundoff())
		if exact {
			e.together = 4096
		}
		return e
	}
	return operatorCase{
		rows: n, cols: f.Size * blocks, operands: []compute.Matrix{x}, exact: exact,
		operator: func(e *compute.Engine) compute.Operator { return e.Features(fm, x, r) },
		matrix:   func(e *compute.Engine) compute.Matrix { return e.FeatureMatrix(fm, x, r) },
		entries: func(rows []int, transpose bool) expected {
			if transpose {
				return of(x, rows).transposed()
			}
			return of(pick(x, rows), nil)
		},
	}
}

// arguments are all kernel arguments by name.
var arguments = []struct {
	name string
	of   compute.Argument
}{
	{"squared distance", compute.SquaredDistance},
	{"1-distance", compute.Distance1},
	{"inner product", compute.InnerProduct},
	{"product", compute.ProductDistance},
	{"pairwise", compute.Pairwise},
}

func (s suite) kernels(t *testing.T) {
	const most = 1 << 19 // largest number of multiplications of a case
	for _, argument := range arguments {
		t.Run(argument.name, func(t *testing.T) {
			r := newSampler(uint64(argument.of))
			for i := range samples(12, 30) {
				n, m, d, c := r.pick(points), r.pick(points), r.pick(inputs), r.pick(columns)
				for n*m*(d+c) > most {
					n, m = (n+1)/2, (m+1)/2
				}
				t.Run(dims(n, m, d, c), func(t *testing.T) {
					s.small(t, s.kernelCase(newKernel(argument.of, d, i), n, m, d), c)
				})
			}
		})
	}
}

// largeKernels have several groups of panels of out and, because of the number of inputs, several chunks of panels of in.
func (s suite) largeKernels(t *testing.T) {
	for i, c := range []struct{ n, m, d, columns int }{
		{4097, 50, 3, 1}, {50, 4200, 17, 10}, {700, 3, 6000, 2}, {4100, 5, 50, 1},
	} {
		t.Run(dims(c.n, c.m, c.d, c.columns), func(t *testing.T) {
			s.large(t, s.kernelCase(newKernel(compute.Argument(i%4), c.d, 2*i), c.n, c.m, c.d), c.columns)
		})
	}
}

func (s suite) features(t *testing.T) {
	const most = 1 << 19
	r := newSampler(7)
	for range samples(24, 60) {
		n, d, c, w, lo := r.pick(points), r.pick(inputs), r.pick(columns), r.pick(widths), r.r.IntN(20)
		blocks := r.r.IntN(1 + 300/w)
		if w == 512 {
			blocks = 1 + r.r.IntN(2)
		}
		for n > 1 && n*w*blocks*(d+c+10) > most {
			n = (n + 1) / 2
		}
		f, kind := Features{Seed: 3, Size: w, Cosine: r.yes()}, r.r.IntN(len(kinds))
		t.Run(dims(n, w, lo, blocks, d, c), func(t *testing.T) {
			s.small(t, s.featuresCase(f, kind, n, d, lo, blocks), c)
		})
	}
}

// largeFeatures have several groups and chunks of features, and of points; those evaluated have parts of both.
func (s suite) largeFeatures(t *testing.T) {
	for _, c := range []struct{ kind, n, d, width, lo, blocks, columns int }{
		{0, 4101, 3, 48, 1, 2, 1}, {0, 50, 17, 512, 3, 9, 3}, {1, 9, 2200, 64, 1, 8, 49}, {2, 1100, 3, 33, 1, 2, 2}, {2, 1030, 3, 256, 0, 4, 1},
	} {
		f := Features{Seed: 5, Size: c.width}
		t.Run(dims(c.n, c.d, c.width, c.lo, c.blocks, c.columns), func(t *testing.T) {
			s.large(t, s.featuresCase(f, c.kind, c.n, c.d, c.lo, c.blocks), c.columns)
		})
	}
}
