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
	case kernelsOf[T]().rows != nil:
		kernelsOf[T]().rows.cover(dst, ldd, a, lda, rows, m, b, c, whole/Interleave, sums)
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
