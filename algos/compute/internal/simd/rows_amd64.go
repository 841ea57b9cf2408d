//go:build !purego

package simd

// A rowTile is RowDots for a number of rows and a number of vectors and 8n terms. It continues sums, eight each, if
// more is not 0, and leaves them in sums unless there is an out. Meanwhile it fetches what lies ahead of a by so many
// elements, and of two rows a second one that is apart from that.
type rowTile[T Float] func(n int, a *T, lda, ahead, apart int, b *float64, ldb int, sums *float64, more int, out *float64, ldo int)

// rowTiles are those of an instruction set, for one vector, two and so on: of one row, and of as many as there are
// registers for.
type rowTiles[T Float] struct {
	rows      []int
	one, many []rowTile[T]
}

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

// fetched is how many tiles ahead memory is read.
const fetched = 2

// ahead returns how far from row i, in elements, the tile begins that comes fetched tiles of so many rows later, and
// how far from there its second row: in the next part of the terms where the rows are at their end.
func (t *rowTiles[T]) ahead(lda int, chosen []int, m, i, rows, part int) (first, apart int) {
	next, terms := i+fetched*rows, 0
	if next >= m {
		next, terms = min(next-m, m-1), Interleave*part
	}
	second := min(next+1, m-1)
	if chosen != nil {
		next, second, i = chosen[next], chosen[second], chosen[i]
	}
	return (next-i)*lda + terms, (second - next) * lda
}

// cover covers the results with the largest tiles that fit, of at most two rows where rows are chosen. Several vectors are
// taken a part of the terms at a time, to stay in the first-level cache with the rows of a tile and the next ones;
// with one or two, memory is slower than arithmetic, and reads rows faster from end to end.
func (t *rowTiles[T]) cover(dst []float64, ldd int, a []T, lda int, chosen []int, m int, b []float64, c, n int, sums []float64) {
	part := n
	if c > 2 {
		most := max(1, 40<<10/(8*Interleave*(c+2*t.rows[min(c, len(t.rows))-1])))
		parts := (n + most - 1) / most
		part = (n + parts - 1) / parts
	}
	for l := 0; l < n; l += part {
		for q := 0; q < c; q += len(t.rows) {
			v := min(c-q, len(t.rows)) - 1
			for i := 0; i < m; {
				rows, do, at, apart := t.rows[v], t.many[v], i, lda
				if chosen != nil {
					at = chosen[i]
				}
				if m-i < rows || chosen != nil && rows > 2 {
					rows, do = 1, t.one[v]
				} else if chosen != nil {
					apart = (chosen[i+1] - chosen[i]) * lda
				}
				var out *float64
				if l+part >= n {
					out = &dst[i*ldd+q]
				}
				next, nextApart := t.ahead(lda, chosen, m, i, rows, part)
				do(min(part, n-l), &a[at*lda+Interleave*l], apart, next, nextApart, &b[(l*c+q)*Interleave], Interleave*c, &sums[Interleave*(q*m+i*(v+1))], l, out, ldd)
				i += rows
			}
		}
	}
}
