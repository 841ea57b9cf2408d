//go:build !purego

package simd

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

func rowDotsVector[T Float](dst []float64, ldd int, a []T, lda int, rows []int, m int, b []float64, c, n int, sums []float64) {
	switch a := any(a).(type) {
	case []float32:
		rowsNEONF32.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
	case []float64:
		rowsNEONF64.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
	}
}
