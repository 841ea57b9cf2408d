package compute

import (
	"syscall"
	"unsafe"

	"repro/algos/compute/internal/simd"
)

// hugePage is the size of the pages asked for.
const hugePage = 2 << 20

// inHugePages asks for large pages for a matrix that was not written to yet, whose rows are then found faster. It is
// advice, which the system may not take.
func inHugePages[T simd.Float](data []T) {
	size := uintptr(len(data)) * unsafe.Sizeof(data[0])
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	skip := -start % hugePage
	if size < skip+hugePage {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), size)
	_ = syscall.Madvise(bytes[skip:skip+(size-skip)/hugePage*hugePage], syscall.MADV_HUGEPAGE)
}
