//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// vectorSets returns the instruction sets that this processor has, best first.
func vectorSets() []*instructionSet {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return nil
	case !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512DQ || !cpu.X86.HasAVX512VL:
		return []*instructionSet{avx2}
	}
	if cpu.X86.HasAVX512VNNI {
		avx512.integers = &integersVNNI
	}
	return []*instructionSet{avx512, avx2}
}

var avx512 = &instructionSet{
	name:             AVX512,
	single:           kernelsAVX512F32,
	double:           kernelsAVX512F64,
	integers:         &integersAVX2,
	narrow:           narrow,
	philox:           philoxAVX512,
	squaredDistances: squaredDistancesAVX512F64,
	brickSymMul:      brickSymMulAVX512F64, brickDots: brickDotsAVX512F64, brickAddRows: brickAddRowsAVX512F64,
	brickAddOuter: brickAddOuterAVX512F64, brickSubOuter: brickSubOuterAVX512F64,
}

var avx2 = &instructionSet{
	name:             AVX2,
	single:           kernelsAVX2F32,
	double:           kernelsAVX2F64,
	integers:         &integersAVX2,
	narrow:           narrow,
	philox:           philoxAVX2,
	squaredDistances: squaredDistancesAVX2F64,
	brickSymMul:      brickSymMulAVX2F64, brickDots: brickDotsAVX2F64, brickAddRows: brickAddRowsAVX2F64,
	brickAddOuter: brickAddOuterAVX2F64, brickSubOuter: brickSubOuterAVX2F64,
}

var (
	packSingles = packing[float32]{
		pack: packSingle, add: addSingle, set: setSingle, setStream: streamSingle,
		spread: spreadSingle, spreadStream: spreadSingleStream, strips: stripsSingle, transpose: transposeSingle,
	}
	packDoubles = packing[float64]{
		pack: packDouble, add: addDouble, set: setDouble, setStream: streamDouble,
		spread: spreadDouble, spreadStream: spreadDoubleStream, strips: stripsDouble, transpose: transposeDouble,
	}
)

var (
	integersVNNI = integerSet{panelSet[float32]{[4][2]panelTile[float32]{
		Distance: {1: distanceAVX512U8_3}, Exponential: {1: exponentialAVX512U8_3},
	}, 8, 16}, 4, packAVX512U8Left, packAVX512U8Right}
	integersAVX2 = integerSet{panelSet[float32]{[4][2]panelTile[float32]{
		Distance: {1: distanceAVX2I16_3}, Exponential: {1: exponentialAVX2I16_3},
	}, 4, 8}, 2, packAVX2I16Left, packAVX2I16Right}
)
