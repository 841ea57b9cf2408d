//go:build !linux

package computetest

import "testing"

// newFence returns memory of n elements. Without pages that cannot be touched, only the bounds of slices
// are checked.
func newFence(_ *testing.T, n int) fence { return fence{make([]float64, n)} }
