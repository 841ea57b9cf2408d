//go:build !linux

package compute

import "repro/algos/compute/internal/simd"

// adviseHugePages does nothing on this system.
func adviseHugePages[T simd.Float]([]T) {}
