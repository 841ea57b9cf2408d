//go:build (amd64 || arm64) && !purego

package simd

// A rowTile is the micro-kernel of RowDots for fixed numbers of rows and vectors and 8n terms. It continues the sums, eight
// for each result, if more is not 0. It writes results to out or, if out is nil, the sums back. It prefetches the memory
// ahead elements after a and, with two rows, apart elements after that.
type rowTile[T Float] func(n int, a *T, lda, ahead, apart int, b *float64, ldb int, sums *float64, more int, out *float64, ldo int)

// rowTiles are the micro-kernels of an instruction set. Index v is for v + 1 vectors: one[v] takes one row, many[v] takes
// rows[v] rows, as many as fit the registers.
type rowTiles[T Float] struct {
	rows      []int
	one, many []rowTile[T]
}

// fetched is the prefetch distance in micro-tiles.
const fetched = 2

// ahead returns the distance in elements from row i to the micro-tile to prefetch, and from there to its second row. That
// micro-tile is fetched micro-tiles later; after the last row it is in the next part of the terms.
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

// cover computes all results with the largest micro-tiles that fit, of at most two rows if chosen is not nil. With more
// than two vectors it divides the terms into parts, so that a part of the vectors and the rows of two micro-tiles fit the L1
// cache. With one or two vectors memory limits the speed, and whole rows are read faster.
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
