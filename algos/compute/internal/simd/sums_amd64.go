//go:build !purego

package simd

func weighWhole[T Float](c, a, b []T, ldb, k int) {
	switch c := any(c).(type) {
	case []float32:
		a, b := any(a).([]float32), any(b).([]float32)
		switch current {
		case AVX512:
			weighAVX512F32(k, &a[0], &b[0], ldb, &c[0])
			return
		case AVX2:
			weighAVX2F32(k, &a[0], &b[0], ldb, &c[0])
			return
		}
	case []float64:
		a, b := any(a).([]float64), any(b).([]float64)
		switch current {
		case AVX512:
			weighAVX512F64(k, &a[0], &b[0], ldb, &c[0])
			return
		case AVX2:
			weighAVX2F64(k, &a[0], &b[0], ldb, &c[0])
			return
		}
	}
	weighGeneric(c, a, b, ldb, k)
}

func squares[T Float](c, b []T, k int) {
	switch c := any(c).(type) {
	case []float32:
		b := any(b).([]float32)
		switch current {
		case AVX512:
			squaresAVX512F32(k, &b[0], Width, &c[0])
			return
		case AVX2:
			squaresAVX2F32(k, &b[0], Width, &c[0])
			return
		}
	case []float64:
		b := any(b).([]float64)
		switch current {
		case AVX512:
			squaresAVX512F64(k, &b[0], Width, &c[0])
			return
		case AVX2:
			squaresAVX2F64(k, &b[0], Width, &c[0])
			return
		}
	}
	squaresGeneric(c, b, k)
}

func accumulate[T Float](acc []float64, x []T) {
	switch n := len(x) / Width; kernelOf[T]() {
	case avx512Single:
		accumulateAVX512F32(n, &acc[0], single(x))
	case avx512Double:
		accumulateAVX512F64(n, &acc[0], double(x))
	case avx2Single:
		accumulateAVX2F32(n, &acc[0], single(x))
	case avx2Double:
		accumulateAVX2F64(n, &acc[0], double(x))
	default:
		accumulateGeneric(acc, x)
	}
}
