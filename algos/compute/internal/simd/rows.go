package simd

import "math"

// RowDots sets dst_iq to Σ_l a_il b_ql for m rows of a and c rows of b, l < k, in float64. Rows are ldd, lda
// and ldb elements apart. Each sum is eight interleaved ones, those four apart added first, then those two
// apart, then the last two, to which the last k mod 8 terms are added in order. Vector code rounds each
// product and its addition once.
func RowDots(dst []float64, ldd int, a []float64, lda, m int, b []float64, ldb, c, k int) {
	if m == 0 || c == 0 {
		return
	}
	whole := k &^ 7
	if k > 0 {
		_, _ = a[(m-1)*lda+k-1], b[(c-1)*ldb+k-1]
	}
	_ = dst[(m-1)*ldd+c-1]
	switch {
	case whole == 0:
		for i := range m {
			clear(dst[i*ldd:][:c])
		}
	case current == Generic:
		rowDotsGeneric(dst, ldd, a, lda, m, b, ldb, c, whole)
	default:
		rowDotsVector(dst, ldd, a, lda, m, b, ldb, c, whole/8)
	}
	for i := range m {
		for q := range c {
			s := dst[i*ldd+q]
			for l := whole; l < k; l++ {
				if current == Generic {
					s += float64(a[i*lda+l] * b[q*ldb+l])
				} else {
					s = math.FMA(a[i*lda+l], b[q*ldb+l], s)
				}
			}
			dst[i*ldd+q] = s
		}
	}
}

func rowDotsGeneric(dst []float64, ldd int, a []float64, lda, m int, b []float64, ldb, c, k int) {
	for i := range m {
		for q := range c {
			var s [8]float64
			x, y := a[i*lda:][:k], b[q*ldb:][:k]
			for len(x) >= 8 && len(y) >= 8 {
				for j := range s {
					s[j] += float64(x[j] * y[j])
				}
				x, y = x[8:], y[8:]
			}
			for j := range 4 {
				s[j] += s[j+4]
			}
			dst[i*ldd+q] = (s[0] + s[2]) + (s[1] + s[3])
		}
	}
}
