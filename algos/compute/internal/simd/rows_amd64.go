//go:build !purego

package simd

func rowDotsVector[T Float](dst []float64, ldd int, a []T, lda int, rows []int, m int, b []float64, c, n int, sums []float64) {
	switch a := any(a).(type) {
	case []float32:
		if current == AVX512 {
			rowsAVX512F32.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
		} else {
			rowsAVX2F32.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
		}
	case []float64:
		if current == AVX512 {
			rowsAVX512F64.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
		} else {
			rowsAVX2F64.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
		}
	}
}
