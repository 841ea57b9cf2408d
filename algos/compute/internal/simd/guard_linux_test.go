package simd

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// fenced returns memory between two pages that cannot be touched, until the test ends.
func fenced(t *testing.T, pages int) []byte {
	size := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, (pages+2)*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(memory)) })
	require.NoError(t, syscall.Mprotect(memory[:size], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(memory[(pages+1)*size:], syscall.PROT_NONE))
	return memory[size : (pages+1)*size]
}

// elements returns the memory b as elements.
func elements[T Float](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(T(0)))
}

// end returns the first or the last n elements.
func end[T Float](s []T, n int, last bool) []T {
	if last {
		return s[len(s)-n:]
	}
	return s[:n:n]
}

// TestLoopsStayInside applies functions, tiles, packing and sums to operands that begin or end where memory does:
// reading or writing outside them faults.
func TestLoopsStayInside(t *testing.T) {
	const pages = 16
	a, b, c := fenced(t, pages), fenced(t, pages), fenced(t, pages)
	func() {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		require.Panics(t, func() { unsafe.Slice(&a[0], len(a)+1)[len(a)] = 1 }, "the page after is not protected")
	}()
	onEach(t, func(t *testing.T) {
		t.Run("float32", func(t *testing.T) {
			testLoopsInside(t, elements[float32](a), elements[float32](b), elements[float32](c))
		})
		t.Run("float64", func(t *testing.T) {
			testLoopsInside(t, elements[float64](a), elements[float64](b), elements[float64](c))
		})
		t.Run("from float64", func(t *testing.T) {
			testPackInside(t, elements[float64](a), elements[float64](b), elements[float32](c))
		})
		t.Run("to float64", func(t *testing.T) {
			testPackInside(t, elements[float64](a), elements[float64](b), elements[float64](c))
		})
	})
}

func testLoopsInside[T Float](t *testing.T, a, b, c []T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of this goroutine
	for _, last := range []bool{false, true} {
		for _, f := range vectorFunctions[T]() {
			for n := range 71 {
				require.NotPanics(t, func() { f.apply(end(c, n, last)) }, "%s of %d, at the end: %v", f.name, n, last)
			}
		}
		for n := 1; n <= 49; n++ {
			wide := (n + Pad - 1) / Pad * Pad
			for m := 1; m <= 26; m++ {
				k := (n+m)%5 + 1
				require.NotPanics(t, func() {
					for op := Dot; op <= Product; op++ {
						Tile(op, m, n, k, end(a, k*m, last), m, end(b, k*wide, last), wide, end(c, m*wide, last), wide, m%2 == 0)
					}
				}, "Tile %d×%d×%d, at the end: %v", m, n, k, last)
				require.NotPanics(t, func() {
					Transpose(end(c, n*m, last), m, end(a, n*m, last), n, m, n)
				}, "Transpose %d×%d, at the end: %v", m, n, last)
			}
		}
		for k := range 20 {
			require.NotPanics(t, func() {
				for form := Sum; form <= Exponential; form++ {
					a, b := end(a, (k/Strip+1)*(k+1)*Strip, last), end(b, (k+1)*Width, last)
					c := end(c, (k/Strip+1)*Strip*Width, last)
					NewPanels[T](form, k%2 == 0, k, -1).Tile(k+1, 0, Width, a, Strip, (k+1)*Strip, b, c, b)
				}
			}, "panels of %d rows, at the end: %v", k, last)
			require.NotPanics(t, func() {
				c := end(c, (k+1)*Width, last)
				Strips(c, (k+1)*Strip, end(a, (k+1)*Width, last))
				TileStrips(k+1, Width, k, end(a, (k/Strip+1)*k*Strip, last), k*Strip, end(b, k*Width, last), c, false, c)
				Weigh(end(c, Width, last), end(a, k, last), end(b, k*Width, last), Width, k)
				Weigh(end(c, Width, last), end(a, k, last), end(b, max(k-1, 0)*(Width+3)+min(k, 1)*Width, last), Width+3, k)
				Squares(end(c, Width, last), end(b, k*Width, last), k)
			}, "sums of %d rows, at the end: %v", k, last)
		}
	}
}

func testPackInside[T Float](t *testing.T, src, other []float64, dst []T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of this goroutine
	for _, last := range []bool{false, true} {
		for rows := range 50 {
			for cols := range 14 {
				require.NotPanics(t, func() {
					Pack(end(dst, rows*cols, last), rows, end(src, rows*cols, last), cols, end(other, cols, last), rows, cols)
				}, "Pack %d×%d, at the end: %v", rows, cols, last)
			}
			require.NotPanics(t, func() {
				Convert(end(dst, rows, last), end(src, rows, last))
				AddScaled(end(other, rows, last), end(dst, rows, last), 0.5)
				Accumulate(end(other, rows*Width, last), end(dst, rows*Width, last))
				SetRows(end(other, rows, last), rows, end(dst, rows, last), rows, 1, rows, 0.5, false)
				SetRows(end(other, rows, last), rows, end(dst, rows, last), rows, 1, rows, 0.5, true)
				Spread(end(dst, (rows+7)&^7, last), 8, 8, end(src, rows, last), rows, 1, rows, rows%2 == 0)
			}, "%d elements, at the end: %v", rows, last)
		}
	}
}

// TestBricksStayInside does the same with rows of bricks.
func TestBricksStayInside(t *testing.T) {
	const pages = 2
	a, b, c := elements[float64](fenced(t, pages)), elements[float64](fenced(t, pages)), elements[float64](fenced(t, pages))
	onEach(t, func(t *testing.T) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for _, last := range []bool{false, true} {
			for n := 1; n <= 5; n++ {
				require.NotPanics(t, func() {
					BrickSymMul(end(c, n*Brick, last), end(a, n*BrickSize, last), end(b, n*Brick, last))
					BrickDots(end(c, Brick, last), end(a, n*BrickSize, last), end(b, n*Brick, last))
					BrickAddRows(end(c, n*Brick, last), end(a, n*BrickSize, last), end(b, Brick, last))
					BrickAddOuter(end(c, n*BrickSize, last), end(a, BrickSize, last), end(b, n*BrickSize, last), n, 1, n*BrickSize, last)
				})
			}
		}
	})
}
