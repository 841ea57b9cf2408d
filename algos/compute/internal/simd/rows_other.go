//go:build (!amd64 && !arm64) || purego

package simd

func rowDotsVector[T Float]([]float64, int, []T, int, []int, int, []float64, int, int, []float64) {
	panic("simd: no vector code")
}
