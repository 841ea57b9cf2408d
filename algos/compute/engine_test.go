package compute

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestParallelDoesEverythingOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 16} {
		e := NewEngine(Options{Threads: threads})
		for _, n := range []int{0, 1, 2, 15, 1000} {
			done := make([]int32, n)
			e.parallel(n, func(i int) { atomic.AddInt32(&done[i], 1) })
			for i, d := range done {
				assert.EqualValues(t, 1, d, "%d threads, %d tasks, task %d", threads, n, i)
			}
		}
	}
}

// TestThreadsIsALimit samples the number of goroutines while operators run: there must never be
// more than the engine was given.
func TestThreadsIsALimit(t *testing.T) {
	x, v, wide := random("x", 600, 40, 0), random("v", 2000, 2, 0), random("w", 2000, 300, 0)
	for _, threads := range []int{1, 2} {
		e := NewEngine(Options{Threads: threads})
		before := runtime.NumGoroutine()
		var most atomic.Int64
		var stop atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			for !stop.Load() {
				most.Store(max(most.Load(), int64(runtime.NumGoroutine())))
				time.Sleep(50 * time.Microsecond)
			}
		}()
		features := e.Features(plainMap{1000}, x, Range{0, 2})
		features.MulTo(NewMatrix(600, 2), v)
		features.MulTransTo(NewMatrix(2000, 300), random("u", 600, 300, 0))
		e.FeatureMatrix(plainMap{1000}, x, Range{0, 2})
		e.KernelMatrix(plainKernel{}, x, x)
		e.Mul(wide, wide, true)
		stop.Store(true)
		<-done
		// The sampler itself and the workers besides the calling goroutine.
		assert.LessOrEqual(t, int(most.Load())-before, threads, "%d threads", threads)
	}
}

// plainMap has features ω·x with ω = 0.
type plainMap struct{ width int }

func (m plainMap) Width() int                  { return m.width }
func (m plainMap) Stream() any                 { return m }
func (m plainMap) Draw(int, Matrix, []float64) {}
func (m plainMap) Activate([]float64)          {}

// plainKernel is the squared distance.
type plainKernel struct{}

func (plainKernel) Apply([]float64) {}

func TestCounterArithmetic(t *testing.T) {
	a, b := Counters{1, 2, 3, 4}, Counters{10, 20, 30, 40}
	assert.Equal(t, Counters{11, 22, 33, 44}, a.Add(b))
	assert.Equal(t, a, a.Add(b).Sub(b))
}

func TestDefaults(t *testing.T) {
	e := NewEngine(Options{})
	assert.Equal(t, runtime.GOMAXPROCS(0), e.threads)
	assert.EqualValues(t, 64<<20, e.cache.limit)
	assert.Equal(t, "float64", e.Precision())
	assert.Equal(t, Counters{}, e.Counters())
}
