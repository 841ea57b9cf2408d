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
	name: AVX512,
	single: kernels[float32]{
		tiles: &tileSet[float32]{&tilesAVX512F32, 8, 16},
		panels: &panelSet[float32]{[4][2]panelTile[float32]{
			{sumAVX512F32_1, sumAVX512F32_3}, {distanceAVX512F32_1, distanceAVX512F32_3}, {cosineAVX512F32_1, cosineAVX512F32_3}, {exponentialAVX512F32_1, exponentialAVX512F32_3},
		}, 8, 16},
		rows:    &rowsAVX512F32,
		packing: packSingles,
		cos:     cosAVX512F32, exp2: exp2AVX512F32, clampBelow: clampBelowAVX512F32, scale: scaleAVX512F32,
		log: logAVX512F32, sqrt: sqrtAVX512F32, reciprocal: reciprocalAVX512F32,
		power: powerAVX512F32, affine: affineAVX512F32, mulPoly: mulPolyAVX512F32,
		weigh: weighAVX512F32, squares: squaresAVX512F32, accumulate: accumulateAVX512F32,
		variates: [3]func(*float32, *uint32, int, *float32){normalsAVX512F32, cauchyAVX512F32, laplaceAVX512F32},
		peak:     peakAVX512F32, peakFlops: 2 * 12 * 16,
	},
	double: kernels[float64]{
		tiles: &tileSet[float64]{&tilesAVX512F64, 8, 8},
		panels: &panelSet[float64]{[4][2]panelTile[float64]{
			{sumAVX512F64_1, sumAVX512F64_3}, {distanceAVX512F64_1, distanceAVX512F64_3}, {cosineAVX512F64_1, cosineAVX512F64_3}, {exponentialAVX512F64_1, exponentialAVX512F64_3},
		}, 8, 8},
		rows:    &rowsAVX512F64,
		packing: packDoubles,
		cos:     cosAVX512F64, exp2: exp2AVX512F64, clampBelow: clampBelowAVX512F64, scale: scaleAVX512F64,
		log: logAVX512F64, sqrt: sqrtAVX512F64, reciprocal: reciprocalAVX512F64,
		power: powerAVX512F64, affine: affineAVX512F64, mulPoly: mulPolyAVX512F64,
		weigh: weighAVX512F64, squares: squaresAVX512F64, accumulate: accumulateAVX512F64,
		variates: [3]func(*float64, *uint32, int, *float64){normalsAVX512F64, cauchyAVX512F64, laplaceAVX512F64},
		peak:     peakAVX512F64, peakFlops: 2 * 12 * 8,
	},
	integers:         &integersAVX2,
	narrow:           narrow,
	philox:           philoxAVX512,
	squaredDistances: squaredDistancesAVX512F64,
	brickSymMul:      brickSymMulAVX512F64, brickDots: brickDotsAVX512F64, brickAddRows: brickAddRowsAVX512F64,
	brickAddOuter: brickAddOuterAVX512F64, brickSubOuter: brickSubOuterAVX512F64,
}

var avx2 = &instructionSet{
	name: AVX2,
	single: kernels[float32]{
		tiles: &tileSet[float32]{&tilesAVX2F32, 4, 8},
		panels: &panelSet[float32]{[4][2]panelTile[float32]{
			{sumAVX2F32_1, sumAVX2F32_3}, {distanceAVX2F32_1, distanceAVX2F32_3}, {cosineAVX2F32_1, cosineAVX2F32_3}, {exponentialAVX2F32_1, exponentialAVX2F32_3},
		}, 4, 8},
		rows:    &rowsAVX2F32,
		packing: packSingles,
		cos:     cosAVX2F32, exp2: exp2AVX2F32, clampBelow: clampBelowAVX2F32, scale: scaleAVX2F32,
		log: logAVX2F32, sqrt: sqrtAVX2F32, reciprocal: reciprocalAVX2F32,
		power: powerAVX2F32, affine: affineAVX2F32, mulPoly: mulPolyAVX2F32,
		weigh: weighAVX2F32, squares: squaresAVX2F32, accumulate: accumulateAVX2F32,
		variates: [3]func(*float32, *uint32, int, *float32){normalsAVX2F32, cauchyAVX2F32, laplaceAVX2F32},
		peak:     peakAVX2F32, peakFlops: 2 * 12 * 8,
	},
	double: kernels[float64]{
		tiles: &tileSet[float64]{&tilesAVX2F64, 4, 4},
		panels: &panelSet[float64]{[4][2]panelTile[float64]{
			{sumAVX2F64_1, sumAVX2F64_3}, {distanceAVX2F64_1, distanceAVX2F64_3}, {cosineAVX2F64_1, cosineAVX2F64_3}, {exponentialAVX2F64_1, exponentialAVX2F64_3},
		}, 4, 4},
		rows:    &rowsAVX2F64,
		packing: packDoubles,
		cos:     cosAVX2F64, exp2: exp2AVX2F64, clampBelow: clampBelowAVX2F64, scale: scaleAVX2F64,
		log: logAVX2F64, sqrt: sqrtAVX2F64, reciprocal: reciprocalAVX2F64,
		power: powerAVX2F64, affine: affineAVX2F64, mulPoly: mulPolyAVX2F64,
		weigh: weighAVX2F64, squares: squaresAVX2F64, accumulate: accumulateAVX2F64,
		variates: [3]func(*float64, *uint32, int, *float64){normalsAVX2F64, cauchyAVX2F64, laplaceAVX2F64},
		peak:     peakAVX2F64, peakFlops: 2 * 12 * 4,
	},
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
