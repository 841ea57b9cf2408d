//go:build !amd64 || purego

package simd

func rowDotsVector([]float64, int, []float64, int, int, []float64, int, int, []float64) {
	panic("simd: no vector code")
}
