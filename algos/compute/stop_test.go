package compute

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// panicOf returns what do panics with.
func panicOf(do func()) (v any) {
	defer func() { v = recover() }()
	do()
	return nil
}

// TestAPanicReachesTheCaller panics in every job in turn, on whichever goroutine runs it. The pool works afterwards.
func TestAPanicReachesTheCaller(t *testing.T) {
	var p pool
	helped := 0
	for bad := range 200 {
		v := panicOf(func() {
			p.run(4, 200, new(atomic.Bool), func(i int) {
				runtime.Gosched()
				if i == bad {
					var none []int
					_ = none[i]
				}
			})
		})
		require.NotNil(t, v)
		err, ok := v.(error)
		require.True(t, ok)
		var index runtime.Error
		require.ErrorAs(t, err, &index)
		assert.Contains(t, err.Error(), "index out of range")
		if own, ok := v.(*Panic); ok {
			helped++
			assert.Contains(t, string(own.Stack), "TestAPanicReachesTheCaller", "the stack is that of the job")
		}
	}
	mustDoOnce(t, &p, 4, 1000)
	t.Logf("%d of 200 panics were on a helper", helped)
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
