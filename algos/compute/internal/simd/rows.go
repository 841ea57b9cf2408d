package simd

import "math"

// Interleave is the number of terms of a vector that lie next to each other in the operands of RowDots: term l of
// vector q of c is at (l/8·c + q)·8 + l mod 8.
const Interleave = 8

// RowDots sets dst_iq to Σ_l a_il b_ql for m rows of a and c interleaved vectors, l < k, in float64. Rows are
// ldd and lda elements apart; sums is room for 8mc numbers. Each sum is eight interleaved ones, those four apart
// added first, then those two apart, then the last two, to which the last k mod 8 terms are added in order. Vector
// code rounds each product and its addition once.
func RowDots(dst []float64, ldd int, a []float64, lda, m int, b []float64, c, k int, sums []float64) {
	if m == 0 || c == 0 {
		return
	}
	whole := k &^ (Interleave - 1)
	if k > 0 {
		_, _ = a[(m-1)*lda+k-1], b[c*whole+k-whole-1]
	}
	_, _ = dst[(m-1)*ldd+c-1], sums[Interleave*m*c-1]
	switch {
	case whole == 0:
		for i := range m {
			clear(dst[i*ldd:][:c])
		}
	case current == Generic:
		rowDotsGeneric(dst, ldd, a, lda, m, b, c, whole)
	default:
		rowDotsVector(dst, ldd, a, lda, m, b, c, whole/Interleave, sums)
	}
	for i := range m {
		for q := range c {
			s := dst[i*ldd+q]
			for l := whole; l < k; l++ {
				x, y := a[i*lda+l], b[c*whole+q*Interleave+l-whole]
				if current == Generic {
					s += float64(x * y)
				} else {
					s = math.FMA(x, y, s)
				}
			}
			dst[i*ldd+q] = s
		}
	}
}

func rowDotsGeneric(dst []float64, ldd int, a []float64, lda, m int, b []float64, c, k int) {
	for i := range m {
		for q := range c {
			var s [Interleave]float64
			x := a[i*lda:][:k]
			for l := 0; l < k; l += Interleave {
				y := b[l*c+q*Interleave:][:Interleave]
				for j, v := range x[l:][:Interleave] {
					s[j] += float64(v * y[j])
				}
			}
			for j := range 4 {
				s[j] += s[j+4]
			}
			dst[i*ldd+q] = (s[0] + s[2]) + (s[1] + s[3])
		}
	}
}
