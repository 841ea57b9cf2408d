package simd

import "math"

// Pack sets dst[l·ldd + j] to src[j·lds + l] - mean[l], rounded once for float64 and once more for
// float32: the transpose of rows × cols numbers. dst must have room for rows columns.
func Pack[T Float](dst []T, ldd int, src []float64, lds int, mean []float64, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	_, _, mean = dst[(cols-1)*ldd+rows-1], src[(rows-1)*lds+cols-1], mean[:cols]
	i, l := packVector(dst, ldd, src, lds, mean, rows, cols)
	packScalar(dst, ldd, src, lds, mean, 0, i, l, cols)
	packScalar(dst, ldd, src, lds, mean, i, rows, 0, cols)
}

// packScalar packs rows i0 ≤ j < i1 and columns l0 ≤ l < l1.
func packScalar[T Float](dst []T, ldd int, src []float64, lds int, mean []float64, i0, i1, l0, l1 int) {
	for j := i0; j < i1; j++ {
		row := src[j*lds:][:l1]
		for l := l0; l < l1; l++ {
			dst[l*ldd+j] = T(row[l] - mean[l])
		}
	}
}

// packVector packs what whole vectors cover: rows j < i and columns below l.
func packVector[T Float](dst []T, ldd int, src []float64, lds int, mean []float64, rows, cols int) (i, l int) {
	if current == Generic || cols < 4 {
		return 0, 0
	}
	l = cols &^ 3
	switch dst := any(dst).(type) {
	case []float32:
		for ; i+8 <= rows; i += 8 {
			packSingle(&dst[i], ldd, &src[i*lds], lds, &mean[0], l/4)
		}
	case []float64:
		for ; i+4 <= rows; i += 4 {
			packDouble(&dst[i], ldd, &src[i*lds], lds, &mean[0], l/4)
		}
	}
	return i, l
}

// Convert sets dst_i to src_i for i < len(src), rounded.
func Convert[T Float](dst []T, src []float64) {
	dst = dst[:len(src)]
	switch d := any(dst).(type) {
	case []float64:
		copy(d, src)
	case []float32:
		n := 0
		if n = len(src) &^ 7; n > 0 && current != Generic {
			narrow(&d[0], &src[0], n/8)
		} else {
			n = 0
		}
		for i := n; i < len(src); i++ {
			d[i] = float32(src[i])
		}
	}
}

// Spread sets columns of panels, one row of each, to src: element 48p + i goes to dst[p·stride + i]. Zeros
// fill the last panel.
func Spread[T Float](dst []T, stride int, src []float64) {
	whole := len(src) / Width
	if whole > 0 {
		_ = dst[(whole-1)*stride+Width-1]
		switch d := any(dst).(type) {
		case []float32:
			if current != Generic {
				spreadSingle(&d[0], stride, &src[0], whole)
			}
		case []float64:
			if current != Generic {
				spreadDouble(&d[0], stride, &src[0], whole)
			}
		}
	}
	if current == Generic {
		for p := range whole {
			Convert(dst[p*stride:], src[p*Width:][:Width])
		}
	}
	if rest := src[whole*Width:]; len(rest) > 0 {
		last := dst[whole*stride:][:Width]
		Convert(last, rest)
		clear(last[len(rest):])
	}
}

// AddScaled adds alpha·src_i to dst_i for i < len(src). Vector code rounds each once.
func AddScaled[T Float](dst []float64, src []T, alpha float64) {
	dst = dst[:len(src)]
	if current == Generic {
		for i, v := range src {
			dst[i] += float64(alpha * float64(v))
		}
		return
	}
	n := len(src) &^ 7
	if n > 0 {
		switch s := any(src).(type) {
		case []float32:
			addSingle(&dst[0], &s[0], alpha, n/8)
		case []float64:
			addDouble(&dst[0], &s[0], alpha, n/8)
		}
	}
	for i := n; i < len(src); i++ {
		dst[i] = math.FMA(alpha, float64(src[i]), dst[i])
	}
}

// SetScaled sets dst_i to alpha·src_i for i < len(src).
func SetScaled[T Float](dst []float64, src []T, alpha float64) {
	dst = dst[:len(src)]
	n := len(src) &^ 7
	if current == Generic {
		n = 0
	}
	if n > 0 {
		switch s := any(src).(type) {
		case []float32:
			setSingle(&dst[0], &s[0], alpha, n/8)
		case []float64:
			setDouble(&dst[0], &s[0], alpha, n/8)
		}
	}
	for i := n; i < len(src); i++ {
		dst[i] = alpha * float64(src[i])
	}
}

// Transpose sets dst[l·ldd + j] to src[j·lds + l]: the transpose of rows × cols numbers.
func Transpose[T Float](dst []T, ldd int, src []T, lds, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	_, _ = dst[(cols-1)*ldd+rows-1], src[(rows-1)*lds+cols-1]
	i, l := transposeVector(dst, ldd, src, lds, rows, cols)
	for j := range rows {
		from := 0
		if j < i {
			from = l
		}
		for k := from; k < cols; k++ {
			dst[k*ldd+j] = src[j*lds+k]
		}
	}
}

// transposeVector transposes what whole vectors cover: rows j < i and columns below l.
func transposeVector[T Float](dst []T, ldd int, src []T, lds, rows, cols int) (i, l int) {
	if current == Generic || cols < 4 {
		return 0, 0
	}
	l = cols &^ 3
	switch dst := any(dst).(type) {
	case []float32:
		for src := any(src).([]float32); i+8 <= rows; i += 8 {
			transposeSingle(&dst[i], ldd, &src[i*lds], lds, l/4)
		}
	case []float64:
		for src := any(src).([]float64); i+4 <= rows; i += 4 {
			transposeDouble(&dst[i], ldd, &src[i*lds], lds, l/4)
		}
	}
	return i, l
}
