package simd

import "math"

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
	case current == Generic:
		for i := range m {
			rowDotsGeneric(dst[i*ldd:][:c], row(i), b, whole)
		}
	default:
		rowDotsVector(dst, ldd, a, lda, rows, m, b, c, whole/Interleave, sums)
	}
	for i := range m {
		x := row(i)
		for q := range c {
			s := dst[i*ldd+q]
			for l := whole; l < k; l++ {
				y := b[c*whole+q*Interleave+l-whole]
				if current == Generic {
					s += float64(float64(x[l]) * y)
				} else {
					s = math.FMA(float64(x[l]), y, s)
				}
			}
			dst[i*ldd+q] = s
		}
	}
}

func rowDotsGeneric[T Float](dst []float64, x []T, b []float64, k int) {
	for q := range dst {
		var s [Interleave]float64
		for l := 0; l < k; l += Interleave {
			y := b[l*len(dst)+q*Interleave:][:Interleave]
			for j, v := range x[l:][:Interleave] {
				s[j] += float64(float64(v) * y[j])
			}
		}
		for j := range 4 {
			s[j] += s[j+4]
		}
		dst[q] = (s[0] + s[2]) + (s[1] + s[3])
	}
}
