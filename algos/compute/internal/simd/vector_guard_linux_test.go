package simd

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestVectorStaysInside applies the functions to slices that begin or end where memory does: reading or
// writing outside them faults.
func TestVectorStaysInside(t *testing.T) {
	size := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(memory)) }()
	require.NoError(t, syscall.Mprotect(memory[:size], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(memory[2*size:], syscall.PROT_NONE))
	page := memory[size : 2*size]
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	require.Panics(t, func() { memory[2*size] = 1 }, "the page after is not protected")
	onEach(t, func(t *testing.T) {
		t.Run("float32", func(t *testing.T) { testInside(t, elements[float32](page)) })
		t.Run("float64", func(t *testing.T) { testInside(t, elements[float64](page)) })
	})
}

// elements returns the memory b as elements.
func elements[T Float](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(T(0)))
}

func testInside[T Float](t *testing.T, page []T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of this goroutine
	for _, f := range vectorFunctions[T]() {
		for n := range 71 {
			require.NotPanics(t, func() { f.apply(page[:n]) }, "%s of the first %d", f.name, n)
			require.NotPanics(t, func() { f.apply(page[len(page)-n:]) }, "%s of the last %d", f.name, n)
		}
	}
}
