package benchmark

import (
	"fmt"
	"slices"
	"sync"

	"repro/algos/compute/internal/simd"
)

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
