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

// BenchmarkOperators reports the time of one feature or kernel evaluation with its product.
func BenchmarkOperators(b *testing.B) {
	for _, d := range []int{2, 123} {
		const n, m = 1024, 4096
		x, z := normalMatrix(1, n, d), normalMatrix(2, m, d)
		v, out := normalMatrix(3, m, 1), compute.NewMatrix(n, 1)
		e := compute.NewEngine(compute.Options{Threads: 1})
		g := kernels.Gaussian{Sigma: 3}
		for name, op := range map[string]compute.Operator{
			"features": e.Features(g.Features(1, d, 1024), x, compute.Range{Lo: 0, Hi: 4}),
			"kernel":   e.Kernel(g, x, z),
		} {
			b.Run(fmt.Sprintf("%s/d=%d", name, d), func(b *testing.B) {
				for b.Loop() {
					op.MulTo(out, v)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*m), "ns/eval")
			})
		}
	}
}
