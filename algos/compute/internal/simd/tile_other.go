//go:build (!amd64 && !arm64) || purego

package simd

func tableSingle() *tileSet[float32]               { return nil }
func tableDouble() *tileSet[float64]               { return nil }
func peakKernel[T Float]() (func(rounds int), int) { return nil, 0 }
