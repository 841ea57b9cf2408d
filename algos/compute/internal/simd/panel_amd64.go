//go:build !purego

package simd

// panelsOf returns the fused micro-kernels of the instruction set in use, nil for portable code.
func panelsOf[T Float]() *panelSet[T] {
	var set any
	switch kernelOf[T]() {
	case avx512Single:
		set = &panelsAVX512F32
	case avx512Double:
		set = &panelsAVX512F64
	case avx2Single:
		set = &panelsAVX2F32
	case avx2Double:
		set = &panelsAVX2F64
	default:
		return nil
	}
	return set.(*panelSet[T])
}

var (
	panelsAVX512F32 = panelSet[float32]{[4][2]panelTile[float32]{
		{sumAVX512F32_1, sumAVX512F32_3}, {distanceAVX512F32_1, distanceAVX512F32_3},
		{cosineAVX512F32_1, cosineAVX512F32_3}, {exponentialAVX512F32_1, exponentialAVX512F32_3},
	}, 8, 16}
	panelsAVX512F64 = panelSet[float64]{[4][2]panelTile[float64]{
		{sumAVX512F64_1, sumAVX512F64_3}, {distanceAVX512F64_1, distanceAVX512F64_3},
		{cosineAVX512F64_1, cosineAVX512F64_3}, {exponentialAVX512F64_1, exponentialAVX512F64_3},
	}, 8, 8}
	panelsAVX2F32 = panelSet[float32]{[4][2]panelTile[float32]{
		{sumAVX2F32_1, sumAVX2F32_3}, {distanceAVX2F32_1, distanceAVX2F32_3},
		{cosineAVX2F32_1, cosineAVX2F32_3}, {exponentialAVX2F32_1, exponentialAVX2F32_3},
	}, 4, 8}
	panelsAVX2F64 = panelSet[float64]{[4][2]panelTile[float64]{
		{sumAVX2F64_1, sumAVX2F64_3}, {distanceAVX2F64_1, distanceAVX2F64_3},
		{cosineAVX2F64_1, cosineAVX2F64_3}, {exponentialAVX2F64_1, exponentialAVX2F64_3},
	}, 4, 4}
)
