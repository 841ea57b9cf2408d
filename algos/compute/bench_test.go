package compute_test

import (
	"fmt"
	"testing"

	"repro/algos/compute"
	"repro/algos/kernels"
)

func normalMatrix(seed uint64, r, c int) compute.Matrix {
	m := compute.NewMatrix(r, c)
	for i := range r {
		compute.NewStream(seed, "test", uint64(i)).Row(0, m.Row(i))
	}
	return m
}

// BenchmarkOperators reports the rate of the operators at 1024 points, counting products and sums alone.
func BenchmarkOperators(b *testing.B) {
	for _, precision := range []compute.Precision{compute.Float32, compute.Float64} {
		for _, cols := range []int{1, 10} {
			for _, d := range []int{2, 50, 123, 784} {
				const n, m = 1024, 8192
				x, z := normalMatrix(1, n, d), normalMatrix(2, m, d)
				v, out := normalMatrix(3, m, cols), compute.NewMatrix(n, cols)
				e := compute.NewEngine(compute.Options{Threads: 1, CacheBytes: -1, Precision: precision})
				cached := compute.NewEngine(compute.Options{Threads: 1, CacheBytes: 1 << 30, Precision: precision})
				g := kernels.Gaussian{Sigma: 3}
				f := g.Features(1, d, 512)
				blocks := compute.Range{Lo: 0, Hi: m / 512}
				run := func(name string, do func()) {
					b.Run(fmt.Sprintf("%s/d=%d/cols=%d/%s", name, d, cols, precision), func(b *testing.B) {
						for b.Loop() {
							do()
						}
						s := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
						b.ReportMetric(2*n*m*float64(d+cols)/s, "Gflop/s")
						b.ReportMetric(s/(n*m), "ns/entry")
					})
				}
				run("features", func() { e.Features(f, x, blocks).MulTo(out, v) })
				run("features-cached", func() { cached.Features(f, x, blocks).MulTo(out, v) })
				run("features-transpose", func() { e.Features(f, x, blocks).MulTransTo(v, out) })
				run("kernel", func() { e.Kernel(g, x, z).MulTo(out, v) })
			}
		}
	}
}

// BenchmarkGemm multiplies matrices of the size at which libraries are compared.
func BenchmarkGemm(b *testing.B) {
	for _, precision := range []compute.Precision{compute.Float32, compute.Float64} {
		for _, s := range [][3]int{{2048, 2048, 2048}, {1024, 1024, 1024}, {1024, 2048, 10}, {4096, 4096, 1}} {
			e := compute.NewEngine(compute.Options{Threads: 1, Precision: precision})
			x, y, c := normalMatrix(1, s[0], s[1]), normalMatrix(2, s[1], s[2]), compute.NewMatrix(s[0], s[2])
			b.Run(fmt.Sprintf("%dx%dx%d/%s", s[0], s[1], s[2], precision), func(b *testing.B) {
				for b.Loop() {
					e.Gemm(c, 1, x, false, y, false, 0)
				}
				b.ReportMetric(2*float64(s[0]*s[1]*s[2])*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gflop/s")
			})
		}
	}
}

// BenchmarkSmall measures operations so small that what is outside the loops over numbers counts.
func BenchmarkSmall(b *testing.B) {
	x, z, far := normalMatrix(1, 8, 3), normalMatrix(2, 40, 3), normalMatrix(1, 8, 20)
	v, one, c := normalMatrix(3, 40, 1), normalMatrix(3, 40, 2), compute.NewMatrix(8, 1)
	g, e := kernels.Gaussian{Sigma: 3}, compute.NewEngine(compute.Options{Threads: 1})
	f := g.Features(1, 3, 40)
	sketch := kernels.Linear{Sigma: 1}.Features(1, 3, 40)
	op, stored, wide := e.Kernel(g, x, z), e.Store(e.Kernel(g, x, z)), compute.NewMatrix(40, 1)
	u, spd := compute.NewMatrix(8, 2), e.KernelMatrix(kernels.Laplace{Sigma: 1}, far, far)
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"kernel", func() { e.Kernel(g, x, z).MulTo(c, v) }},
		{"kernel again", func() { op.MulTo(c, v) }},
		{"kernel transposed", func() { op.MulTransTo(wide, c) }},
		{"kernel of norms", func() { e.Kernel(kernels.Matern{Sigma: 1, Order: 1.5}, far, far).MulTo(c, u.ColRange(0, 1)) }},
		{"selected", func() { op.Select([]int{1, 5}).MulTo(c.RowRange(0, 2), v) }},
		{"kernel matrix", func() { e.Reuse(e.KernelMatrix(g, x, z)) }},
		{"features", func() { e.Features(f, x, compute.Range{Lo: 0, Hi: 1}).MulTo(c, v) }},
		{"features transposed", func() { e.Features(f, x, compute.Range{Lo: 0, Hi: 1}).MulTransTo(wide, c) }},
		{"feature matrix", func() { e.Reuse(e.FeatureMatrix(sketch, x, compute.Range{Lo: 0, Hi: 1})) }},
		{"stored", func() { stored.MulTo(c, v) }},
		{"stored transposed", func() { stored.MulTransTo(wide, c) }},
		{"rows", func() { e.Evaluate(op).Dots(c.Data[:2], []int{0, 3}, v.Data) }},
		{"gemm", func() { e.Gemm(u, 1, z.RowRange(0, 8), false, one.RowRange(0, 3), false, 0) }},
		{"gemv", func() { e.Gemm(c, 1, x, false, v.RowRange(0, 3), false, 1) }},
		{"syrk", func() { e.Syrk(spd, 1, far, false, 0) }},
		{"cholesky", func() { e.Cholesky(spd) }},
		{"trsm", func() { e.Trsm(spd, true, c) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.do()
			}
		})
	}
}
