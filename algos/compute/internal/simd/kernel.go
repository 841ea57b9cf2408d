//go:build (amd64 || arm64) && !purego

package simd

import "unsafe"

// A kernel is an instruction set together with an element type.
type kernel int

const (
	portable kernel = iota
	avx2Single
	avx2Double
	avx512Single
	avx512Double
	neonSingle
	neonDouble
)

// kernelOf returns the kernel in use for elements of type T.
func kernelOf[T Float]() kernel {
	k := portable
	switch current {
	case AVX2:
		k = avx2Single
	case AVX512:
		k = avx512Single
	case NEON:
		k = neonSingle
	default:
		return portable
	}
	if unsafe.Sizeof(T(0)) == 8 {
		k++
	}
	return k
}

func single[T Float](z []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(z))) }
func double[T Float](z []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(z))) }
