package compute

import (
	"syscall"
	"unsafe"

	"repro/algos/compute/internal/simd"
)

// hugePage is the size of a huge page, in bytes.
const hugePage = 2 << 20

// adviseHugePages asks the system to back data, not written to yet, with huge pages, which saves TLB misses. The system
// may ignore the advice.
func adviseHugePages[T simd.Float](data []T) {
	size := uintptr(len(data)) * unsafe.Sizeof(data[0])
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	skip := -start % hugePage
	if size < skip+hugePage {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), size)
	_ = syscall.Madvise(bytes[skip:skip+(size-skip)/hugePage*hugePage], syscall.MADV_HUGEPAGE)
}
