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

// Argument implements compute.KernelFunc.
func (labour) Argument() compute.Argument { return compute.InnerProduct }

// Apply implements compute.KernelFunc.
func (l labour) Apply([]float64) {
	if l.flops > 0 {
		simd.PeakFlops[float64](l.flops)
	}
}

// Apply32 implements compute.KernelFunc.
func (l labour) Apply32([]float32) {
	if l.flops > 0 {
		simd.PeakFlops[float32](l.flops)
	}
}

// region returns a function that runs a region of the given flops on the given threads.
func region(p compute.Precision, threads, flops int) func() {
	x, z := dense(simd.Width, 1), dense(simd.Width*regionPanels, 1)
	v, u := compute.NewMatrix(z.Rows, 1), compute.NewMatrix(x.Rows, 1)
	e := compute.NewEngine(compute.Options{Threads: threads, Precision: p})
	k := e.Kernel(labour{flops / regionPanels}, x, z)
	return func() { k.MulTo(u, v) }
}

// regions measures the overhead of a region, and the speedup of all threads over one for work that takes one thread 0.5 ms
// and 5 ms at the given rate in flops per second.
func regions(p compute.Precision, threads int, rate float64) []operation {
	if threads == 1 {
		return nil
	}
	sized := func(name, shape string, flops int) operation {
		return operation{
			name: name, shape: shape, precision: p, threads: threads, flops: float64(flops),
			setup: func() (run, alone func()) { return region(p, threads, flops), region(p, 1, flops) },
		}
	}
	fork := sized("region fork and join", fmt.Sprintf("%d jobs", regionPanels/2), 0)
	fork.latency = true
	return []operation{
		fork,
		sized("region", "0.5 ms", int(0.5e-3*rate)),
		sized("region", "5 ms", int(5e-3*rate)),
	}
}
