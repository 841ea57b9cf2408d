//go:build !purego

package simd

func squaredDistances(c, a, b []float64) {
	switch current {
	case AVX512:
		squaredDistancesAVX512F64(len(a), &a[0], &b[0], &c[0])
	case AVX2:
		squaredDistancesAVX2F64(len(a), &a[0], &b[0], &c[0])
	default:
		squaredDistancesGeneric(c, a, b)
	}
}
