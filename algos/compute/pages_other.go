//go:build !linux

package compute

import "repro/algos/compute/internal/simd"

// inHugePages does nothing: this system is not asked for large pages.
func inHugePages[T simd.Float]([]T) {}
