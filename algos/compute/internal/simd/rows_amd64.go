//go:build !purego

package simd

var rowsAVX512 = rowTiles[float64]{
	[]int{4, 4, 4, 4, 4, 4, 3, 3, 2, 2, 2, 2},
	[]rowTile[float64]{
		rowsAVX512F64_1x1, rowsAVX512F64_1x2, rowsAVX512F64_1x3, rowsAVX512F64_1x4, rowsAVX512F64_1x5, rowsAVX512F64_1x6,
		rowsAVX512F64_1x7, rowsAVX512F64_1x8, rowsAVX512F64_1x9, rowsAVX512F64_1x10, rowsAVX512F64_1x11, rowsAVX512F64_1x12,
	},
	[]rowTile[float64]{
		rowsAVX512F64_4x1, rowsAVX512F64_4x2, rowsAVX512F64_4x3, rowsAVX512F64_4x4, rowsAVX512F64_4x5, rowsAVX512F64_4x6,
		rowsAVX512F64_3x7, rowsAVX512F64_3x8, rowsAVX512F64_2x9, rowsAVX512F64_2x10, rowsAVX512F64_2x11, rowsAVX512F64_2x12,
	},
}

var rowsAVX2 = rowTiles[float64]{
	[]int{2, 2, 2},
	[]rowTile[float64]{rowsAVX2F64_1x1, rowsAVX2F64_1x2, rowsAVX2F64_1x3},
	[]rowTile[float64]{rowsAVX2F64_2x1, rowsAVX2F64_2x2, rowsAVX2F64_2x3},
}

var rowsAVX512Single = rowTiles[float32]{
	[]int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
	[]rowTile[float32]{
		rowsAVX512F32_1x1, rowsAVX512F32_1x2, rowsAVX512F32_1x3, rowsAVX512F32_1x4, rowsAVX512F32_1x5, rowsAVX512F32_1x6,
		rowsAVX512F32_1x7, rowsAVX512F32_1x8, rowsAVX512F32_1x9, rowsAVX512F32_1x10, rowsAVX512F32_1x11, rowsAVX512F32_1x12,
	},
	[]rowTile[float32]{
		rowsAVX512F32_2x1, rowsAVX512F32_2x2, rowsAVX512F32_2x3, rowsAVX512F32_2x4, rowsAVX512F32_2x5, rowsAVX512F32_2x6,
		rowsAVX512F32_2x7, rowsAVX512F32_2x8, rowsAVX512F32_2x9, rowsAVX512F32_2x10, rowsAVX512F32_2x11, rowsAVX512F32_2x12,
	},
}

var rowsAVX2Single = rowTiles[float32]{
	[]int{2, 2, 2},
	[]rowTile[float32]{rowsAVX2F32_1x1, rowsAVX2F32_1x2, rowsAVX2F32_1x3},
	[]rowTile[float32]{rowsAVX2F32_2x1, rowsAVX2F32_2x2, rowsAVX2F32_2x3},
}

func rowDotsVector[T Float](dst []float64, ldd int, a []T, lda int, rows []int, m int, b []float64, c, n int, sums []float64) {
	switch a := any(a).(type) {
	case []float32:
		if current == AVX512 {
			rowsAVX512Single.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
		} else {
			rowsAVX2Single.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
		}
	case []float64:
		if current == AVX512 {
			rowsAVX512.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
		} else {
			rowsAVX2.cover(dst, ldd, a, lda, rows, m, b, c, n, sums)
		}
	}
}
