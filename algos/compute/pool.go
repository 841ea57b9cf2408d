package compute

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A pool is goroutines that wait for parallel regions. Starting a goroutine, or waking one that sleeps,
// costs tens of microseconds, and the scheduler of the operating system may place the woken thread on the
// processor of the one that woke it, where it runs only after the region is over. So a helper that has
// finished a region spins for a while: regions that follow each other closely, as the steps of a method
// do, find it awake. After that it sleeps and costs nothing.
//
// The caller always takes part and hands out the work in pieces, so that a helper that comes late costs
// no more than its absence.
type pool struct {
	mu      sync.Mutex // one region at a time
	helpers []*helper
}

// spin is how long a helper waits awake. It bridges the serial parts of a step, and is short beside what
// anybody notices of an idle program.
const spin = 500 * time.Microsecond

// helpers of the whole process: engines share them, for they share its processors.
var workers pool

type helper struct {
	job    atomic.Pointer[region]
	asleep atomic.Bool
	wake   chan struct{}
}

// A region is one parallel loop.
type region struct {
	do      func(i int)
	n       int64
	next    atomic.Int64
	running atomic.Int32 // helpers that have not finished
}

func (r *region) work() {
	for i := r.next.Add(1) - 1; i < r.n; i = r.next.Add(1) - 1 {
		r.do(int(i))
	}
}

// run calls do(0) … do(n-1) on the calling goroutine and up to threads-1 helpers.
func (p *pool) run(threads, n int, do func(i int)) {
	if !p.mu.TryLock() { // another engine computes: do not wait for its helpers
		for i := range n {
			do(i)
		}
		return
	}
	for len(p.helpers) < threads-1 {
		h := &helper{wake: make(chan struct{}, 1)}
		p.helpers = append(p.helpers, h)
		go h.loop()
	}
	r := &region{do: do, n: int64(n)}
	r.running.Store(int32(threads - 1))
	defer p.end(r, threads-1)
	for _, h := range p.helpers[:threads-1] {
		h.job.Store(r)
		if h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
	r.work()
}

// end waits for the helpers of a region that has no work left, or whose caller panics, and frees the pool.
// It takes the region back from helpers that have not begun it.
func (p *pool) end(r *region, helpers int) {
	r.next.Store(r.n)
	for _, h := range p.helpers[:helpers] {
		if h.job.CompareAndSwap(r, nil) {
			r.running.Add(-1)
		}
	}
	for i := 0; r.running.Load() > 0; i++ {
		if i > 1000 {
			runtime.Gosched()
		}
	}
	p.mu.Unlock()
}

func (h *helper) loop() {
	for {
		if r := h.take(); r != nil {
			r.work()
			r.running.Add(-1)
		}
	}
}

// take waits for a region.
func (h *helper) take() *region {
	var deadline time.Time
	for i := 1; ; i++ {
		if h.job.Load() != nil {
			return h.job.Swap(nil)
		}
		if i%64 != 0 {
			continue
		}
		switch now := time.Now(); {
		case deadline.IsZero():
			deadline = now.Add(spin)
		case now.After(deadline):
			h.asleep.Store(true)
			if h.job.Load() != nil && h.asleep.CompareAndSwap(true, false) {
				continue // it came between the last look and falling asleep
			}
			<-h.wake
			deadline = time.Time{}
		}
	}
}
