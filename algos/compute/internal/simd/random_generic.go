package simd

func wordsGeneric(dst []uint32, from, n int, at *Counters, key [2]uint32) {
	for c := range n {
		rows := dst[4*c*Width:][:4*Width]
		for j := range Width {
			w := Philox([4]uint32{at[0][j] + uint32(from+c), at[1][j], at[2][j], at[3][j]}, key)
			for q, v := range w {
				rows[q*Width+j] = v
			}
		}
	}
}

func rowsGeneric[T Float](v variate, dst []T, words []uint32, scale *[Width]T) {
	switch v {
	case normals:
		for p := 0; p < len(dst); p += 2 * Width {
			for j := range Width {
				a, b := Normals(words[p+j], words[p+Width+j])
				dst[p+j] = T(a) * scale[j]
				dst[p+Width+j] = T(b) * scale[j]
			}
		}
	case cauchy:
		for i, w := range words {
			dst[i] = T(Cauchy(w)) * scale[i%Width]
		}
	case laplace:
		for i, w := range words {
			dst[i] = T(Laplace(w)) * scale[i%Width]
		}
	}
}
