//go:build !purego

package simd

// Each function below runs the vector code of the instruction set in use and returns true, or returns false if portable
// code is in use. z must not be empty.

func cosVector[T Float](z []T, s T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		cosNEONF32(single(z), len(z), float32(s))
	case neonDouble:
		cosNEONF64(double(z), len(z), float64(s))
	default:
		return false
	}
	return true
}

func exp2Vector[T Float](z []T, s T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		exp2NEONF32(single(z), len(z), float32(s))
	case neonDouble:
		exp2NEONF64(double(z), len(z), float64(s))
	default:
		return false
	}
	return true
}

func logVector[T Float](z []T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		logNEONF32(single(z), len(z))
	case neonDouble:
		logNEONF64(double(z), len(z))
	default:
		return false
	}
	return true
}

func sqrtVector[T Float](z []T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		sqrtNEONF32(single(z), len(z))
	case neonDouble:
		sqrtNEONF64(double(z), len(z))
	default:
		return false
	}
	return true
}

func clampBelowVector[T Float](z []T, lo T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		clampBelowNEONF32(single(z), len(z), float32(lo))
	case neonDouble:
		clampBelowNEONF64(double(z), len(z), float64(lo))
	default:
		return false
	}
	return true
}

func scaleVector[T Float](z []T, s T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		scaleNEONF32(single(z), len(z), float32(s))
	case neonDouble:
		scaleNEONF64(double(z), len(z), float64(s))
	default:
		return false
	}
	return true
}

func powerVector[T Float](z []T, exponent uint64, steps int) bool {
	switch kernelOf[T]() {
	case neonSingle:
		powerNEONF32(single(z), len(z), exponent, steps)
	case neonDouble:
		powerNEONF64(double(z), len(z), exponent, steps)
	default:
		return false
	}
	return true
}

func reciprocalVector[T Float](z []T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		reciprocalNEONF32(single(z), len(z))
	case neonDouble:
		reciprocalNEONF64(double(z), len(z))
	default:
		return false
	}
	return true
}

func affineVector[T Float](z []T, a, b T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		affineNEONF32(single(z), len(z), float32(a), float32(b))
	case neonDouble:
		affineNEONF64(double(z), len(z), float64(a), float64(b))
	default:
		return false
	}
	return true
}

func mulPolyVector[T Float](z, t []T, c0, c1, c2 T) bool {
	switch kernelOf[T]() {
	case neonSingle:
		mulPolyNEONF32(single(z), len(z), single(t), float32(c0), float32(c1), float32(c2))
	case neonDouble:
		mulPolyNEONF64(double(z), len(z), double(t), float64(c0), float64(c1), float64(c2))
	default:
		return false
	}
	return true
}
