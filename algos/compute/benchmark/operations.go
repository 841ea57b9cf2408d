package benchmark

import (
	"fmt"
	"math"
	"strings"

	"repro/algos/compute"
	"repro/algos/compute/internal/simd"
	"repro/algos/kernels"
)

// Shapes of the papers: a batch of points, random features or centres, and the dimensions of their data
// sets, from synthetic to MNIST.
const (
	batch     = 1024
	terms     = 8192
	block     = 512  // features in a block
	symmetric = 2048 // points of a symmetric kernel matrix
)

var (
	dims    = []int{2, 50, 123, 784}
	columns = []int{1, 10}
)

func (op operation) title() string { return op.name + " " + op.shape }

func (op operation) matches(filter string) bool {
	return strings.Contains(strings.ToLower(op.title()), strings.ToLower(filter))
}

// operations returns all operations, in the order of the report. rate is the peak of one thread in the first precision, in
// flops per second.
func operations(o Options, rate float64) []operation {
	all := memory(o.Threads)
	data := newData()
	for _, p := range o.Precisions {
		b := bench{
			precision: p, threads: o.Threads, data: data,
			engine: compute.NewEngine(compute.Options{Threads: o.Threads, Precision: p, CacheBytes: -1}),
			cached: compute.NewEngine(compute.Options{Threads: o.Threads, Precision: p, CacheBytes: 1 << 30}),
		}
		all = append(all, b.peaks()...)
		all = append(all, b.dense()...)
		all = append(all, b.features()...)
		all = append(all, b.rows()...)
		all = append(all, b.kernels()...)
		if p == compute.Float32 {
			all = append(all, functions[float32](p)...)
		} else {
			all = append(all, functions[float64](p)...)
		}
	}
	all = append(all, online()...)
	return append(all, regions(o.Precisions[0], o.Threads, rate)...)
}

// A bench creates the operations of one precision.
type bench struct {
	precision      compute.Precision
	threads        int
	data           *data
	engine, cached *compute.Engine // engine has no cache of frequencies, cached has one that holds all
}

// operation returns an operation that runs on the bench's threads.
func (b bench) operation(name, shape string, flops float64, setup func() func()) operation {
	return operation{
		name: name, shape: shape, precision: b.precision, threads: b.threads, flops: flops,
		setup: func() (run, alone func()) { return setup(), nil },
	}
}

// peaks returns operations that measure the peak of one thread and of all threads against itself. The distance of the
// fraction from 1 shows how steady the machine is.
func (b bench) peaks() []operation {
	const flops = 1 << 28
	do := simd.PeakFlops[float64]
	if b.precision == compute.Float32 {
		do = simd.PeakFlops[float32]
	}
	of := func(threads int) operation {
		op := b.operation("peak", "registers", float64(threads*flops), func() func() {
			return func() { parallel(threads, func(int) { do(flops) }) }
		})
		op.threads, op.own = threads, true
		return op
	}
	if b.threads == 1 {
		return []operation{of(1)}
	}
	return []operation{of(1), of(b.threads)}
}

// dense returns the products of dense matrices.
func (b bench) dense() []operation {
	var all []operation
	for _, n := range []int{2048, 1024} {
		all = append(all, b.gemm("gemm", n, n, n))
	}
	const n = 2048
	all = append(all, b.operation("syrk", fmt.Sprintf("%d×%d", n, n), n*n*(n+1), func() func() {
		a, c := dense(n, n), compute.NewMatrix(n, n)
		return func() { b.engine.Syrk(c, 1, a, false, 0) }
	}))
	return append(all, b.gemm("gemv", 4096, 4096, 1), b.gemm("gemm skinny", 1024, 2048, 10))
}

// gemm is the product of m×k and k×n.
func (b bench) gemm(name string, m, k, n int) operation {
	op := b.operation(name, fmt.Sprintf("%d×%d×%d", m, k, n), 2*float64(m)*float64(k)*float64(n), func() func() {
		x, y, c := dense(m, k), dense(k, n), compute.NewMatrix(m, n)
		return func() { b.engine.Gemm(c, 1, x, false, y, false, 0) }
	})
	if n < 48 {
		op.bytes = 8 * float64(m*k+k*n+m*n)
	}
	return op
}

// features returns Φw and Φᵀr, with frequencies drawn at every product and with cached ones.
func (b bench) features() []operation {
	var all []operation
	for _, kind := range []struct {
		name      string
		engine    *compute.Engine
		transpose bool
	}{
		{"features", b.engine, false},
		{"features transposed", b.engine, true},
		{"features cached", b.cached, false},
		{"features cached transposed", b.cached, true},
	} {
		for _, d := range dims {
			for _, k := range columns {
				all = append(all, b.operation(kind.name, shape(batch, terms, d, k), pairFlops(batch, terms, d, k), func() func() {
					x, _ := b.data.points(d)
					w, r := dense(terms, k), dense(batch, k)
					f := kernels.Gaussian{Sigma: math.Sqrt(float64(d))}.Features(1, d, block)
					phi := kind.engine.Features(f, x, compute.Range{Lo: 0, Hi: terms / block})
					if kind.transpose {
						return func() { phi.MulTransTo(w, r) }
					}
					return func() { phi.MulTo(r, w) }
				}))
			}
		}
	}
	return all
}

// rows returns what sgd-rf does for every 48 examples of 18 inputs with batches of one: the evaluation of their features on all
// threads, and then for each of them an inner product with the weights and an update of these, on one thread.
func (b bench) rows() []operation {
	const n, d = 48, 18
	var all []operation
	for _, m := range []int{1000, 13500} {
		x, f := dense(n, d), kernels.Gaussian{Sigma: 4}.Features(1, d, m)
		evaluate := func() compute.Rowwise {
			return b.cached.Evaluate(b.cached.Features(f, x, compute.Range{Lo: 0, Hi: 1}))
		}
		of := func(name string, threads int, setup func() func()) operation {
			return operation{
				name: name, shape: fmt.Sprintf("%d×%d d=%d", n, m, d), precision: b.precision, threads: threads, values: n * float64(m),
				setup: func() (run, alone func()) { return setup(), nil },
			}
		}
		all = append(all, of("features evaluated", b.threads, func() func() { return func() { evaluate() } }))
		all = append(all, of("rows one by one", 1, func() func() {
			phi, w, row, c := evaluate(), make([]float64, m), make([]int, 1), make([]float64, 1)
			return func() {
				for i := range n {
					row[0] = i
					phi.Dots(c, row, w)
					c[0] = 1e-6 * (1 - c[0])
					phi.AddTo(w, row, c)
				}
			}
		}))
	}
	return all
}

// kernels returns K·a of the Gaussian kernel, for two sets of points and for one.
func (b bench) kernels() []operation {
	var all []operation
	for _, d := range dims {
		g := kernels.Gaussian{Sigma: math.Sqrt(float64(d))}
		for _, k := range columns {
			all = append(all, b.operation("kernel", shape(batch, terms, d, k), pairFlops(batch, terms, d, k), func() func() {
				x, z := b.data.points(d)
				op, v, u := b.engine.Kernel(g, x, z), dense(terms, k), compute.NewMatrix(batch, k)
				return func() { op.MulTo(u, v) }
			}))
		}
	}
	for _, d := range dims {
		g := kernels.Gaussian{Sigma: math.Sqrt(float64(d))}
		const n = symmetric
		flops := n*(n+1)*float64(d) + 2*n*n
		all = append(all, b.operation("kernel symmetric", shape(n, n, d, 1), flops, func() func() {
			_, z := b.data.points(d)
			x := z.RowRange(0, n)
			op, v, u := b.engine.Kernel(g, x, x), dense(n, 1), compute.NewMatrix(n, 1)
			return func() { op.MulTo(u, v) }
		}))
	}
	return all
}

func shape(n, m, d, k int) string { return fmt.Sprintf("%d×%d d=%d columns=%d", n, m, d, k) }

// pairFlops returns the flops of n·m inner products of d numbers and of the product of that n×m matrix with k columns.
func pairFlops(n, m, d, k int) float64 { return 2 * float64(n) * float64(m) * float64(d+k) }

// functions returns what runs on one thread within an operator: drawing frequencies, and the functions of epilogues on one
// tile.
func functions[T compute.Float](p compute.Precision) []operation {
	const d = 784
	one := func(name, shape string, values int, setup func() func()) operation {
		return operation{
			name: name, shape: shape, precision: p, threads: 1, values: float64(values),
			setup: func() (run, alone func()) { return setup(), nil },
		}
	}
	tile := func(name string, apply func(z []T)) operation {
		const n = 96 * simd.Width
		return one(name, fmt.Sprintf("%d", n), n, func() func() {
			z := make([]T, n)
			for i := range z {
				z[i] = T(i) / n
			}
			return func() { apply(z) }
		})
	}
	return []operation{
		one("draw normal", fmt.Sprintf("%d×%d", simd.Width, d), simd.Width*d, func() func() {
			panel, phase := make([]T, simd.Width*d), make([]T, simd.Width)
			s, source := compute.Spectrum{Law: compute.Normal, Scale: 1}, compute.NewSource(1, "benchmark")
			return func() { compute.DrawPanel(s, source, 0, block, d, panel, phase) }
		}),
		tile("cos", func(z []T) { compute.CosTurns(z, math.Sqrt2) }),
		tile("exp", func(z []T) { compute.Exp2(z, -1) }),
	}
}
