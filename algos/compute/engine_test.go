package compute

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParallelDoesEverythingOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 16} {
		e := NewEngine(Options{Threads: threads})
		for _, n := range []int{0, 1, 2, 15, 1000} {
			eachOnce(t, n, func(do func(i int)) { e.parallel(n, minParallelWork, do) })
		}
	}
}

// TestThreadsIsALimit counts the jobs that run at the same time: never more than the engine was given,
// and as many where there are processors.
func TestThreadsIsALimit(t *testing.T) {
	for _, threads := range []int{1, 2, 5} {
		e := NewEngine(Options{Threads: threads})
		var running, most atomic.Int64
		for range 5 {
			e.parallel(40, minParallelWork, func(int) {
				now := running.Add(1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				time.Sleep(20 * time.Microsecond)
				running.Add(-1)
			})
		}
		assert.EqualValues(t, min(threads, runtime.GOMAXPROCS(0)), most.Load(), "%d threads", threads)
	}
}

// TestHelpersSleep checks that no processor is used between regions, and that helpers wake up again.
func TestHelpersSleep(t *testing.T) {
	e := NewEngine(Options{Threads: 2})
	for range 3 {
		e.parallel(2, minParallelWork, func(int) {})
		assert.Eventually(t, func() bool {
			for _, h := range workers.helpers {
				if !h.asleep.Load() {
					return false
				}
			}
			return true
		}, 10*time.Second, time.Millisecond)
	}
}

// eachOnce requires that run calls a function for each of n tasks once.
func eachOnce(t *testing.T, n int, run func(do func(i int))) {
	t.Helper()
	done := make([]int32, n)
	run(func(i int) { atomic.AddInt32(&done[i], 1) })
	for i, d := range done {
		if d != 1 {
			require.EqualValues(t, 1, d, "task %d of %d", i, n)
		}
	}
}

// mustDoOnce runs n tasks in a region of the pool, each of which must be done once.
func mustDoOnce(t *testing.T, p *pool, threads, n int) {
	t.Helper()
	eachOnce(t, n, func(do func(i int)) { p.run(threads, n, new(atomic.Bool), do) })
}

// TestNestedRegions begins regions in the tasks of another, on the caller and on helpers.
func TestNestedRegions(t *testing.T) {
	const n, m = 20, 30
	e := NewEngine(Options{Threads: 3})
	eachOnce(t, n*m, func(do func(i int)) {
		e.parallel(n, minParallelWork, func(i int) {
			e.parallel(m, minParallelWork, func(j int) { do(i*m + j) })
		})
	})
}

// TestRegionsOfTwoCallers uses the pool from goroutines that do not know of each other.
func TestRegionsOfTwoCallers(t *testing.T) {
	var p pool
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 200 {
				mustDoOnce(t, &p, 3, 10)
			}
		})
	}
	group.Wait()
}

// TestRegionsWhileHelpersFallAsleep begins regions at all times around that at which helpers fall asleep.
func TestRegionsWhileHelpersFallAsleep(t *testing.T) {
	const lasts = 200 * time.Millisecond
	var p pool
	begin := time.Now()
	for pause := time.Duration(0); time.Since(begin) < lasts; pause = (pause + 7*time.Microsecond) % (spin / 5) {
		mustDoOnce(t, &p, 3, 10)
		for until := time.Now().Add(spin - spin/10 + pause); time.Now().Before(until); {
			runtime.Gosched()
		}
	}
}

// onHelper reports whether it is called on the goroutine of a helper.
func onHelper() bool {
	var stack [1 << 12]byte
	return bytes.Contains(stack[:runtime.Stack(stack[:], false)], []byte("(*helper).loop"))
}

// A region that began on one thread goes on with the processors that another engine lends meanwhile, and calls each index once.
func TestLentProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var idle atomic.Int64
	e, waiting := NewEngine(Options{Threads: 1, Idle: &idle}), NewEngine(Options{Threads: 2, Idle: &idle})
	var back func()
	var helped atomic.Bool
	eachOnce(t, 100, func(do func(i int)) {
		e.parallel(100, minParallelWork, func(i int) {
			do(i)
			if i == 10 {
				back = waiting.Lend()
				require.EqualValues(t, 2, idle.Load())
			}
			if i > 10 {
				time.Sleep(time.Millisecond)
				helped.Store(helped.Load() || onHelper())
			} else {
				require.False(t, onHelper(), "nobody lent any yet")
			}
		})
	})
	assert.True(t, helped.Load())
	assert.EqualValues(t, 2, idle.Load())
	back()
	assert.Zero(t, idle.Load())
	NewEngine(Options{}).Lend()() // nobody to lend to
}

func TestEngineOptions(t *testing.T) {
	e := NewEngine(Options{Precision: Float32, Idle: new(atomic.Int64)})
	e.InDouble(func() { assert.Equal(t, Float64, e.Precision()) })
	assert.Equal(t, Float32, e.Precision())
	_, _, ok := e.Reserve(1, 1<<27+1)
	assert.False(t, ok, "more than 1 GiB")
	e.Lend()
	assert.EqualValues(t, runtime.GOMAXPROCS(0), e.idle.Load(), "it has all processors")
}

func TestParallelPassesPanicsOn(t *testing.T) {
	eachOnce(t, 50, func(do func(i int)) { Parallel(50, do) })
	Parallel(0, func(int) { t.Error("no call was wanted") })
	assert.Panics(t, func() { Parallel(50, func(int) { panic("broken") }) })
}

// Products take idle processors while they run, and give them back, also if they panic.
func TestIdleProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var idle atomic.Int64
	idle.Store(2)
	e := NewEngine(Options{Threads: 1, Idle: &idle})
	least := int64(2)
	var mu sync.Mutex
	e.parallel(8, minParallelWork, func(int) {
		mu.Lock()
		defer mu.Unlock()
		least = min(least, idle.Load())
	})
	assert.Zero(t, least, "all of them help")
	assert.EqualValues(t, 2, idle.Load())
	e.parallel(2, minParallelWork, func(int) {
		mu.Lock()
		defer mu.Unlock()
		least = min(least, idle.Load())
		assert.EqualValues(t, 1, idle.Load(), "two jobs need one more")
	})
	e.parallel(8, 1, func(int) { assert.EqualValues(t, 2, idle.Load(), "a short region is not shared") })
	assert.Panics(t, func() { e.parallel(8, minParallelWork, func(i int) { panic("broken") }) })
	assert.EqualValues(t, 2, idle.Load())
	idle.Store(-1) // more cells than processors
	e.parallel(8, minParallelWork, func(int) {})
	assert.EqualValues(t, -1, idle.Load())
}
