package compute

import (
	"fmt"
	"sync"

	"repro/algos/compute/internal/simd"
)

// A Precision is the arithmetic of the hot loops. Matrices are float64 whatever it is.
type Precision string

// The precisions. In float32, operands are rounded when they are packed, and sums over more than 96
// terms of the reduced side continue in float64. Products of stored matrices with few columns are float64
// in either.
const (
	Float64 Precision = "float64"
	Float32 Precision = "float32"
)

// width is the number of points in a panel.
const width = simd.Width

// run is the number of panels of the reduced side over which sums of several columns stay in the
// precision of the tiles; from there on they are float64. The bits of results depend on it.
const run = 2

// Tiling. Results depend on these constants in the last bits, never on the number of threads.
const (
	outRows    = 4 << 10   // points of the output side prepared at a time
	panelBytes = 4 << 20   // panels of either side prepared at a time
	bandBytes  = 512 << 10 // output panels of a job, to stay in the second-level cache
	bandPanels = 8
	stripBytes = 24 << 10 // largest panel of in that stays in the first-level cache with one of out
	sumsBytes  = 32 << 20 // partial sums
	jobs       = 64       // parts that a region is cut into, where its shape allows
)

// panels returns the number of panels that n points fill.
func panels(n int) int { return (n + width - 1) / width }

// sizeof returns the bytes of an element.
func sizeof[T simd.Float]() int {
	switch any(T(0)).(type) {
	case float32:
		return 4
	}
	return 8
}

func mustShape(op string, m Matrix, r, c int) {
	if m.Rows != r || m.Cols != c {
		panic(fmt.Sprintf("compute: %s: operand is %d×%d, want %d×%d", op, m.Rows, m.Cols, r, c))
	}
}

// A workspace is the memory of an engine's operations in one precision, kept between them.
type workspace[T simd.Float] struct {
	out, in prepared[T]
	weights buffer[T]
	sums    buffer[float64]
	tiles   sync.Pool // of *tileSpace[T], one for each job that runs
}

// A tileSpace is what one job computes in.
type tileSpace[T simd.Float] struct {
	// Tiles are memory of their own, for that is aligned to cache lines: run tiles below each other, and one.
	tile, turned []T
	product      buffer[T]
	rows         buffer[T]   // of a panel that is cut into strips
	point        buffer[T]   // of a kernel that compares points itself
	out, in      prepared[T] // of a symmetric product
}

// A buffer is memory that grows.
type buffer[T simd.Float] struct{ data []T }

// get returns n elements of any content.
func (b *buffer[T]) get(n int) []T {
	if cap(b.data) < n {
		b.data = make([]T, n)
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
