package compute

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// An Engine runs operators on a number of threads and counts what they cost. One cell has one
// engine. Its methods may be called from one goroutine at a time.
type Engine struct {
	threads  int
	counters Counters
	cache    blockCache
}

// Options configure an engine.
type Options struct {
	Threads    int   // goroutines that compute; 0 means one per processor
	CacheBytes int64 // memory for frequencies kept between uses; 0 means 64 MiB, negative none
}

// NewEngine returns an engine with its counters at zero.
func NewEngine(o Options) *Engine {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	return &Engine{threads: o.Threads, cache: blockCache{limit: o.CacheBytes}}
}

// Precision is the arithmetic of the hot loops.
func (e *Engine) Precision() string { return "float64" }

// Counters are costs that hold on any machine.
type Counters struct {
	KernelEvals  int64 // k(x, z)
	FeatureEvals int64 // φ_ω(x)
	Flops        int64 // additions and multiplications of the operators, transcendentals apart
	Bytes        int64 // operands and results moved, counted once an operator call
}

// Counters returns what the engine has spent since it was made.
func (e *Engine) Counters() Counters { return e.counters }

// Sub returns c - d.
func (c Counters) Sub(d Counters) Counters {
	return Counters{c.KernelEvals - d.KernelEvals, c.FeatureEvals - d.FeatureEvals, c.Flops - d.Flops, c.Bytes - d.Bytes}
}

// Add returns c + d.
func (c Counters) Add(d Counters) Counters {
	return Counters{c.KernelEvals + d.KernelEvals, c.FeatureEvals + d.FeatureEvals, c.Flops + d.Flops, c.Bytes + d.Bytes}
}

// parallel calls do(0) … do(n-1), each once, on the engine's threads. The work of one call must
// not depend on another's; which goroutine runs it never shows in the result.
func (e *Engine) parallel(n int, do func(i int)) {
	workers := min(e.threads, n)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	loop := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			do(int(i))
		}
	}
	for range workers - 1 {
		wg.Go(loop)
	}
	loop()
	wg.Wait()
}

// An Operator is a matrix that is applied, not necessarily stored.
type Operator interface {
	// Dims returns its shape.
	Dims() (r, c int)
	// MulTo sets dst (r×k) to A·v, with v c×k.
	MulTo(dst, v Matrix)
	// MulTransTo sets dst (c×k) to Aᵀ·v, with v r×k.
	MulTransTo(dst, v Matrix)
}

// A KernelFunc is an isotropic kernel k(x, z) = κ(‖x - z‖²).
type KernelFunc interface {
	// Apply replaces squared distances by kernel values.
	Apply(d2 []float64)
}

// A FeatureMap is an endless sequence of random features φ_ω(x) = g(ω·x + b) in blocks of Width.
type FeatureMap interface {
	// Width returns the number of features in a block.
	Width() int
	// Draw makes block number i: column j of omega (inputs × Width) and phase[j] are feature j's.
	// The same block is always the same bits.
	Draw(i int, omega Matrix, phase []float64)
	// Activate replaces ω·x + b by g(ω·x + b).
	Activate(z []float64)
	// Stream identifies the sequence: two maps with equal, comparable streams draw equal blocks.
	Stream() any
}

// A Range is the blocks lo ≤ i < hi.
type Range struct{ Lo, Hi int }

// Tile sizes. A tile of 32 rows and 512 columns is 128 KiB, within the second-level cache; results
// depend on them in the last bits, so they are constants.
const (
	tileRows   = 32
	tileCols   = 512
	panelBytes = 4 << 20 // frequencies or centres prepared at a time
)

func tiles(n, size int) int { return (n + size - 1) / size }
