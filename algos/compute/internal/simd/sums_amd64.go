//go:build !purego

package simd

func weighWhole[T Float](c, a, b []T, k int) {
	switch c := any(c).(type) {
	case []float32:
		a, b := any(a).([]float32), any(b).([]float32)
		switch current {
		case AVX512:
			weighAVX512F32(k, &a[0], &b[0], Width, &c[0])
			return
		case AVX2:
			weighAVX2F32(k, &a[0], &b[0], Width, &c[0])
			return
		}
	case []float64:
		a, b := any(a).([]float64), any(b).([]float64)
		switch current {
		case AVX512:
			weighAVX512F64(k, &a[0], &b[0], Width, &c[0])
			return
		case AVX2:
			weighAVX2F64(k, &a[0], &b[0], Width, &c[0])
			return
		}
	}
	weighGeneric(c, a, b, k)
}

func squares[T Float](c, b []T, k int) {
	switch c := any(c).(type) {
	case []float32:
		b := any(b).([]float32)
		switch current {
		case AVX512:
			squaresAVX512F32(k, &b[0], Width, &c[0])
			return
		case AVX2:
			squaresAVX2F32(k, &b[0], Width, &c[0])
			return
		}
	case []float64:
		b := any(b).([]float64)
		switch current {
		case AVX512:
			squaresAVX512F64(k, &b[0], Width, &c[0])
			return
		case AVX2:
			squaresAVX2F64(k, &b[0], Width, &c[0])
			return
		}
	}
	squaresGeneric(c, b, k)
}
