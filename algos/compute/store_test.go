package compute_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
)

// TestStoreKeepsToItsMemory checks the limit, in the precision of the engine, and that garbage is free.
func TestStoreKeepsToItsMemory(t *testing.T) {
	const n = 100
	x := normalMatrix(1, n, 3)
	g := kernels.Gaussian{Sigma: 1}
	for precision, size := range map[compute.Precision]int64{compute.Float32: 4 * n * n, compute.Float64: 8 * n * n} {
		for limit, fits := range map[int64]bool{size: true, size - 1: false, -1: false} {
			e := compute.NewEngine(compute.Options{Precision: precision, MemoryBytes: limit})
			op := e.Kernel(g, x, x)
			s := e.Store(op)
			assert.Equal(t, fits, s != op, "%s, limit %d", precision, limit)
			if !fits {
				continue
			}
			assert.Equal(t, op, e.Store(op), "full")
			other := compute.NewEngine(compute.Options{Precision: precision, MemoryBytes: limit})
			borrowed, its := other.Borrow(s), other.Kernel(g, x, x)
			stored := other.Store(its)
			assert.NotEqual(t, its, stored, "what is borrowed does not count")
			other.Release(stored)
			adopted := other.Adopt(s)
			assert.Equal(t, its, other.Store(its), "what is adopted does")
			runtime.KeepAlive(borrowed)
			runtime.KeepAlive(adopted)
			few := s.Select([]int{1, 2})
			runtime.GC()
			assert.Equal(t, op, e.Store(op), "a selection holds all of it")
			runtime.KeepAlive(s)
			runtime.KeepAlive(few)
			assert.Eventually(t, func() bool {
				runtime.GC()
				return e.Store(op) != op
			}, 10*time.Second, time.Millisecond)
		}
	}
}

// TestStoreCounts checks that entries count as evaluated once, when they are stored.
func TestStoreCounts(t *testing.T) {
	const n, m, d, k = 30, 20, 3, 2
	e := compute.NewEngine(compute.Options{Threads: 1, Precision: compute.Float32})
	s := e.Store(e.Kernel(kernels.Gaussian{Sigma: 1}, normalMatrix(1, n, d), normalMatrix(2, m, d)))
	want := compute.Counters{KernelEvals: n * m, Flops: 2 * n * m * d, Bytes: 8 * (n + m) * d}
	assert.Equal(t, want, e.Counters())
	s.MulTo(compute.NewMatrix(n, k), compute.NewMatrix(m, k))
	evaluated := want
	want = want.Add(compute.Counters{Flops: 2 * n * m * k, Bytes: 4*n*m + 8*(n+m)*k})
	assert.Equal(t, want, e.Counters())
	rows := []int{1, 4, 9}
	compute.RowsOf(s).Dots(make([]float64, 3), rows, make([]float64, m))
	compute.RowsOf(s).AddTo(make([]float64, m), rows, make([]float64, 3))
	assert.Equal(t, compute.Counters{Flops: 2 * 2 * 3 * m, Bytes: 2 * (3*(4*m+8) + 8*m)}, e.Counters().Sub(want))
	other := compute.NewEngine(compute.Options{Precision: compute.Float32})
	other.Adopt(s)
	other.Borrow(s)
	assert.Equal(t, evaluated.Add(evaluated), other.Counters(), "an engine pays for what another one evaluated")
}

// What is released can be stored again at once, whatever the garbage collector does.
func TestRelease(t *testing.T) {
	const n = 10
	for _, precision := range []compute.Precision{compute.Float64, compute.Float32} {
		e := compute.NewEngine(compute.Options{Threads: 1, Precision: precision, MemoryBytes: 8 * n * n})
		x, v := normalMatrix(1, n, 3), normalMatrix(2, n, 2)
		k := e.Kernel(kernels.Gaussian{Sigma: 2}, x, x)
		want, got := compute.NewMatrix(n, 2), compute.NewMatrix(n, 2)
		all := e.Store(k)
		all.MulTo(want, v)
		for range 5 {
			e.Release(all)
			all = e.Store(k)
			require.True(t, compute.IsStored(all))
			all.MulTo(got, v)
			assert.Equal(t, want.Data, got.Data)
		}
		e.Release(all.Select([]int{3, 1}))
		e.Release(k)
		compute.NewEngine(compute.Options{}).Release(all)
		all.MulTo(got, v)
		assert.Equal(t, want.Data, got.Data, "rows of a stored operator, operators that are not stored and those of others are left alone")
		e.Release(all)
		e.Release(all)
		all = nil
		first := e.Store(k)
		for range 20 { // what is released is no garbage that counts, too
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		require.True(t, compute.IsStored(first))
		if precision == compute.Float64 {
			assert.False(t, compute.IsStored(e.Store(k)), "what was released twice counts once")
		}
		runtime.KeepAlive(first)
	}
}
