//go:build !purego

package simd

var (
	singleAVX512 = &tileSet[float32]{&tilesAVX512F32, 8, 16}
	doubleAVX512 = &tileSet[float64]{&tilesAVX512F64, 8, 8}
	singleAVX2   = &tileSet[float32]{&tilesAVX2F32, 4, 8}
	doubleAVX2   = &tileSet[float64]{&tilesAVX2F64, 4, 4}
)

// tableSingle returns the micro-kernels in use for float32, nil for portable code. tableDouble is the same for float64.
func tableSingle() *tileSet[float32] {
	switch current {
	case AVX512:
		return singleAVX512
	case AVX2:
		return singleAVX2
	}
	return nil
}

func tableDouble() *tileSet[float64] {
	switch current {
	case AVX512:
		return doubleAVX512
	case AVX2:
		return doubleAVX2
	}
	return nil
}

// peakKernel returns the function that performs so many floating-point operations a round on registers, nil for portable
// code.
func peakKernel[T Float]() (f func(rounds int), flops int) {
	const chains = 12
	switch kernelOf[T]() {
	case avx512Single:
		return peakAVX512F32, 2 * chains * 16
	case avx512Double:
		return peakAVX512F64, 2 * chains * 8
	case avx2Single:
		return peakAVX2F32, 2 * chains * 8
	case avx2Double:
		return peakAVX2F64, 2 * chains * 4
	}
	return nil, 0
}
