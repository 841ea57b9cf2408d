//go:build !amd64 || purego

package simd

func tableSingle() *tileSet[float32] { return nil }
func tableDouble() *tileSet[float64] { return nil }

// PeakFlops performs about n floating-point operations on registers, as fast as portable code can, and returns their
// number.
func PeakFlops[T Float](n int) int { return peakGeneric[T](n) }
