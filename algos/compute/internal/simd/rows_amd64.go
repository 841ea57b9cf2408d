//go:build !purego

package simd

// A rowTile is RowDots for a number of rows and a number of vectors and 8n terms. It continues sums, eight each, if
// more is not 0, and leaves them in sums unless there is an out.
type rowTile func(n int, a *float64, lda int, b *float64, ldb int, sums *float64, more int, out *float64, ldo int)

// rowTiles are those of an instruction set, for one vector, two and so on: of one row, and of as many as there are
// registers for.
type rowTiles struct {
	rows      []int
	one, many []rowTile
}

var rowsAVX512 = rowTiles{
	[]int{4, 4, 4, 4, 4, 4, 3, 3, 2, 2, 2, 2},
	[]rowTile{
		rowsAVX512F64_1x1, rowsAVX512F64_1x2, rowsAVX512F64_1x3, rowsAVX512F64_1x4, rowsAVX512F64_1x5, rowsAVX512F64_1x6,
		rowsAVX512F64_1x7, rowsAVX512F64_1x8, rowsAVX512F64_1x9, rowsAVX512F64_1x10, rowsAVX512F64_1x11, rowsAVX512F64_1x12,
	},
	[]rowTile{
		rowsAVX512F64_4x1, rowsAVX512F64_4x2, rowsAVX512F64_4x3, rowsAVX512F64_4x4, rowsAVX512F64_4x5, rowsAVX512F64_4x6,
		rowsAVX512F64_3x7, rowsAVX512F64_3x8, rowsAVX512F64_2x9, rowsAVX512F64_2x10, rowsAVX512F64_2x11, rowsAVX512F64_2x12,
	},
}

var rowsAVX2 = rowTiles{
	[]int{2, 2, 2},
	[]rowTile{rowsAVX2F64_1x1, rowsAVX2F64_1x2, rowsAVX2F64_1x3},
	[]rowTile{rowsAVX2F64_2x1, rowsAVX2F64_2x2, rowsAVX2F64_2x3},
}

// rowDotsVector covers the results with the largest tiles that fit. Several vectors are taken a part of the terms at a
// time, to stay in the first-level cache with the rows of a tile and the next ones; with one or two, memory is slower
// than arithmetic, and reads rows faster from end to end.
func rowDotsVector(dst []float64, ldd int, a []float64, lda, m int, b []float64, c, n int, sums []float64) {
	tiles := &rowsAVX2
	if current == AVX512 {
		tiles = &rowsAVX512
	}
	part := n
	if c > 2 {
		most := max(1, 40<<10/(8*Interleave*(c+2*tiles.rows[min(c, len(tiles.rows))-1])))
		parts := (n + most - 1) / most
		part = (n + parts - 1) / parts
	}
	for l := 0; l < n; l += part {
		for q := 0; q < c; q += len(tiles.rows) {
			v := min(c-q, len(tiles.rows)) - 1
			for i := 0; i < m; {
				rows, do := tiles.rows[v], tiles.many[v]
				if m-i < rows {
					rows, do = 1, tiles.one[v]
				}
				var out *float64
				if l+part >= n {
					out = &dst[i*ldd+q]
				}
				do(min(part, n-l), &a[i*lda+Interleave*l], lda, &b[(l*c+q)*Interleave], Interleave*c, &sums[Interleave*(q*m+i*(v+1))], l, out, ldd)
				i += rows
			}
		}
	}
}
