package compute_test

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// newFence returns memory of at least n elements between two inaccessible pages. It is unmapped when the test ends.
func newFence(t *testing.T, n int) fence {
	page := os.Getpagesize()
	size := (8*n + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(memory)) })
	require.NoError(t, syscall.Mprotect(memory[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(memory[page+size:], syscall.PROT_NONE))
	return fence{unsafe.Slice((*float64)(unsafe.Pointer(&memory[page])), size/8)}
}
