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
