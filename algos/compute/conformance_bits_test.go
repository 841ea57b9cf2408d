package compute_test

import (
	"math"
	"sync"
	"testing"

	"repro/algos/compute"
)

// An operationResult is the result of one operation.
type operationResult struct {
	Name  string
	Value compute.Matrix
}

// results runs every operation on e, at sizes that it computes in parallel, and returns the results. Engines of the same
// precision give the same bits, whatever their threads, caches and previous operations.
func results(e *compute.Engine) []operationResult {
	var all []operationResult
	add := func(name string, value compute.Matrix) { all = append(all, operationResult{name, value}) }
	operator := func(name string, a compute.Operator, columns int) {
		r, c := a.Dims()
		dst := garbage(r, columns)
		a.MulTo(dst, normals(8, c, columns))
		add(name, dst)
		dst = garbage(c, columns)
		a.MulTransTo(dst, normals(9, r, columns))
		add(name+", transposed", dst)
	}
	rows := func(name string, a compute.Rowwise, cols int) {
		chosen, dots, sum := []int{7, 0, 220, 7}, compute.NewMatrix(4, 1), normals(8, 1, cols).Clone()
		a.Dots(dots.Data, chosen, sum.Data)
		add(name+", inner products", dots)
		a.AddTo(sum.Data, chosen, []float64{1, -0.5, 3, 2})
		add(name+", sums", sum)
	}
	for i, d := range []int{3, 17, 50} {
		x, z := normals(1, 221, d), normals(2, 150, d)
		for j, argument := range arguments {
			if j%3 == 2-i && j > 0 { // every argument but the first is tested with two of the numbers of inputs
				continue
			}
			k, name := newKernel(argument.of, d, i), argument.name+dims(d)
			operator("kernel of "+name, e.Kernel(k, x, z), 1+2*i)
			operator("symmetric kernel of "+name, e.Kernel(k, x, x), 1+2*i)
			add("stored kernel of "+name, e.KernelMatrix(k, x, z))
			add("stored symmetric kernel of "+name, e.KernelMatrix(k, x, x))
		}
		f, blocks := Features{Seed: 1, Size: 50, Cosine: d == 3}, compute.Range{Lo: 1, Hi: 5}
		operator("features"+dims(d), e.Features(f, x, blocks), 1+2*i)
		operator("spectral features"+dims(d), e.Features(Spectral{f}, x, blocks), 1+2*i)
		add("stored features"+dims(d), e.FeatureMatrix(Spectral{f}, x, blocks))
		rows("rows of features"+dims(d), e.Evaluate(e.Features(f, x, blocks)), 200)
		rows("rows of a kernel"+dims(d), e.Evaluate(e.Kernel(Kernel{}, x, z)), 150)
		add("product"+dims(d), e.Mul(z, x.RowRange(0, 150).ColRange(0, (d+1)/2), true))
		add("long product"+dims(d), e.Mul(x, z.Transposed(), false))
		c := normals(3, 221, 221)
		e.Syrk(c, 0.5, x, false, 0)
		add("syrk"+dims(d), c)
	}
	return all
}

// mustEqualResults fails the test unless got and want have the same bits.
func mustEqualResults(t *testing.T, want, got []operationResult) {
	t.Helper()
	for i, w := range want {
		mustEqual(t, w.Value, got[i].Value, w.Name)
	}
}

// sameBits checks that the bits of results depend only on the operands.
func (s suite) sameBits(t *testing.T) {
	manyProcessors(t)
	want := results(s.engine(1))
	for _, threads := range []int{2, 7} {
		mustEqualResults(t, want, results(s.engine(threads)))
	}
	for name, cacheBytes := range map[string]int64{"no cache": -1, "a small cache": 30 << 10} {
		t.Run(name, func(t *testing.T) {
			mustEqualResults(t, want, results(s.cached(cacheBytes)))
		})
	}
	t.Run("again, after others", func(t *testing.T) {
		e := s.engine(2)
		poison(e)
		mustEqualResults(t, want, results(e))
	})
	t.Run("two engines at a time", func(t *testing.T) {
		var group sync.WaitGroup
		var got [2][]operationResult
		for i := range got {
			e := s.engine(2 + i)
			group.Go(func() { got[i] = results(e) })
		}
		group.Wait()
		mustEqualResults(t, want, got[0])
		mustEqualResults(t, want, got[1])
	})
}

// poison leaves NaN in all memory that an engine reuses.
func poison(e *compute.Engine) {
	const n, d = 500, 60
	x, v := fill(normals(1, n, d), math.NaN()), fill(normals(1, n, 7), math.NaN())
	z := x.Clone()
	dst := compute.NewMatrix(n, 7)
	e.Kernel(Kernel{}, x, z).MulTo(dst, v)
	e.Kernel(Kernel{}, x, x).MulTo(dst, v)
	e.Features(Features{Size: n}, x, compute.Range{Lo: 0, Hi: 1}).MulTo(dst, v)
	e.Mul(x, z, true)
}
