package compute

// ComparePoints sets s_j to k(a, b_j), in the layout of PairwiseKernel: it makes Compare and Compare32 of a plain function
// of two points, which is computed in float64 on the points as they are given.
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
