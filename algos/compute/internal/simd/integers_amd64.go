//go:build !purego

package simd

// integersOf returns the micro-kernels of panels of integers in use, nil for portable code.
func integersOf() *integerSet {
	switch {
	case current == AVX512 && haveVNNI:
		return integersVNNI
	case current == AVX512 || current == AVX2:
		return integersAVX2
	}
	return nil
}

var (
	integersVNNI = &integerSet{panelSet[float32]{[4][2]panelTile[float32]{
		Distance: {1: distanceAVX512U8_3}, Exponential: {1: exponentialAVX512U8_3},
	}, 8, 16}, 4, packAVX512U8Left, packAVX512U8Right}
	integersAVX2 = &integerSet{panelSet[float32]{[4][2]panelTile[float32]{
		Distance: {1: distanceAVX2I16_3}, Exponential: {1: exponentialAVX2I16_3},
	}, 4, 8}, 2, packAVX2I16Left, packAVX2I16Right}
)
