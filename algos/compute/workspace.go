package compute

import (
	"sync"

	"repro/algos/compute/internal/simd"
)

// A workspace is the memory that an engine's operations in one precision reuse.
type workspace[T simd.Float] struct {
	out, in   prepared[T]
	weights   buffer[T]
	sums      buffer[float64]
	evaluated buffer[T] // of Engine.Evaluate
	tiles     sync.Pool // of *tileSpace[T], one for each job that runs
}

// A tileSpace is the memory of one job.
type tileSpace[T simd.Float] struct {
	// tile holds run tiles below each other, turned one. They are separate allocations, which are aligned to cache
	// lines.
	tile, turned []T
	product      buffer[T]
	rows         buffer[T]   // of a panel before it is cut into strips
	point        buffer[T]   // of a PairwiseKernel
	out, in      prepared[T] // of a symmetric product
}

// A buffer is memory that grows on demand.
type buffer[T simd.Float] struct{ data []T }

// get returns n elements with arbitrary content. A buffer that is asked for a little more at every step grows by a half, so
// that few steps allocate.
func (b *buffer[T]) get(n int) []T {
	if cap(b.data) < n {
		b.data = make([]T, max(n, cap(b.data)/2*3))
	}
	return b.data[:n]
}

// spaceOf returns the engine's workspace for T.
func spaceOf[T simd.Float](e *Engine) *workspace[T] {
	if w, ok := any(&e.single).(*workspace[T]); ok {
		return w
	}
	return any(&e.double).(*workspace[T])
}

// tileSpace returns memory for one job; giveBack returns it to the workspace.
func (w *workspace[T]) tileSpace() *tileSpace[T] {
	if s := w.tiles.Get(); s != nil {
		return s.(*tileSpace[T])
	}
	return &tileSpace[T]{tile: make([]T, run*width*width), turned: make([]T, width*width)}
}

func (w *workspace[T]) giveBack(s *tileSpace[T]) { w.tiles.Put(s) }
