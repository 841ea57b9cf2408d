package compute

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"repro/algos/compute/internal/simd"
)

// An Engine applies operators on a number of threads and counts their cost. Each cell of an experiment has its own
// engine. Only one goroutine at a time may call its methods.
type Engine struct {
	threads   int
	precision Precision
	counters  Counters
	cache     panelCache
	idle      *atomic.Int64 // processors that nobody uses; may be nil
	stop      *atomic.Bool
	memory    int64         // for stored operators
	stored    *atomic.Int64 // bytes of memory in use
	spare     any           // data of the last released operator, reused by the next one of the same size
	single    *workspace[float32]
	double    *workspace[float64]
	zeros     []float64 // what noShift returns
	device    Device
}

// Options configure an engine.
type Options struct {
	Threads     int       // goroutines that compute; 0 means GOMAXPROCS
	Precision   Precision // arithmetic of the operators; "" means Float64
	CacheBytes  int64     // limit of the cache of random frequencies; 0 means 64 MiB, negative disables it
	MemoryBytes int64     // limit of the operators stored by Store; 0 means 1 GiB, negative disables Store

	// Idle is the number of processors that nobody uses, shared by engines. A product takes them in addition to Threads and gives
	// them back. It may be nil.
	Idle *atomic.Int64

	// Device, if set, returns what computes instead of the host.
	Device func(host Device) Device

	// Stop ends what the engine computes: once it is true, operators panic with ErrStopped before their next tile. Any
	// goroutine may set it. It may be nil.
	Stop *atomic.Bool
}

// ErrStopped is what the operators of an engine panic with after Options.Stop was set, itself or in a Panic.
var ErrStopped = errors.New("compute: the engine was stopped")

// NewEngine returns an engine whose counters are zero. It panics if the precision is unknown.
func NewEngine(o Options) *Engine {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	if o.MemoryBytes == 0 {
		o.MemoryBytes = 1 << 30
	}
	switch o.Precision {
	case "":
		o.Precision = Float64
	case Float32, Float64:
	default:
		panic(fmt.Sprintf("compute: NewEngine: unknown precision %q", o.Precision))
	}
	if o.Stop == nil {
		o.Stop = new(atomic.Bool)
	}
	e := &Engine{
		threads: o.Threads, idle: o.Idle, precision: o.Precision, stop: o.Stop, cache: panelCache{limit: o.CacheBytes}, memory: o.MemoryBytes, stored: new(atomic.Int64),
		single: left32.take(), double: left64.take(),
	}
	e.device = (*host)(e)
	if o.Device != nil {
		e.device = o.Device(e.device)
	}
	return e
}

// Retire leaves the memory that operations of the engine reuse to engines made later. The engine can still be used.
func (e *Engine) Retire() {
	e.cache.recycle(e.single, e.double)
	e.double.huge = nil
	left32.leave(e.single)
	left64.leave(e.double)
	e.single, e.double = new(workspace[float32]), new(workspace[float64])
}

// Precision returns the floating-point type in which operators compute.
func (e *Engine) Precision() Precision { return e.precision }

// InDouble calls do. Until do returns, the engine computes in float64 whatever its precision.
func (e *Engine) InDouble(do func()) {
	defer func(p Precision) { e.precision = p }(e.precision)
	e.precision = Float64
	do()
}

// Counters are the machine-independent costs of an engine's operations.
type Counters struct {
	KernelEvals  int64 // evaluations of k(x, z)
	FeatureEvals int64 // evaluations of φ_ω(x)
	Flops        int64 // additions and multiplications of the operators, without transcendental functions
	Bytes        int64 // bytes of operands and results, counted once per operator call
}

// Counters returns the costs since NewEngine.
func (e *Engine) Counters() Counters { return e.counters }

// count adds the cost of an operation that has ended.
func (e *Engine) count(c Counters) {
	e.counters = e.counters.Add(c)
	e.mustGoOn()
}

// mustGoOn panics with ErrStopped if the engine is stopped.
func (e *Engine) mustGoOn() {
	if e.stop.Load() {
		panic(ErrStopped)
	}
}

// Sub returns c - d, field by field.
func (c Counters) Sub(d Counters) Counters {
	return Counters{c.KernelEvals - d.KernelEvals, c.FeatureEvals - d.FeatureEvals, c.Flops - d.Flops, c.Bytes - d.Bytes}
}

// Add returns c + d, field by field.
func (c Counters) Add(d Counters) Counters {
	return Counters{c.KernelEvals + d.KernelEvals, c.FeatureEvals + d.FeatureEvals, c.Flops + d.Flops, c.Bytes + d.Bytes}
}

// minParallelWork is the number of multiplications, about a microsecond's, below which a parallel region runs on the
// caller only.
const minParallelWork = 1 << 16

// parallel calls do(0) … do(n-1), each once, on the engine's threads and idle processors, also those that become idle while it
// has one thread; work estimates the multiplications of all calls together. The calls must be independent, so that the result
// does not depend on which goroutine runs which. It panics with ErrStopped if the engine is stopped meanwhile, and with what a
// call panics with.
func (e *Engine) parallel(n, work int, do func(i int)) {
	eachJob(e, n, work, do, func(do func(i int), i int) { do(i) })
}

// eachJob is parallel for a function of nothing but of and the job: a region that is not shared, of which there are many, then
// allocates nothing.
func eachJob[A any](e *Engine, n, work int, of A, do func(of A, job int)) {
	for job := 0; job < n && !e.stop.Load(); job++ {
		if work >= minParallelWork && n-job > 1 && e.mayShare() && shareJobs(e, job, n, of, do) {
			break
		}
		do(of, job)
	}
	e.mustGoOn()
}

// mayShare reports whether the engine has several threads, or there are idle processors.
func (e *Engine) mayShare() bool { return e.threads > 1 || e.idle != nil && e.idle.Load() > 0 }

// shareJobs makes the jobs from first on with several threads, if it can, and reports whether it did. It is not inlined, because
// it moves of to the heap.
//
//go:noinline
func shareJobs[A any](e *Engine, first, n int, of A, do func(of A, job int)) bool {
	n -= first
	threads := min(e.threads, n)
	more := e.takeIdle(n - threads)
	if more > 0 {
		defer e.idle.Add(int64(more))
	}
	if threads = min(threads+more, runtime.GOMAXPROCS(0)); threads <= 1 {
		return false
	}
	workers.run(threads, n, e.stop, func(job int) { do(of, first+job) })
	return true
}

// Lend leaves the processors of an engine that waits to the engines that share its Idle, until back is called.
func (e *Engine) Lend() (back func()) {
	if e.idle == nil {
		return func() {}
	}
	e.idle.Add(int64(e.threads))
	return func() { e.idle.Add(-int64(e.threads)) }
}

// Parallel calls do(0) … do(n-1), each once, on all processors, or on the calling goroutine alone while an engine uses the
// others. The calls must be independent. It panics with what a call panics with, of another goroutine with a *Panic.
func Parallel(n int, do func(i int)) {
	workers.run(max(1, min(n, runtime.GOMAXPROCS(0))), n, new(atomic.Bool), do)
}

// takeIdle takes idle processors, at most the given number, and returns how many.
func (e *Engine) takeIdle(most int) int {
	if e.idle == nil || most <= 0 {
		return 0
	}
	for {
		idle := e.idle.Load()
		take := min(idle, int64(most))
		if take <= 0 {
			return 0
		}
		if e.idle.CompareAndSwap(idle, idle-take) {
			return int(take)
		}
	}
}

// A Precision is the floating-point type in which operators compute. Matrices are float64 in either.
type Precision string

// The precisions. In Float32, operands are rounded to float32 when they are packed, and sums over more than 96 points
// continue in float64. Products of matrices with few columns (see Engine.Gemm) are computed in float64 in either.
const (
	Float64 Precision = "float64"
	Float32 Precision = "float32"
)

// sizeof returns the bytes of an element.
func sizeof[T simd.Float]() int { return int(unsafe.Sizeof(T(0))) }

// ISA returns the instruction set in use: "avx512", "avx2" or "generic", after the device that REPRO_DEVICE names if it is set. The
// environment variable REPRO_CPU selects one; it has no effect if the processor lacks it.
func ISA() string {
	if chosen != "" {
		return chosen + ", " + simd.ISA()
	}
	return simd.ISA()
}

// Processor returns the model name of the processor from /proc/cpuinfo, or GOARCH if there is none.
func Processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
