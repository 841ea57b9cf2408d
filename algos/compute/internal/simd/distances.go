package simd

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
	} else {
		squaredDistancesGeneric(c, a, b)
	}
}

func squaredDistancesGeneric(c, a, b []float64) {
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
