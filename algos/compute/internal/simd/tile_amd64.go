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

// PeakFlops performs about n floating-point operations on registers, as fast as the processor can, and returns their
// number.
func PeakFlops[T Float](n int) int {
	var zero T
	f, lanes := peakAVX2F64, 4
	switch _, single := any(zero).(float32); {
	case current == AVX512 && single:
		f, lanes = peakAVX512F32, 16
	case current == AVX512:
		f, lanes = peakAVX512F64, 8
	case current == AVX2 && single:
		f, lanes = peakAVX2F32, 8
	case current == Generic:
		return peakGeneric[T](n)
	}
	const chains = 12
	rounds := max(1, n/(2*chains*lanes))
	for left := rounds; left > 0; left -= 100_000 { // assembly cannot be preempted
		f(min(left, 100_000))
	}
	return rounds * 2 * chains * lanes
}
