package compute

import (
	"fmt"
	"runtime"
	"runtime/debug"
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
	stop    *atomic.Bool // if it becomes true, the remaining iterations are not run
	next    atomic.Int64
	running atomic.Int32          // helpers not finished with the region
	failed  atomic.Pointer[Panic] // the first panic on a helper
}

// A Panic is what a parallel region panics with on the calling goroutine if one of its iterations panicked on another one.
type Panic struct {
	Value any    // what the iteration panicked with
	Stack []byte // of the goroutine that the iteration ran on
}

// Error returns the text of the value.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// work runs iterations of the loop until none is left.
func (r *region) work() {
	for i := r.next.Add(1) - 1; i < r.n && !r.stop.Load(); i = r.next.Add(1) - 1 {
		r.do(int(i))
	}
}

// help is work on a helper. It catches a panic and ends the loop, so that the caller can pass the panic on.
func (r *region) help() {
	defer r.running.Add(-1)
	defer func() {
		if v := recover(); v != nil {
			r.next.Store(r.n)
			r.failed.CompareAndSwap(nil, &Panic{v, debug.Stack()})
		}
	}()
	r.work()
}

// run calls do(0) … do(n-1) on the calling goroutine and up to threads-1 helpers. If stop becomes true, it leaves out the
// remaining calls. If a call panics, run panics, on a helper's behalf with a *Panic.
func (p *pool) run(threads, n int, stop *atomic.Bool, do func(i int)) {
	if !p.mu.TryLock() { // another engine uses the helpers: do not wait for them
		for i := 0; i < n && !stop.Load(); i++ {
			do(i)
		}
		return
	}
	r := &region{do: do, n: int64(n), stop: stop}
	p.share(threads, r)
	if failed := r.failed.Load(); failed != nil {
		panic(failed)
	}
}

// share runs a region on the calling goroutine and threads-1 helpers, and unlocks the pool.
func (p *pool) share(threads int, r *region) {
	for len(p.helpers) < threads-1 {
		h := &helper{wake: make(chan struct{}, 1)}
		p.helpers = append(p.helpers, h)
		go h.loop()
	}
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
			r.help()
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
