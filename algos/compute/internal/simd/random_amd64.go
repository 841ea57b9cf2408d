//go:build !purego

package simd

// drawsVectors reports whether there is vector code of the random streams.
func drawsVectors() bool { return current != Generic }

// wordsVector is Words with vector instructions.
func wordsVector(dst []uint32, from, n int, at *Counters, keys *[rounds][2]uint32) {
	if current == AVX512 {
		philoxAVX512(&dst[0], n, &at[0][0], from, &keys[0][0])
	} else {
		philoxAVX2(&dst[0], n, &at[0][0], from, &keys[0][0])
	}
}

// rowsSingle is rows with vector instructions. Its calls are direct, which shows the compiler that no argument escapes.
func rowsSingle(v variate, dst []float32, words []uint32, scale *[Width]float32) {
	d, w, n, s := &dst[0], &words[0], len(dst)/Width, &scale[0]
	wide := current == AVX512
	switch {
	case v == normals && wide:
		normalsAVX512F32(d, w, n/2, s)
	case v == normals:
		normalsAVX2F32(d, w, n/2, s)
	case v == cauchy && wide:
		cauchyAVX512F32(d, w, n, s)
	case v == cauchy:
		cauchyAVX2F32(d, w, n, s)
	case wide:
		laplaceAVX512F32(d, w, n, s)
	default:
		laplaceAVX2F32(d, w, n, s)
	}
}

// rowsDouble is rows with vector instructions.
func rowsDouble(v variate, dst []float64, words []uint32, scale *[Width]float64) {
	d, w, n, s := &dst[0], &words[0], len(dst)/Width, &scale[0]
	wide := current == AVX512
	switch {
	case v == normals && wide:
		normalsAVX512F64(d, w, n/2, s)
	case v == normals:
		normalsAVX2F64(d, w, n/2, s)
	case v == cauchy && wide:
		cauchyAVX512F64(d, w, n, s)
	case v == cauchy:
		cauchyAVX2F64(d, w, n, s)
	case wide:
		laplaceAVX512F64(d, w, n, s)
	default:
		laplaceAVX2F64(d, w, n, s)
	}
}
