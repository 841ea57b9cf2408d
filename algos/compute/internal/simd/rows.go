package simd

import (
	"math"
	"unsafe"
)

// Interleave is the number of consecutive terms of a vector that are contiguous in the operand b of RowDots: of c vectors,
// term l of vector q is at (l/8·c + q)·8 + l mod 8.
const Interleave = 8

// RowDots sets the m×c matrix dst to Σ_l a_il b_ql over l < k, in float64, for m rows of a and c interleaved vectors b. ldd
// and lda are leading dimensions; rows, if not nil, lists the rows of a. sums is scratch memory for 8mc numbers. Each
// sum is accumulated as eight interleaved ones, s_0 … s_7. They are added as ((s_0 + s_4) + (s_2 + s_6)) + ((s_1 + s_5) +
// (s_3 + s_7)); then the last k mod 8 terms are added in order. Vector code fuses each multiplication with its addition.
func RowDots[T Float](dst []float64, ldd int, a []T, lda int, rows []int, m int, b []float64, c, k int, sums []float64) {
	if m == 0 || c == 0 {
		return
	}
	whole := k &^ (Interleave - 1)
	row := func(i int) []T {
		if rows != nil {
			i = rows[i]
		}
		return a[i*lda:][:k]
	}
	if k > 0 {
		for i := range m {
			row(i)
		}
		_ = b[c*whole+k-whole-1]
	}
	_, _ = dst[(m-1)*ldd+c-1], sums[Interleave*m*c-1]
	switch {
	case whole == 0:
		for i := range m {
			clear(dst[i*ldd:][:c])
		}
	case kernelsOf[T]().rows != nil:
		cover(kernelsOf[T]().rows, dst, ldd, a, lda, rows, m, b, c, whole/Interleave, sums)
	case kernelsOf[T]().rowDots != nil:
		kernelsOf[T]().rowDots(m, first(dst), ldd, first(a), lda, unsafe.SliceData(rows), first(b), c, whole/Interleave)
	default:
		for i := range m {
			rowDotsGeneric(dst[i*ldd:][:c], row(i), b, whole)
		}
	}
	for i := range m {
		x := row(i)
		for q := range c {
			s := dst[i*ldd+q]
			for l := whole; l < k; l++ {
				y := b[c*whole+q*Interleave+l-whole]
				if current == portable {
					s += float64(float64(x[l]) * y)
				} else {
					s = math.FMA(float64(x[l]), y, s)
				}
			}
			dst[i*ldd+q] = s
		}
	}
}

// rowDotsGeneric is RowDots for one row of k terms, a multiple of eight.
func rowDotsGeneric[T Float](dst []float64, x []T, b []float64, k int) {
	for q := range dst {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for l := 0; l < k; l += Interleave {
			u, v := (*[Interleave]T)(x[l:]), (*[Interleave]float64)(b[l*len(dst)+q*Interleave:])
			s0 += float64(float64(u[0]) * v[0])
			s1 += float64(float64(u[1]) * v[1])
			s2 += float64(float64(u[2]) * v[2])
			s3 += float64(float64(u[3]) * v[3])
			s4 += float64(float64(u[4]) * v[4])
			s5 += float64(float64(u[5]) * v[5])
			s6 += float64(float64(u[6]) * v[6])
			s7 += float64(float64(u[7]) * v[7])
		}
		dst[q] = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
	}
}

// rowTiles are the micro-kernels of an instruction set: tiles[i][v] takes i + 1 rows, at most rows[v], and v + 1 vectors. From
// half of the vectors on, rows does not increase, so that micro-tiles of uneven parts of many vectors can have the same rows.
type rowTiles struct {
	rows  []int
	tiles *[rowsMost][rowVectorsMost]uintptr
}

// rowPlaces are where rows begin in a, those of a micro-tile and those to prefetch.
type rowPlaces struct{ rows, next [4]int }

// fetched is the prefetch distance in micro-tiles.
const fetched = 2

// places returns the places of h rows from row i on. The rows to prefetch are fetched micro-tiles later; after the last row they
// are in the next part of the terms.
func (t *rowTiles) places(lda int, chosen []int, m, i, h, part int) (p rowPlaces) {
	at := func(i int) int {
		if chosen != nil {
			i = chosen[i]
		}
		return i * lda
	}
	for j := range h {
		p.rows[j] = at(i + j)
		if next := i + fetched*h + j; next < m {
			p.next[j] = at(next)
		} else {
			p.next[j] = at(min(next-m, m-1)) + Interleave*part
		}
	}
	return p
}

// split returns the number of vectors of a micro-tile, and of how many groups of eight terms it adds. With more than two vectors,
// those and the rows of two micro-tiles then fit the L1 cache. With one or two vectors memory limits the speed: all terms at once,
// so that memory is read in order. size is that of an element of the rows.
func (t *rowTiles) split(c, n, size int) (vectors, part int) {
	vectors = evenly(c, len(t.rows))
	if c <= 2 {
		return vectors, n
	}
	group := Interleave * (8*c + 2*size*t.rows[vectors-1])
	return vectors, evenly(n, max(1, 28<<10/group))
}

// evenly divides n into as few parts of at most most as possible, and returns the size of the largest.
func evenly(n, most int) int {
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts
}

// cover computes all results with the largest micro-tiles that fit the registers.
func cover[T Float](t *rowTiles, dst []float64, ldd int, a []T, lda int, chosen []int, m int, b []float64, c, n int, sums []float64) {
	vectors, part := t.split(c, n, int(unsafe.Sizeof(T(0))))
	most := t.rows[vectors-1]
	for l := 0; l < n; l += part {
		for i, h := 0, 0; i < m; i += h {
			h = min(m-i, most)
			p := t.places(lda, chosen, m, i, h, part)
			for q, v := 0, 0; q < c; q += v {
				v = min(c-q, vectors)
				var out unsafe.Pointer
				if l+part >= n {
					out = unsafe.Pointer(&dst[i*ldd+q])
				}
				r, f, x := &p.rows, &p.next, p.rows[0]
				callRow(t.tiles[h-1][v-1], min(part, n-l), unsafe.Pointer(&a[x+Interleave*l]), r[1]-x, r[2]-x, r[3]-x,
					f[0]-x, f[1]-x, f[2]-x, f[3]-x, unsafe.Pointer(&b[(l*c+q)*Interleave]), Interleave*c,
					unsafe.Pointer(&sums[Interleave*(q*m+i*v)]), l, out, ldd)
			}
		}
	}
}
