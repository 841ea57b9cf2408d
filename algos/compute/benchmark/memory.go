package benchmark

import (
	"fmt"
	"sync"

	"repro/algos/compute"
	"repro/algos/compute/internal/simd"
)

// largerThanCaches is the size, in numbers, of arrays that no cache holds: 128 MiB.
const largerThanCaches = 1 << 24

// memory measures the bandwidth of reading and writing arrays larger than all caches, divided among the threads.
func memory(threads int) []operation {
	const n = largerThanCaches
	stream := func(name string, bytes float64, do func(y, x []float64)) operation {
		return operation{
			name: name, shape: fmt.Sprintf("%d MB", n*8/1_000_000), precision: compute.Float64, threads: threads, bytes: n * bytes, own: true,
			setup: func() (run, alone func()) {
				x, y := fill(n), fill(n)
				return func() {
					parallel(threads, func(i int) {
						lo, hi := i*n/threads, (i+1)*n/threads
						do(y[lo:hi], x[lo:hi])
					})
				}, nil
			},
		}
	}
	return []operation{
		stream("memory read", 8, read),
		stream("memory triad", 24, func(y, x []float64) { simd.AddScaled(y, x, 0.5) }),
	}
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
func fill(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// read adds all parts of x to one sum array that fits the L1 cache.
func read(_, x []float64) {
	const part = 1024
	sum := make([]float64, part)
	for len(x) > 0 {
		n := min(part, len(x))
		simd.AddScaled(sum, x[:n], 1)
		x = x[n:]
	}
}
