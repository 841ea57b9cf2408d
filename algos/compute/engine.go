package compute

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

// An Engine runs operators on a number of threads and counts what they cost. One cell has one
// engine. Its methods may be called from one goroutine at a time.
type Engine struct {
	threads   int
	precision Precision
	counters  Counters
	cache     panelCache
	memory    int64         // for stored operators
	stored    *atomic.Int64 // bytes of it in use
	spare     any           // numbers of the operator released last, for one of the same size
	single    workspace[float32]
	double    workspace[float64]
}

// Options configure an engine.
type Options struct {
	Threads     int       // goroutines that compute; 0 means one per processor
	Precision   Precision // arithmetic of the operators; "" means Float64
	CacheBytes  int64     // memory for frequencies kept between uses; 0 means 64 MiB, negative none
	MemoryBytes int64     // memory for operators stored with Store; 0 means 1 GiB, negative none
}

// NewEngine returns an engine with its counters at zero.
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
		panic(fmt.Sprintf("compute: precision %q", o.Precision))
	}
	return &Engine{threads: o.Threads, precision: o.Precision, cache: panelCache{limit: o.CacheBytes}, memory: o.MemoryBytes, stored: new(atomic.Int64)}
}

// Precision is the arithmetic of the hot loops.
func (e *Engine) Precision() Precision { return e.precision }

// InDouble calls do, in which the engine computes in float64 whatever its precision.
func (e *Engine) InDouble(do func()) {
	defer func(p Precision) { e.precision = p }(e.precision)
	e.precision = Float64
	do()
}

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

// fork is the work, in multiplications, below which a region runs on the caller alone: a microsecond or so.
const fork = 1 << 16

// parallel calls do(0) … do(n-1), each once, on the engine's threads; work is a rough count of
// multiplications in all. The work of one call must not depend on another's; which goroutine runs it
// never shows in the result.
func (e *Engine) parallel(n, work int, do func(i int)) {
	threads := min(e.threads, n)
	if threads > 1 && work >= fork {
		threads = min(threads, runtime.GOMAXPROCS(0))
	}
	if threads <= 1 || work < fork {
		for i := range n {
			do(i)
		}
		return
	}
	workers.run(threads, n, do)
}

// An Operator is a matrix that is applied, not necessarily stored. Results share no memory with v or with
// what the operator was made of; those are only read, and may overlap.
type Operator interface {
	// Dims returns its shape.
	Dims() (r, c int)
	// MulTo sets dst (r×k) to A·v, with v c×k.
	MulTo(dst, v Matrix)
	// MulTransTo sets dst (c×k) to Aᵀ·v, with v r×k.
	MulTransTo(dst, v Matrix)
	// Select returns the operator whose row i is row rows[i] of this one.
	Select(rows []int) Operator
}

// An Argument is what a kernel is a function of.
type Argument int

const (
	SquaredDistance Argument = iota // ‖x - z‖²
	Distance1                       // ‖x - z‖₁
	InnerProduct                    // x·z
	ProductDistance                 // Π_l 1 + (x_l - z_l)²
	Pairwise                        // what the kernel's own Compare makes of two points
)

// A Scaled kernel takes its argument of the inputs multiplied by a number.
type Scaled interface {
	KernelFunc
	InputScale() float64
}

// A KernelFunc is a kernel k(x, z) = κ(s) of one number s. Apply and Apply32 are the tile hook of the
// operators: they are given a tile of s, which is never negative for distances, and for identical points
// exactly that of a point and itself: zero, or one for the product.
type KernelFunc interface {
	// Argument returns what s is.
	Argument() Argument
	// Apply replaces every s by κ(s).
	Apply(s []float64)
	// Apply32 is Apply in single precision.
	Apply32(s []float32)
}

// An ExponentialKernel is k(x, z) = 2^(a·s).
type ExponentialKernel interface {
	KernelFunc
	// Rate is a.
	Rate() float64
}

// A PairwiseKernel has an argument s(x, z) of its own. It is computed a point at a time, in Go: an order
// of magnitude slower than the other arguments.
type PairwiseKernel interface {
	KernelFunc
	// Compare sets s_j to s(a, b_j) for all j < len(s): component l of the point a is a[l], that of
	// the point b_j is b[l·len(s) + j].
	Compare(s, a, b []float64)
	// Compare32 is Compare in single precision.
	Compare32(s, a, b []float32)
}

// A Mapped kernel or feature map is a function of ψ(x) instead of x. Operators map their points when they
// are made, in float64, and hold what comes out.
type Mapped interface {
	// Map returns a new matrix whose row i is ψ(row i of x).
	Map(x Matrix) Matrix
}

// A Weighted kernel is w(x)·κ(s)·w(z): the last column of ψ(x) is w(x) and no part of the argument.
type Weighted interface {
	KernelFunc
	Mapped
	Weighted()
}

// A FeatureMap is an endless sequence of random features φ_ω(x) in blocks of Width. It is a ProjectionMap
// or an Evaluator.
type FeatureMap interface {
	// Width returns the number of features in a block.
	Width() int
}

// A ProjectionMap has features g(ω·x + b), functions of one projection each.
type ProjectionMap interface {
	FeatureMap
	// Draw makes block number i: column j of omega (inputs × Width) and phase[j] are feature j's.
	// The same block is always the same bits.
	Draw(i int, omega Matrix, phase []float64)
	// Activate is the tile hook: it replaces every ω·x + b by g(ω·x + b).
	Activate(z []float64)
	// Activate32 is Activate in single precision.
	Activate32(z []float32)
	// Stream identifies the sequence: two maps with equal, comparable streams draw the same.
	Stream() any
}

// A CosineMap is a ProjectionMap with features a·cos(2π(ω·x + b)).
type CosineMap interface {
	ProjectionMap
	// Amplitude is a.
	Amplitude() float64
}

// An Evaluator computes its features itself, in float64.
type Evaluator interface {
	FeatureMap
	// Evaluate sets phi (rows of x × Width) to block number i at the rows of x. Each row of the result
	// is a function of the same row of x alone. It is called from several goroutines at a time.
	Evaluate(i int, x, phi Matrix)
}

// A Range is the blocks lo ≤ i < hi.
type Range struct{ Lo, Hi int }
