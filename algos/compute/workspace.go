package compute

import (
	"math/bits"
	"sync"

	"repro/algos/compute/internal/simd"
)

// A workspace is the memory that an engine's operations in one precision reuse.
type workspace[T simd.Float] struct {
	out, in   prepared[T]
	weights   buffer[T]
	sums      buffer[float64]
	evaluated buffer[T]     // of Engine.Evaluate
	scrap     [64][]float64 // of matrices given to Reuse, by the bits of their size
	tiles     sync.Pool     // of *tileSpace[T], one for each job that runs
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

// left32 and left64 are the workspaces of retired engines.
var (
	left32 = sync.Pool{New: func() any { return new(workspace[float32]) }}
	left64 = sync.Pool{New: func() any { return new(workspace[float64]) }}
)

// spaceOf returns the engine's workspace for T.
func spaceOf[T simd.Float](e *Engine) *workspace[T] {
	if w, ok := any(e.single).(*workspace[T]); ok {
		return w
	}
	return any(e.double).(*workspace[T])
}

// Reuse lets a matrix that KernelMatrix or FeatureMatrix returns later have the memory of m, which nobody may use any more.
func (e *Engine) Reuse(m Matrix) {
	e.double.scrap[bits.Len(uint(cap(m.Data)))] = m.Data
}

// unset returns a matrix with arbitrary entries, in memory given to Reuse if that fits and at least a quarter of it is used.
func (e *Engine) unset(rows, cols int) Matrix {
	n := rows * cols
	for size := bits.Len(uint(n)); n > 0 && size <= bits.Len(uint(n))+1; size++ {
		if scrap := &e.double.scrap[size]; cap(*scrap) >= n {
			data := (*scrap)[:n]
			*scrap = nil
			return Matrix{Rows: rows, Cols: cols, Stride: cols, Data: data}
		}
	}
	return NewMatrix(rows, cols)
}

// tileSpace returns memory for one job; giveBack returns it to the workspace.
func (w *workspace[T]) tileSpace() *tileSpace[T] {
	if s := w.tiles.Get(); s != nil {
		return s.(*tileSpace[T])
	}
	return &tileSpace[T]{tile: make([]T, run*width*width), turned: make([]T, width*width)}
}

func (w *workspace[T]) giveBack(s *tileSpace[T]) { w.tiles.Put(s) }
