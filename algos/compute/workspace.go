package compute

import (
	"math/bits"
	"slices"
	"sync"

	"repro/algos/compute/internal/simd"
)

// A workspace is the memory that an engine's operations in one precision reuse.
type workspace[T simd.Float] struct {
	out, in   prepared[T]
	weights   buffer[T]
	sums      buffer[float64]
	product   *product[T] // that is done; may be nil
	gemm      *gemm[T]    // the same
	drawn     buffer[float64]
	evaluated buffer[T]       // of Engine.Evaluate
	scrap     [64][][]float64 // of matrices given to Reuse, by the bits of their size
	panels    map[int][][]T   // that no cache holds any more, by their size
	tiles     sync.Pool       // of *tileSpace[T], one for each job that runs
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
	left32 leftSpaces[float32]
	left64 leftSpaces[float64]
)

// leftSpaces are workspaces that wait for an engine, the last one on top. A sync.Pool would lose them at the next collections,
// which come several times a second.
type leftSpaces[T simd.Float] struct {
	mu  sync.Mutex
	all []*workspace[T]
}

const (
	mostLeft  = 8  // workspaces
	leftScrap = 23 // bits of the size of a matrix that is too large to keep: 2^22 numbers are 32 MiB
)

// take returns the last workspace that was left, or a new one.
func (l *leftSpaces[T]) take() *workspace[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.all) - 1
	if n < 0 {
		return new(workspace[T])
	}
	w := l.all[n]
	l.all = l.all[:n]
	return w
}

// leave leaves a workspace to later engines.
func (l *leftSpaces[T]) leave(w *workspace[T]) {
	clear(w.scrap[leftScrap:])
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) < mostLeft {
		l.all = append(l.all, w)
	}
}

// spaceOf returns the engine's workspace for T.
func spaceOf[T simd.Float](e *Engine) *workspace[T] {
	if w, ok := any(e.single).(*workspace[T]); ok {
		return w
	}
	return any(e.double).(*workspace[T])
}

// mostScrap is how many matrices of about the same size Reuse keeps.
const mostScrap = 3

// Reuse lets a matrix that KernelMatrix, FeatureMatrix or Mul returns later have the memory of m, which nobody may use any more.
func (e *Engine) Reuse(m Matrix) {
	if s := &e.double.scrap[bits.Len(uint(cap(m.Data)))]; len(*s) < mostScrap {
		*s = append(*s, m.Data)
	}
}

// unset returns a matrix with arbitrary entries, in memory given to Reuse if that fits and at least a quarter of it is used.
func (e *Engine) unset(rows, cols int) Matrix {
	n := rows * cols
	for size := bits.Len(uint(n)); n > 0 && size <= bits.Len(uint(n))+1; size++ {
		scrap := &e.double.scrap[size]
		for i := len(*scrap) - 1; i >= 0; i-- {
			if data := (*scrap)[i]; cap(data) >= n {
				*scrap = slices.Delete(*scrap, i, i+1)
				return Matrix{Rows: rows, Cols: cols, Stride: cols, Data: data[:n]}
			}
		}
	}
	return NewMatrix(rows, cols)
}

// zeroed is unset with entries 0.
func (e *Engine) zeroed(rows, cols int) Matrix {
	m := e.unset(rows, cols)
	m.Zero()
	return m
}

// panel returns memory for a panel that a cache will hold.
func (w *workspace[T]) panel(size int) []T {
	if n := len(w.panels[size]); n > 0 {
		p := w.panels[size][n-1]
		w.panels[size] = w.panels[size][:n-1]
		return p
	}
	return make([]T, size)
}

// tileSpace returns memory for one job; giveBack returns it to the workspace.
func (w *workspace[T]) tileSpace() *tileSpace[T] {
	if s := w.tiles.Get(); s != nil {
		return s.(*tileSpace[T])
	}
	return &tileSpace[T]{tile: make([]T, run*width*width), turned: make([]T, width*width)}
}

func (w *workspace[T]) giveBack(s *tileSpace[T]) { w.tiles.Put(s) }
