//go:build !purego

package simd

// Each function below runs the vector code of the instruction set in use and returns true, or returns false if portable
// code is in use. z must not be empty.

func cosVector[T Float](z []T, s T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		cosAVX512F32(single(z), len(z), float32(s))
	case avx512Double:
		cosAVX512F64(double(z), len(z), float64(s))
	case avx2Single:
		cosAVX2F32(single(z), len(z), float32(s))
	case avx2Double:
		cosAVX2F64(double(z), len(z), float64(s))
	default:
		return false
	}
	return true
}

func exp2Vector[T Float](z []T, s T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		exp2AVX512F32(single(z), len(z), float32(s))
	case avx512Double:
		exp2AVX512F64(double(z), len(z), float64(s))
	case avx2Single:
		exp2AVX2F32(single(z), len(z), float32(s))
	case avx2Double:
		exp2AVX2F64(double(z), len(z), float64(s))
	default:
		return false
	}
	return true
}

func logVector[T Float](z []T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		logAVX512F32(single(z), len(z))
	case avx512Double:
		logAVX512F64(double(z), len(z))
	case avx2Single:
		logAVX2F32(single(z), len(z))
	case avx2Double:
		logAVX2F64(double(z), len(z))
	default:
		return false
	}
	return true
}

func sqrtVector[T Float](z []T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		sqrtAVX512F32(single(z), len(z))
	case avx512Double:
		sqrtAVX512F64(double(z), len(z))
	case avx2Single:
		sqrtAVX2F32(single(z), len(z))
	case avx2Double:
		sqrtAVX2F64(double(z), len(z))
	default:
		return false
	}
	return true
}

func clampBelowVector[T Float](z []T, lo T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		clampBelowAVX512F32(single(z), len(z), float32(lo))
	case avx512Double:
		clampBelowAVX512F64(double(z), len(z), float64(lo))
	case avx2Single:
		clampBelowAVX2F32(single(z), len(z), float32(lo))
	case avx2Double:
		clampBelowAVX2F64(double(z), len(z), float64(lo))
	default:
		return false
	}
	return true
}

func scaleVector[T Float](z []T, s T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		scaleAVX512F32(single(z), len(z), float32(s))
	case avx512Double:
		scaleAVX512F64(double(z), len(z), float64(s))
	case avx2Single:
		scaleAVX2F32(single(z), len(z), float32(s))
	case avx2Double:
		scaleAVX2F64(double(z), len(z), float64(s))
	default:
		return false
	}
	return true
}

func powerVector[T Float](z []T, exponent uint64, steps int) bool {
	switch kernelOf[T]() {
	case avx512Single:
		powerAVX512F32(single(z), len(z), exponent, steps)
	case avx512Double:
		powerAVX512F64(double(z), len(z), exponent, steps)
	case avx2Single:
		powerAVX2F32(single(z), len(z), exponent, steps)
	case avx2Double:
		powerAVX2F64(double(z), len(z), exponent, steps)
	default:
		return false
	}
	return true
}

func reciprocalVector[T Float](z []T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		reciprocalAVX512F32(single(z), len(z))
	case avx512Double:
		reciprocalAVX512F64(double(z), len(z))
	case avx2Single:
		reciprocalAVX2F32(single(z), len(z))
	case avx2Double:
		reciprocalAVX2F64(double(z), len(z))
	default:
		return false
	}
	return true
}

func affineVector[T Float](z []T, a, b T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		affineAVX512F32(single(z), len(z), float32(a), float32(b))
	case avx512Double:
		affineAVX512F64(double(z), len(z), float64(a), float64(b))
	case avx2Single:
		affineAVX2F32(single(z), len(z), float32(a), float32(b))
	case avx2Double:
		affineAVX2F64(double(z), len(z), float64(a), float64(b))
	default:
		return false
	}
	return true
}

func mulPolyVector[T Float](z, t []T, c0, c1, c2 T) bool {
	switch kernelOf[T]() {
	case avx512Single:
		mulPolyAVX512F32(single(z), len(z), single(t), float32(c0), float32(c1), float32(c2))
	case avx512Double:
		mulPolyAVX512F64(double(z), len(z), double(t), float64(c0), float64(c1), float64(c2))
	case avx2Single:
		mulPolyAVX2F32(single(z), len(z), single(t), float32(c0), float32(c1), float32(c2))
	case avx2Double:
		mulPolyAVX2F64(double(z), len(z), double(t), float64(c0), float64(c1), float64(c2))
	default:
		return false
	}
	return true
}
