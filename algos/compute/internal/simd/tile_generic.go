package simd

import "unsafe"

// tileGeneric is Tile in portable code. The conversions of products prevent the compiler from fusing them with additions,
// so that every platform gives the same bits.
func tileGeneric[T Float](op Op, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int, add bool) {
	if !add {
		start(op, m, n, c, ldc)
	}
	i := 0
	if op == Dot {
		for ; i+2 <= m; i += 2 {
			dotGeneric2(n, k, a[i:], lda, b, ldb, c[i*ldc:], ldc)
		}
	}
	for ; i < m; i++ {
		row := c[i*ldc:][:n]
		for l := range k {
			v, bl := a[l*lda+i], b[l*ldb:][:len(row)]
			switch op {
			case Dot:
				for j, w := range bl {
					row[j] += T(v * w)
				}
			case SquaredDifference:
				for j, w := range bl {
					row[j] += T((w - v) * (w - v))
				}
			case AbsDifference:
				for j, w := range bl {
					row[j] += max(w-v, v-w)
				}
			case Product:
				for j, w := range bl {
					row[j] += T(T((w-v)*(w-v)) * row[j])
				}
			}
		}
	}
}

// dotGeneric2 is tileGeneric for Dot with m = 2 and add: micro-tiles of 2×4.
func dotGeneric2[T Float](n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	j := 0
	for ; j+4 <= n; j += 4 {
		p, q := c[j:][:4], c[ldc+j:][:4]
		p0, p1, p2, p3 := p[0], p[1], p[2], p[3]
		q0, q1, q2, q3 := q[0], q[1], q[2], q[3]
		for l, at, bt := 0, 0, j; l < k; l, at, bt = l+1, at+lda, bt+ldb {
			v, w := a[at], a[at+1]
			x := b[bt]
			p0 += T(v * x)
			q0 += T(w * x)
			x = b[bt+1]
			p1 += T(v * x)
			q1 += T(w * x)
			x = b[bt+2]
			p2 += T(v * x)
			q2 += T(w * x)
			x = b[bt+3]
			p3 += T(v * x)
			q3 += T(w * x)
		}
		p[0], p[1], p[2], p[3] = p0, p1, p2, p3
		q[0], q[1], q[2], q[3] = q0, q1, q2, q3
	}
	for ; j < n; j++ {
		for i := range 2 {
			s := c[i*ldc+j]
			for l := range k {
				s += T(a[l*lda+i] * b[l*ldb+j])
			}
			c[i*ldc+j] = s
		}
	}
}

// peakGeneric is PeakFlops in portable code: eight independent multiplications and additions a round, on registers.
func peakGeneric[T Float](n int) int {
	var x [8]T
	keep(unsafe.Pointer(&x)) // so that the compiler takes the eight for different numbers
	x0, x1, x2, x3, x4, x5, x6, x7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	y := x[0]
	rounds := max(1, n/16)
	for range rounds {
		x0 = T(x0*y) + y
		x1 = T(x1*y) + y
		x2 = T(x2*y) + y
		x3 = T(x3*y) + y
		x4 = T(x4*y) + y
		x5 = T(x5*y) + y
		x6 = T(x6*y) + y
		x7 = T(x7*y) + y
	}
	x = [8]T{x0, x1, x2, x3, x4, x5, x6, x7}
	keep(unsafe.Pointer(&x))
	return 16 * rounds
}

//go:noinline
func keep(unsafe.Pointer) {}
