package benchmark

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

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

// A bench collects operations of one precision.
type bench struct {
	precision      compute.Precision
	threads        int
	engine, cached *compute.Engine // engine has no cache of frequencies, cached has one that holds all
	all            []operation
}

// operations returns all operations, in the order of the report. rate is the peak of one thread in the first precision, in
// flops per second.
func operations(o Options, rate float64) []operation {
	b := &bench{precision: compute.Float64, threads: o.Threads}
	b.memory()
	for _, p := range o.Precisions {
		b.precision = p
		b.engine = compute.NewEngine(compute.Options{Threads: o.Threads, Precision: p, CacheBytes: -1})
		b.cached = compute.NewEngine(compute.Options{Threads: o.Threads, Precision: p, CacheBytes: 1 << 30})
		b.peaks()
		b.dense()
		b.features()
		b.rows()
		b.kernels()
		if p == compute.Float32 {
			functions[float32](b)
		} else {
			functions[float64](b)
		}
	}
	b.precision = compute.Float64
	b.online()
	b.precision = o.Precisions[0]
	b.regions(rate)
	return b.all
}

// add adds an operation on the bench's threads. What else it counts is set in the result.
func (b *bench) add(name, shape string, flops float64, setup func() func()) *operation {
	b.all = append(b.all, operation{
		name: name, shape: shape, precision: b.precision, threads: b.threads, flops: flops,
		setup: func() runs { return runs{run: setup()} },
	})
	return &b.all[len(b.all)-1]
}

// peaks adds the peak of one thread and of all threads, measured against itself. The distance of the fraction from 1 shows how
// steady the machine is.
func (b *bench) peaks() {
	const flops = 1 << 28
	do := simd.PeakFlops[float64]
	if b.precision == compute.Float32 {
		do = simd.PeakFlops[float32]
	}
	for _, threads := range slices.Compact([]int{1, b.threads}) {
		op := b.add("peak", "registers", float64(threads*flops), func() func() {
			return func() { parallel(threads, func(int) { do(flops) }) }
		})
		op.threads, op.own = threads, true
	}
}

// dense adds the products of dense matrices.
func (b *bench) dense() {
	e := b.engine
	b.gemm("gemm", 2048, 2048, 2048)
	b.gemm("gemm", 1024, 1024, 1024)
	const n = 2048
	b.add("syrk", fmt.Sprintf("%d×%d", n, n), n*n*(n+1), func() func() {
		a, c := dense(n, n), compute.NewMatrix(n, n)
		return func() { e.Syrk(c, 1, a, false, 0) }
	})
	b.gemm("gemv", 4096, 4096, 1)
	b.gemm("gemm skinny", 1024, 2048, 10)
}

// gemm adds the product of m×k and k×n.
func (b *bench) gemm(name string, m, k, n int) {
	e := b.engine
	op := b.add(name, fmt.Sprintf("%d×%d×%d", m, k, n), 2*float64(m)*float64(k)*float64(n), func() func() {
		x, y, c := dense(m, k), dense(k, n), compute.NewMatrix(m, n)
		return func() { e.Gemm(c, 1, x, false, y, false, 0) }
	})
	if n < 48 {
		op.bytes = 8 * float64(m*k+k*n+m*n)
	}
}

// eachShape calls add with all dimensions and columns, and the kernel for the dimension.
func eachShape(columns []int, add func(d, k int, g kernels.Gaussian)) {
	for _, d := range dims {
		for _, k := range columns {
			add(d, k, kernels.Gaussian{Sigma: math.Sqrt(float64(d))})
		}
	}
}

// features adds Φw and Φᵀr, with frequencies drawn at every product and with cached ones.
func (b *bench) features() {
	for i, name := range []string{"features", "features transposed", "features cached", "features cached transposed"} {
		e := b.engine
		if i >= 2 {
			e = b.cached
		}
		eachShape(columns, func(d, k int, g kernels.Gaussian) {
			b.add(name, shape(batch, terms, d, k), pairFlops(batch, terms, d, k), func() func() {
				x, _ := points(d)
				w, r := dense(terms, k), dense(batch, k)
				phi := e.Features(g.Features(1, d, block), x, compute.Range{Lo: 0, Hi: terms / block})
				if i%2 == 1 {
					return func() { phi.MulTransTo(w, r) }
				}
				return func() { phi.MulTo(r, w) }
			})
		})
	}
}

// rows adds what sgd-rf does for every 48 examples of 18 inputs with batches of one: the evaluation of their features on all
// threads, and then for each of them an inner product with the weights and an update of these, on one thread.
func (b *bench) rows() {
	const n, d = 48, 18
	e := b.cached
	for _, m := range []int{1000, 13500} {
		x, f := dense(n, d), kernels.Gaussian{Sigma: 4}.Features(1, d, m)
		shape := fmt.Sprintf("%d×%d d=%d", n, m, d)
		evaluate := func() compute.Rowwise { return e.Evaluate(e.Features(f, x, compute.Range{Lo: 0, Hi: 1})) }
		b.add("features evaluated", shape, 0, func() func() { return func() { evaluate() } }).values = n * float64(m)
		op := b.add("rows one by one", shape, 0, func() func() {
			phi, w, row, c := evaluate(), make([]float64, m), make([]int, 1), make([]float64, 1)
			return func() {
				for i := range n {
					row[0] = i
					phi.Dots(c, row, w)
					c[0] = 1e-6 * (1 - c[0])
					phi.AddTo(w, row, c)
				}
			}
		})
		op.threads, op.values = 1, n*float64(m)
	}
}

// kernels adds K·a of the Gaussian kernel, for two sets of points and for one.
func (b *bench) kernels() {
	e := b.engine
	product := func(op compute.Operator, rows, cols, k int) func() {
		v, u := dense(cols, k), compute.NewMatrix(rows, k)
		return func() { op.MulTo(u, v) }
	}
	eachShape(columns, func(d, k int, g kernels.Gaussian) {
		b.add("kernel", shape(batch, terms, d, k), pairFlops(batch, terms, d, k), func() func() {
			x, z := points(d)
			return product(e.Kernel(g, x, z), batch, terms, k)
		})
	})
	const n = symmetric
	eachShape([]int{1}, func(d, k int, g kernels.Gaussian) {
		b.add("kernel symmetric", shape(n, n, d, k), n*(n+1)*float64(d)+2*n*n, func() func() {
			x := dense(n, d)
			return product(e.Kernel(g, x, x), n, n, k)
		})
	})
}

func shape(n, m, d, k int) string { return fmt.Sprintf("%d×%d d=%d columns=%d", n, m, d, k) }

// pairFlops returns the flops of n·m inner products of d numbers and of the product of that n×m matrix with k columns.
func pairFlops(n, m, d, k int) float64 { return 2 * float64(n) * float64(m) * float64(d+k) }

// functions adds what runs on one thread within an operator: drawing frequencies, and the functions of epilogues on one tile.
func functions[T compute.Float](b *bench) {
	const d, n = 784, 96 * simd.Width
	one := func(name, shape string, values float64, setup func() func()) {
		op := b.add(name, shape, 0, setup)
		op.threads, op.values = 1, values
	}
	tile := func(name string, apply func(z []T)) {
		one(name, fmt.Sprint(n), n, func() func() {
			z := make([]T, n)
			for i := range z {
				z[i] = T(i) / n
			}
			return func() { apply(z) }
		})
	}
	one("draw normal", fmt.Sprintf("%d×%d", simd.Width, d), simd.Width*d, func() func() {
		panel, phase := make([]T, simd.Width*d), make([]T, simd.Width)
		s, source := compute.Spectrum{Law: compute.Normal, Scale: 1}, compute.NewSource(1, "benchmark")
		return func() { compute.DrawPanel(s, source, 0, block, d, panel, phase) }
	})
	tile("cos", func(z []T) { compute.CosTurns(z, math.Sqrt2) })
	tile("exp", func(z []T) { compute.Apply(z, compute.Exp2Step(-1)) })
}

// points returns a batch and centres of normal points in d dimensions.
func points(d int) (x, z compute.Matrix) {
	all := dense(batch+terms, d)
	return all.RowRange(0, batch), all.RowRange(batch, batch+terms)
}

// dense returns a matrix of normals. They repeat after some rows because drawing all of them would take longer than the
// measurement.
func dense(rows, cols int) compute.Matrix {
	const drawn = 61 // coprime to the sizes of panels and tiles
	m, source := compute.NewMatrix(rows, cols), compute.NewSource(1, "benchmark")
	for i := range rows {
		if i < drawn {
			source.Stream(uint64(i)).Row(0, m.Row(i))
		} else {
			copy(m.Row(i), m.Row(i-drawn))
		}
	}
	return m
}

// largerThanCaches is the size, in numbers, of arrays that no cache holds: 128 MiB.
const largerThanCaches = 1 << 24

// memory adds the reading and writing of arrays larger than all caches, divided among the threads.
func (b *bench) memory() {
	const n = largerThanCaches
	stream := func(name string, bytes float64, do func(y, x []float64)) {
		threads := b.threads
		op := b.add(name, fmt.Sprintf("%d MB", n*8/1_000_000), 0, func() func() {
			x, y := fill(n), fill(n)
			return func() {
				parallel(threads, func(i int) {
					lo, hi := i*n/threads, (i+1)*n/threads
					do(y[lo:hi], x[lo:hi])
				})
			}
		})
		op.bytes, op.own = n*bytes, true
	}
	stream("memory read", 8, read)
	stream("memory triad", 24, func(y, x []float64) { simd.AddScaled(y, x, 0.5) })
}

// parallel calls do(0) … do(n-1), each on its own goroutine.
func parallel(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// fill returns n numbers in memory that the system has backed with pages.
func fill(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// read adds all parts of x to one sum array that fits the L1 cache.
func read(_, x []float64) {
	sum := make([]float64, 1024)
	for part := range slices.Chunk(x, len(sum)) {
		simd.AddScaled(sum, part, 1)
	}
}

// A region is one parallel loop of the core: the product of a kernel between one panel of points and regionPanels others,
// in 64 jobs of two tiles. The points have one dimension, so that packing and adding up are too small to run in parallel.
const regionPanels = 128

// labour is a kernel whose epilogue performs a given number of multiplications and additions on registers, so that threads
// share only the region.
type labour struct{ flops int }

func (l labour) Formula() compute.Formula {
	if l.flops == 0 {
		return compute.InnerProduct.Then()
	}
	return compute.InnerProduct.Then(compute.Step{
		Double: func([]float64) { simd.PeakFlops[float64](l.flops) },
		Single: func([]float32) { simd.PeakFlops[float32](l.flops) },
	})
}

// region returns a function that runs a region of the given flops on the given threads.
func region(p compute.Precision, threads, flops int) func() {
	x, z := dense(simd.Width, 1), dense(simd.Width*regionPanels, 1)
	v, u := compute.NewMatrix(z.Rows, 1), compute.NewMatrix(x.Rows, 1)
	e := compute.NewEngine(compute.Options{Threads: threads, Precision: p})
	k := e.Kernel(labour{flops / regionPanels}, x, z)
	return func() { k.MulTo(u, v) }
}

// regions adds the overhead of a region, and the speedup of all threads over one for work that takes one thread 0.5 ms and 5 ms
// at the given rate in flops per second.
func (b *bench) regions(rate float64) {
	if b.threads == 1 {
		return
	}
	p, threads := b.precision, b.threads
	add := func(name, shape string, flops int) *operation {
		op := b.add(name, shape, float64(flops), nil)
		op.setup = func() runs { return runs{run: region(p, threads, flops), alone: region(p, 1, flops)} }
		return op
	}
	add("region fork and join", fmt.Sprintf("%d jobs", regionPanels/2), 0).latency = true
	add("region", "0.5 ms", int(0.5e-3*rate))
	add("region", "5 ms", int(5e-3*rate))
}
