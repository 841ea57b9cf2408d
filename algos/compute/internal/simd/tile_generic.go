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
		for l := range k {
			al, bl := a[l*lda:][:2], b[l*ldb+j:][:4]
			v, w := al[0], al[1]
			b0, b1, b2, b3 := bl[0], bl[1], bl[2], bl[3]
			p0 += T(v * b0)
			p1 += T(v * b1)
			p2 += T(v * b2)
			p3 += T(v * b3)
			q0 += T(w * b0)
			q1 += T(w * b1)
			q2 += T(w * b2)
			q3 += T(w * b3)
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

// peakGeneric is PeakFlops in portable code: eight independent multiply-adds a round.
func peakGeneric[T Float](n int) int {
	var x [8]T
	rounds := max(1, n/16)
	var y T
	for range rounds {
		x[0] += y * y
		x[1] += y * y
		x[2] += y * y
		x[3] += y * y
		x[4] += y * y
		x[5] += y * y
		x[6] += y * y
		x[7] += y * y
	}
	keep(unsafe.Pointer(&x))
	return 16 * rounds
}

//go:noinline
func keep(unsafe.Pointer) {}
