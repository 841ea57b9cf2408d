//go:build !purego

package simd

// A rowTile is RowDots for m rows of a and c rows of b, both fixed, and 8n terms.
type rowTile struct {
	m, c int
	do   func(n int, a *float64, lda int, b *float64, ldb int, out *float64, ldo int)
}

var rowTiles = map[string][]rowTile{
	AVX512: {
		{4, 5, rowsAVX512F64_4x5}, {4, 4, rowsAVX512F64_4x4}, {4, 3, rowsAVX512F64_4x3}, {4, 2, rowsAVX512F64_4x2}, {4, 1, rowsAVX512F64_4x1},
		{1, 5, rowsAVX512F64_1x5}, {1, 4, rowsAVX512F64_1x4}, {1, 3, rowsAVX512F64_1x3}, {1, 2, rowsAVX512F64_1x2}, {1, 1, rowsAVX512F64_1x1},
	},
	AVX2: {{2, 2, rowsAVX2F64_2x2}, {2, 1, rowsAVX2F64_2x1}, {1, 2, rowsAVX2F64_1x2}, {1, 1, rowsAVX2F64_1x1}},
}

// rowDotsVector covers the results with the largest tiles that fit.
func rowDotsVector(dst []float64, ldd int, a []float64, lda, m int, b []float64, ldb, c, n int) {
	tiles := rowTiles[current]
	for i := 0; i < m; {
		rows := 1
		for q := 0; q < c; {
			t := tiles[0]
			for _, t = range tiles {
				if t.m <= m-i && t.c <= c-q {
					break
				}
			}
			t.do(n, &a[i*lda], lda, &b[q*ldb], ldb, &dst[i*ldd+q], ldd)
			rows = t.m
			q += t.c
		}
		i += rows
	}
}
