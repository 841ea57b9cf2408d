package compute

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// panicOf returns what do panics with.
func panicOf(do func()) (v any) {
	defer func() { v = recover() }()
	do()
	return nil
}

// TestAPanicReachesTheCaller panics in one job after another, on whichever goroutine runs it. Nothing of the region goes on
// afterwards, and the pool works.
func TestAPanicReachesTheCaller(t *testing.T) {
	var p pool
	helped, own := 0, 0
	var running atomic.Int64
	for bad := 0; bad < 200; bad += 3 {
		v := panicOf(func() {
			p.run(4, 200, new(atomic.Bool), func(i int) {
				running.Add(1)
				defer running.Add(-1)
				time.Sleep(20 * time.Microsecond)
				if i == bad {
					var none []int
					_ = none[i]
				}
			})
		})
		require.NotNil(t, v)
		require.Zero(t, running.Load())
		require.True(t, p.mu.TryLock(), "the pool is locked")
		p.mu.Unlock()
		err, ok := v.(error)
		require.True(t, ok)
		var index runtime.Error
		require.ErrorAs(t, err, &index)
		assert.Contains(t, err.Error(), "index out of range")
		if of, ok := v.(*Panic); ok {
			helped++
			assert.Contains(t, string(of.Stack), "TestAPanicReachesTheCaller", "the stack is that of the job")
		} else {
			own++
		}
		mustDoOnce(t, &p, 4, 10)
	}
	assert.Positive(t, own)
	t.Logf("%d panics were on a helper, %d on the caller", helped, own)
}

// A stopped engine leaves the product that it computes within a few tiles, and computes nothing after it.
func TestStop(t *testing.T) {
	for _, threads := range []int{1, 3} {
		var stop atomic.Bool
		e := NewEngine(Options{Threads: threads, Stop: &stop})
		done := atomic.Int64{}
		v := panicOf(func() {
			e.parallel(1<<20, minParallelWork, func(int) {
				if done.Add(1) == 100 {
					stop.Store(true)
				}
			})
		})
		require.Equal(t, ErrStopped, v)
		assert.Less(t, done.Load(), int64(200))
		a := NewMatrix(300, 300)
		assert.Equal(t, ErrStopped, panicOf(func() { e.Gemm(a, 1, a, false, a, false, 0) }))
	}
}
