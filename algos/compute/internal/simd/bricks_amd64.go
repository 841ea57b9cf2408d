//go:build !purego

package simd

// Each function below runs the vector code of the instruction set in use and returns true, or returns false if portable code
// is in use.

func brickSymMulVector(y, a, x []float64, n int) bool {
	switch current {
	case AVX512:
		brickSymMulAVX512F64(n, &a[0], &x[0], &y[0])
	case AVX2:
		brickSymMulAVX2F64(n, &a[0], &x[0], &y[0])
	}
	return current != Generic
}

func brickDotsVector(out, a, x []float64, n int) bool {
	switch current {
	case AVX512:
		brickDotsAVX512F64(n, &a[0], &x[0], &out[0])
	case AVX2:
		brickDotsAVX2F64(n, &a[0], &x[0], &out[0])
	}
	return current != Generic
}

func brickAddRowsVector(y, a, w []float64, n int) bool {
	switch current {
	case AVX512:
		brickAddRowsAVX512F64(n, &a[0], &w[0], &y[0])
	case AVX2:
		brickAddRowsAVX2F64(n, &a[0], &w[0], &y[0])
	}
	return current != Generic
}

func brickAddOuterVector(c, a, b []float64, n, k, stride int, subtract bool) bool {
	switch {
	case current == AVX512 && subtract:
		brickSubOuterAVX512F64(n, k, &c[0], &a[0], &b[0], stride)
	case current == AVX512:
		brickAddOuterAVX512F64(n, k, &c[0], &a[0], &b[0], stride)
	case current == AVX2 && subtract:
		brickSubOuterAVX2F64(n, k, &c[0], &a[0], &b[0], stride)
	case current == AVX2:
		brickAddOuterAVX2F64(n, k, &c[0], &a[0], &b[0], stride)
	}
	return current != Generic
}
