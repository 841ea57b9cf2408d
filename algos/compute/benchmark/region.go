package benchmark

import (
	"fmt"

	"repro/algos/compute"
	"repro/algos/compute/internal/simd"
)

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
