//go:build !purego

package simd

var (
	singleNEON = &tileSet[float32]{&tilesNEONF32, 8, 4}
	doubleNEON = &tileSet[float64]{&tilesNEONF64, 8, 2}
)

// tableSingle returns the micro-kernels in use for float32, nil for portable code. tableDouble is the same for float64.
func tableSingle() *tileSet[float32] {
	if current == NEON {
		return singleNEON
	}
	return nil
}

func tableDouble() *tileSet[float64] {
	if current == NEON {
		return doubleNEON
	}
	return nil
}

// peakKernel returns the function that performs so many floating-point operations a round on registers, nil for portable
// code.
func peakKernel[T Float]() (f func(rounds int), flops int) {
	const chains = 24
	switch kernelOf[T]() {
	case neonSingle:
		return peakNEONF32, 2 * chains * 4
	case neonDouble:
		return peakNEONF64, 2 * chains * 2
	}
	return nil, 0
}
