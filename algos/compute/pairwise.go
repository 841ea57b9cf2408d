package compute

// ComparePoints sets s[j] to k(a, b_j) for all j, in the layout of Pairs, which can call it with a function k
// of two points; it converts the points to float64 before it calls k.
func ComparePoints[T Float](s, a, b []T, k func(x, z []float64) float64) {
	d := len(a)
	points := make([]float64, 2*d)
	x, z := points[:d], points[d:]
	for l, v := range a {
		x[l] = float64(v)
	}
	for j := range s {
		for l := range z {
			z[l] = float64(b[l*len(s)+j])
		}
		s[j] = T(k(x, z))
	}
}
