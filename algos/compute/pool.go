package compute

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A pool is a set of goroutines, the helpers, that wait for parallel regions. To start a goroutine or to wake a sleeping
// one takes tens of microseconds, and the operating system may place the woken thread on the processor of its waker,
// where it runs only after the region is over. Therefore a helper spins for a while after a region. Regions that follow
// soon, as those of the steps of a method do, find it awake. After that it sleeps.
//
// The calling goroutine computes too, and all take one job at a time, so that a late helper costs no more than a
// missing one.
type pool struct {
	mu      sync.Mutex // one region at a time
	helpers []*helper
}

// spin is how long a helper spins before it sleeps: longer than the serial parts of a step, too short to be noticed in an
// idle program.
const spin = 500 * time.Microsecond

// workers is the pool of the whole process. All engines share it because they share its processors.
var workers pool

type helper struct {
	job    atomic.Pointer[region]
	asleep atomic.Bool
	wake   chan struct{}
}

// A region is one parallel loop: do(0) … do(n-1).
type region struct {
	do      func(i int)
	n       int64
	next    atomic.Int64
	running atomic.Int32 // helpers not finished with the region
}

// work runs iterations of the loop until none is left.
func (r *region) work() {
	for i := r.next.Add(1) - 1; i < r.n; i = r.next.Add(1) - 1 {
		r.do(int(i))
	}
}

// run calls do(0) … do(n-1) on the calling goroutine and up to threads-1 helpers.
func (p *pool) run(threads, n int, do func(i int)) {
	if !p.mu.TryLock() { // another engine uses the helpers: do not wait for them
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

// end waits until all helpers have finished the region, and unlocks the pool. It withdraws the region from helpers that
// have not begun it. If the caller panics, the remaining iterations are not run.
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

// take waits for a region, first spinning, then asleep.
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
				continue // a region arrived just before asleep was set
			}
			<-h.wake
			deadline = time.Time{}
		}
	}
}
