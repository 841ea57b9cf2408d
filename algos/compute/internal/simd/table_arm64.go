//go:build !purego

package simd

// vectorSets returns NEON, which every arm64 processor that Go supports has.
func vectorSets() []*instructionSet { return []*instructionSet{neon} }

var neon = &instructionSet{
	name: NEON,
	single: kernels[float32]{
		tiles: &tileSet[float32]{&tilesNEONF32, 8, 4},
		rows:  &rowsNEONF32,
		cos:   cosNEONF32, exp2: exp2NEONF32, clampBelow: clampBelowNEONF32, scale: scaleNEONF32,
		log: logNEONF32, sqrt: sqrtNEONF32, reciprocal: reciprocalNEONF32,
		power: powerNEONF32, affine: affineNEONF32, mulPoly: mulPolyNEONF32,
		weigh: weighNEONF32, squares: squaresNEONF32, accumulate: accumulateNEONF32,
		peak: peakNEONF32, peakFlops: 2 * 24 * 4,
	},
	double: kernels[float64]{
		tiles: &tileSet[float64]{&tilesNEONF64, 8, 2},
		rows:  &rowsNEONF64,
		cos:   cosNEONF64, exp2: exp2NEONF64, clampBelow: clampBelowNEONF64, scale: scaleNEONF64,
		log: logNEONF64, sqrt: sqrtNEONF64, reciprocal: reciprocalNEONF64,
		power: powerNEONF64, affine: affineNEONF64, mulPoly: mulPolyNEONF64,
		weigh: weighNEONF64, squares: squaresNEONF64, accumulate: accumulateNEONF64,
		peak: peakNEONF64, peakFlops: 2 * 24 * 2,
	},
}

var rowsNEONF32 = rowTiles[float32]{
	rows: []int{2, 2, 2},
	tiles: [][]rowTile[float32]{
		{rowsNEONF32_1x1, rowsNEONF32_1x2, rowsNEONF32_1x3},
		{rowsNEONF32_2x1, rowsNEONF32_2x2, rowsNEONF32_2x3},
	},
}

var rowsNEONF64 = rowTiles[float64]{
	rows: []int{2, 2, 2},
	tiles: [][]rowTile[float64]{
		{rowsNEONF64_1x1, rowsNEONF64_1x2, rowsNEONF64_1x3},
		{rowsNEONF64_2x1, rowsNEONF64_2x2, rowsNEONF64_2x3},
	},
}
