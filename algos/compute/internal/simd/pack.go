package simd

import (
	"math"
	"unsafe"
)

// Pack sets dst to the transpose of the rows × cols matrix src minus mean: dst[l·ldd + j] = src[j·lds + l] - mean[l]. The
// difference is rounded to float64 and, for float32, once more. dst must have room for rows columns.
func Pack[T Float](dst []T, ldd int, src []float64, lds int, mean []float64, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	_, _, mean = dst[(cols-1)*ldd+rows-1], src[(rows-1)*lds+cols-1], mean[:cols]
	if f := kernelsOf[T]().packAny; f != nil {
		f(first(dst), ldd, first(src), lds, first(mean), rows, cols)
		return
	}
	i, l := inBlocks(kernelsOf[T]().pack, dst, ldd, src, lds, mean, rows, cols)
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

// inBlocks calls the function that packs or transposes as many rows as a register has numbers, for the part that whole vectors cover,
// and returns its extent: rows below i and columns below l. Without the function, 0, it is empty.
func inBlocks[T, S Float](f uintptr, dst []T, ldd int, src []S, lds int, mean []float64, rows, cols int) (i, l int) {
	h := 32 / int(unsafe.Sizeof(T(0)))
	if f == 0 || cols < 4 {
		return 0, 0
	}
	for l = cols &^ 3; i+h <= rows; i += h {
		callPack(f, address(dst[i:]), ldd, address(src[i*lds:]), lds, l/4, address(mean), 0, 0)
	}
	return i, l
}

// Convert sets dst_i to src_i rounded to T, for i < len(src).
func Convert[T Float](dst []T, src []float64) {
	dst = dst[:len(src)]
	switch d := any(dst).(type) {
	case []float64:
		copy(d, src)
	case []float32:
		n := 0
		if f := current.narrow; f != 0 && len(src) >= 8 {
			n = len(src) &^ 7
			callPack(f, address(d), 0, address(src), 0, n/8, nil, 0, 0)
		}
		for i := n; i < len(src); i++ {
			d[i] = float32(src[i])
		}
	}
}

// Spread packs the rows × cols matrix src into groups (micro-panels or panels) of w = 8 or 48 columns: it sets
// dst[p·stride + l·w + i] to src[l·lds + p·w + i], and the missing columns of the last group to 0. If stream and dst is
// aligned, it uses non-temporal stores, which bypass the caches.
func Spread[T Float](dst []T, stride, w int, src []float64, lds, rows, cols int, stream bool) {
	whole := cols / w
	of := kernelsOf[T]()
	if of.spread == 0 {
		for l := range rows {
			for p := range whole {
				Convert(dst[p*stride+l*w:], src[l*lds+p*w:][:w])
			}
		}
	} else if rows > 0 && whole > 0 {
		_, _ = dst[(whole-1)*stride+rows*w-1], src[(rows-1)*lds+whole*w-1]
		f := of.spread
		if stream && aligned(dst, stride) {
			f = of.spreadStream
		}
		callPack(f, address(dst), stride, address(src), lds, w/8, nil, rows, uint64(whole))
	}
	if rest := cols - whole*w; rest > 0 {
		for l := range rows {
			last := dst[whole*stride+l*w:][:w]
			Convert(last, src[l*lds+whole*w:][:rest])
			clear(last[rest:])
		}
	}
}

// aligned reports whether rows that are stride elements apart begin at multiples of 32 bytes.
func aligned[T Float](rows []T, stride int) bool {
	size := unsafe.Sizeof(rows[0])
	return (uintptr(unsafe.Pointer(&rows[0]))|uintptr(stride)*size)%32 == 0
}

// AddScaled adds alpha·src_i to dst_i for i < len(src). Vector code rounds once per element.
func AddScaled[T Float](dst []float64, src []T, alpha float64) {
	AddRows(dst, len(src), src, len(src), 1, len(src), alpha)
}

// AddRows adds alpha·src_ij to dst_ij for i < rows and j < cols; ldd and lds are leading dimensions. Vector code rounds
// once per element.
func AddRows[T Float](dst []float64, ldd int, src []T, lds, rows, cols int, alpha float64) {
	of := kernelsOf[T]()
	scaleRows(dst, ldd, src, lds, rows, cols, alpha, of.addAny, of.add, func(d []float64, s []T) {
		if current == portable {
			for j, v := range s {
				d[j] += float64(alpha * float64(v))
			}
			return
		}
		for j, v := range s {
			d[j] = math.FMA(alpha, float64(v), d[j])
		}
	})
}

// SetRows sets dst_ij to alpha·src_ij for i < rows and j < cols; ldd and lds are leading dimensions. If stream and dst is
// aligned, it uses non-temporal stores, which bypass the caches.
func SetRows[T Float](dst []float64, ldd int, src []T, lds, rows, cols int, alpha float64, stream bool) {
	of := kernelsOf[T]()
	f := of.set
	if stream && rows > 0 && cols > 0 && aligned(dst, ldd) {
		f = of.setStream
	}
	scaleRows(dst, ldd, src, lds, rows, cols, alpha, of.setAny, f, func(d []float64, s []T) {
		for j, v := range s {
			d[j] = alpha * float64(v)
		}
	})
}

// scaleRows calls whole with all rows or, if it is nil, vector with what eights of columns cover, unless it is 0, and rest with
// what is left of each row.
func scaleRows[T Float](dst []float64, ldd int, src []T, lds, rows, cols int, alpha float64,
	whole func(dst *float64, ldd int, src *T, lds int, alpha float64, rows, n int), vector uintptr, rest func(d []float64, s []T)) {
	if rows <= 0 || cols <= 0 {
		return
	}
	_, _ = dst[(rows-1)*ldd+cols-1], src[(rows-1)*lds+cols-1]
	if whole != nil {
		whole(first(dst), ldd, first(src), lds, alpha, rows, cols)
		return
	}
	n := 0
	if vector != 0 && cols >= 8 {
		n = cols &^ 7
		callPack(vector, address(dst), ldd, address(src), lds, n/8, nil, rows, scalar(alpha))
	}
	for i := 0; i < rows && n < cols; i++ {
		rest(dst[i*ldd+n:][:cols-n], src[i*lds+n:][:cols-n])
	}
}

// Transpose sets dst to the transpose of the rows × cols matrix src: dst[l·ldd + j] = src[j·lds + l].
func Transpose[T Float](dst []T, ldd int, src []T, lds, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	_, _ = dst[(cols-1)*ldd+rows-1], src[(rows-1)*lds+cols-1]
	if f := kernelsOf[T]().transposeAny; f != nil {
		f(first(dst), ldd, first(src), lds, rows, cols)
		return
	}
	i, l := inBlocks(kernelsOf[T]().transpose, dst, ldd, src, lds, nil, rows, cols)
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
