//go:build !purego

package simd

func weighWhole[T Float](c, a, b []T, ldb, k int) {
	switch kernelOf[T]() {
	case neonSingle:
		weighNEONF32(k, single(a), single(b), ldb, single(c))
	case neonDouble:
		weighNEONF64(k, double(a), double(b), ldb, double(c))
	default:
		weighGeneric(c, a, b, ldb, k)
	}
}

func squares[T Float](c, b []T, k int) {
	switch kernelOf[T]() {
	case neonSingle:
		squaresNEONF32(k, single(b), Width, single(c))
	case neonDouble:
		squaresNEONF64(k, double(b), Width, double(c))
	default:
		squaresGeneric(c, b, k)
	}
}

func accumulate[T Float](acc []float64, x []T) {
	switch n := len(x) / Width; kernelOf[T]() {
	case neonSingle:
		accumulateNEONF32(n, &acc[0], single(x))
	case neonDouble:
		accumulateNEONF64(n, &acc[0], double(x))
	default:
		accumulateGeneric(acc, x)
	}
}
