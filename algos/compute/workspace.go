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
	evaluated buffer[T]     // of Engine.Evaluate
	scrap     scrap         // small matrices
	huge      []float64     // the largest matrix above mostLarge, until the engine retires
	panels    map[int][][]T // that no cache holds any more, by their size
	recycled  int           // numbers of panels
	tiles     sync.Pool     // of *tileSpace[T], one for each job that runs
}

// A tileSpace is the memory of one job.
type tileSpace[T simd.Float] struct {
	// tile holds run tiles below each other, turned one. They are separate allocations, which are aligned to cache
	// lines.
	tile, turned []T
	product      buffer[T]
	rows         buffer[T]   // of a panel before it is cut into strips
	point        buffer[T]   // of Pairs
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

// mostWaiting is the most numbers of a buffer that waits for an engine: one that needs more takes long anyway.
const mostWaiting = 1 << 17

// trim drops large memory, and reports whether it did.
func (b *buffer[T]) trim() bool {
	if cap(b.data) <= mostWaiting {
		return false
	}
	b.data = nil
	return true
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

// mostLeft is how many workspaces wait.
const mostLeft = 4

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

// leave leaves a workspace to later engines, without what is large: they may not need it.
func (l *leftSpaces[T]) leave(w *workspace[T]) {
	for _, p := range []*prepared[T]{&w.out, &w.in} {
		if p.data.trim() {
			p.panels = nil
		}
	}
	w.weights.trim()
	w.evaluated.trim()
	w.sums.trim()
	w.drawn.trim()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) < mostLeft {
		l.all = append(l.all, w)
	}
}

// spaceOf returns the engine's workspace for T.
func spaceOf[T simd.Float](e *Engine) *workspace[T] { return either[*workspace[T]](e.single, e.double) }

// scrap is memory of matrices that nobody uses any more, by the bits of its size.
type scrap [64][][]float64

// mostScrap is how many matrices of about the same size a scrap keeps.
const mostScrap = 3

// leave keeps data for a later matrix, in place of what has waited longest, whose size it returns.
func (s *scrap) leave(data []float64) (dropped int) {
	k := bits.Len(uint(cap(data)))
	if len(s[k]) == mostScrap {
		dropped = cap(s[k][0])
		s[k] = slices.Delete(s[k], 0, 1)
	}
	s[k] = append(s[k], data)
	return dropped
}

// take returns memory for n numbers, of which it uses at least a quarter, or nil if there is none.
func (s *scrap) take(n int) []float64 {
	for k := bits.Len(uint(n)); k <= bits.Len(uint(n))+1; k++ {
		for i := len(s[k]) - 1; i >= 0; i-- {
			if data := s[k][i]; cap(data) >= n {
				s[k] = slices.Delete(s[k], i, i+1)
				return data[:n]
			}
		}
	}
	return nil
}

// large is the scrap of all engines, for matrices of 1 MiB to 64 MiB: the next engine often has another workspace.
var large struct {
	mu sync.Mutex
	scrap
	numbers int // of all
}

const leastLarge, mostLarge = 1 << 17, 1 << 23

// mostKept is the most numbers of all large matrices that wait.
const mostKept = 1 << 23

// keepLarge keeps data for a later matrix of any engine, and drops the largest while there are too many.
func keepLarge(data []float64) {
	large.mu.Lock()
	defer large.mu.Unlock()
	large.numbers += cap(data) - large.leave(data)
	for k := len(large.scrap) - 1; large.numbers > mostKept; {
		if len(large.scrap[k]) == 0 {
			k--
			continue
		}
		large.numbers -= cap(large.scrap[k][0])
		large.scrap[k] = slices.Delete(large.scrap[k], 0, 1)
	}
}

// takeLarge returns memory for n numbers that keepLarge kept, or nil.
func takeLarge(n int) []float64 {
	large.mu.Lock()
	defer large.mu.Unlock()
	data := large.take(n)
	large.numbers -= cap(data)
	return data
}

// Forget drops the memory that retired engines left.
func Forget() {
	left32.forget()
	left64.forget()
	large.mu.Lock()
	defer large.mu.Unlock()
	large.scrap, large.numbers = scrap{}, 0
}

func (l *leftSpaces[T]) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = nil
}

// Reuse lets a matrix that KernelMatrix, FeatureMatrix, Mul, Unset or Zeroed returns later have the memory of m, which nobody may use any
// more.
func (e *Engine) Reuse(m Matrix) {
	poison(m.Data)
	switch n := cap(m.Data); {
	case n < leastLarge:
		e.double.scrap.leave(m.Data)
	case n <= mostLarge:
		keepLarge(m.Data)
	case n > cap(e.double.huge):
		e.double.huge = m.Data
	}
}

// Unset returns a matrix with arbitrary entries, in memory given to Reuse if some fits.
func (e *Engine) Unset(rows, cols int) Matrix {
	n := rows * cols
	var data []float64
	if n > 0 && n < leastLarge {
		data = e.double.scrap.take(n)
	}
	if huge := e.double.huge; n > mostLarge/2 && n <= cap(huge) {
		data, e.double.huge = huge[:n], nil
	}
	if data == nil && n >= leastLarge/4 {
		data = takeLarge(n)
	}
	if data == nil {
		return NewMatrix(rows, cols)
	}
	return Matrix{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// Zeroed returns a matrix of zeros, in memory given to Reuse if some fits.
func (e *Engine) Zeroed(rows, cols int) Matrix {
	m := e.Unset(rows, cols)
	m.Zero()
	return m
}

// panel returns memory for a panel that a cache will hold.
func (w *workspace[T]) panel(size int) []T {
	if n := len(w.panels[size]); n > 0 {
		p := w.panels[size][n-1]
		w.panels[size] = w.panels[size][:n-1]
		w.recycled -= size
		return p
	}
	return make([]T, size)
}

// mostRecycled bounds the numbers of the panels that wait for a cache.
const mostRecycled = 1 << 21

// recycle keeps the memory of a panel that no cache holds any more.
func (w *workspace[T]) recycle(p []T) {
	if w.recycled+len(p) > mostRecycled {
		clear(w.panels)
		w.recycled = 0
	}
	if w.panels == nil {
		w.panels = map[int][][]T{}
	}
	w.panels[len(p)] = append(w.panels[len(p)], p)
	w.recycled += len(p)
}

// tileSpace returns memory for one job; giveBack returns it to the workspace.
func (w *workspace[T]) tileSpace() *tileSpace[T] {
	if s := w.tiles.Get(); s != nil {
		return s.(*tileSpace[T])
	}
	return &tileSpace[T]{tile: make([]T, run*width*width), turned: make([]T, width*width)}
}

func (w *workspace[T]) giveBack(s *tileSpace[T]) { w.tiles.Put(s) }
