//go:build (!amd64 && !arm64) || purego

package simd

func weighWhole[T Float](c, a, b []T, ldb, k int) { weighGeneric(c, a, b, ldb, k) }
func squares[T Float](c, b []T, k int)            { squaresGeneric(c, b, k) }
func accumulate[T Float](acc []float64, x []T)    { accumulateGeneric(acc, x) }
