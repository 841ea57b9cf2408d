package simd

// Width is the number of columns of a packed panel: 48 points or features. Component i of point j is element i·Width + j.
const Width = 48

// Weigh sets c_j to Σ_l a_l b_lj for the 48 columns of the k×48 matrix b, whose rows are ldb apart. It adds four interleaved sums as
// (s_0 + s_1) + (s_2 + s_3), then the last k mod 4 terms in order. Vector code fuses each multiplication with its addition,
// and takes subnormal numbers for 0.
func Weigh[T Float](c, a, b []T, ldb, k int) {
	c, a, b = c[:Width], a[:k], b[:max(k-1, 0)*ldb+min(k, 1)*Width]
	whole := k &^ 3
	if whole > 0 {
		if f := kernelsOf[T]().weigh; f != nil {
			f(whole/4, first(a), first(b), ldb, first(c))
		} else {
			weighGeneric(c, a, b, ldb, whole/4)
		}
	}
	if whole < k {
		Tile(Dot, 1, Width, k-whole, a[whole:], 1, b[whole*ldb:], ldb, c, Width, whole > 0)
	} else if k == 0 {
		clear(c)
	}
}

// weighGeneric has the sums of two columns in variables at a time.
func weighGeneric[T Float](c, a, b []T, ldb, k int) {
	for j := 0; j < len(c); j += 2 {
		var p0, p1, p2, p3, q0, q1, q2, q3 T
		for l, at := 0, j; l < k; l, at = l+1, at+4*ldb {
			v := (*[4]T)(a[4*l:])
			w := (*[2]T)(b[at:])
			p0, q0 = p0+T(v[0]*w[0]), q0+T(v[0]*w[1])
			w = (*[2]T)(b[at+ldb:])
			p1, q1 = p1+T(v[1]*w[0]), q1+T(v[1]*w[1])
			w = (*[2]T)(b[at+2*ldb:])
			p2, q2 = p2+T(v[2]*w[0]), q2+T(v[2]*w[1])
			w = (*[2]T)(b[at+3*ldb:])
			p3, q3 = p3+T(v[3]*w[0]), q3+T(v[3]*w[1])
		}
		c[j] = (p0 + p1) + (p2 + p3)
		if j+1 < len(c) {
			c[j+1] = (q0 + q1) + (q2 + q3)
		}
	}
}

// Squares sets c_j to Σ_l b_lj² for the 48 columns of the k×48 matrix b, in the order and with the roundings of Tile.
func Squares[T Float](c, b []T, k int) {
	c, b = c[:Width], b[:k*Width]
	if f := kernelsOf[T]().squares; f != nil && k > 0 {
		f(k, first(b), Width, first(c))
		return
	}
	clear(c)
	for l := range k {
		for j, v := range b[l*Width:][:Width] {
			c[j] += T(v * v)
		}
	}
}

// Accumulate adds x_j to acc_j for all j below len(x) rounded down to a multiple of 48.
func Accumulate[T Float](acc []float64, x []T) {
	x = x[:len(x)/Width*Width]
	acc = acc[:len(x)]
	if f := kernelsOf[T]().accumulate; f != 0 && len(x) > 0 {
		callSum(f, len(x)/Width, address(x), nil, address(acc), 0, 0)
		return
	}
	for j, v := range x {
		acc[j] += float64(v)
	}
}

// SquaredDistances sets c_j to Σ_l (a_l - b_lj)², l < k, for the 48 columns of the k×48 matrix b. It adds four interleaved
// sums, of which the first takes the last k mod 4 terms too, as (s_0 + s_1) + (s_2 + s_3). Nothing is fused: the bits are the
// same everywhere.
func SquaredDistances(c, a, b []float64, k int) {
	c, a, b = c[:Width], a[:k], b[:k*Width]
	if k == 0 {
		clear(c)
		return
	}
	if f := current.squaredDistances; f != nil {
		f(k, first(a), first(b), first(c))
		return
	}
	var s [4][Width]float64
	for l, v := range a {
		chain := l % 4
		if l >= len(a)&^3 {
			chain = 0
		}
		sum := &s[chain]
		for j, w := range b[l*Width:][:Width] {
			d := v - w
			sum[j] += float64(d * d)
		}
	}
	for j := range c {
		c[j] = (s[0][j] + s[1][j]) + (s[2][j] + s[3][j])
	}
}

// vectorDots is Dots for 4k terms, in vectors, where there is such a function.
var vectorDots func(k int, a, b, out *float64)

// Dots returns Σ_l a_4l b_4l, and those of the places 4l + 1, 4l + 2 and 4l + 3, over the whole fours of two vectors of one length. Nothing is
// fused.
func Dots(a, b []float64) (s [4]float64) {
	k := len(a) / 4
	b = b[:len(a)]
	if vectorDots != nil && k > 0 {
		vectorDots(k, first(a), first(b), first(s[:]))
		return s
	}
	var s0, s1, s2, s3 float64
	for i := 0; i < 4*k; i += 4 {
		x, y := (*[4]float64)(a[i:]), (*[4]float64)(b[i:])
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
	}
	return [4]float64{s0, s1, s2, s3}
}
