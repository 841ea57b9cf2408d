package simd

import (
	"unsafe"
)

// MostIntegers is the largest number of components of a panel of integers. Sums of their products fit 32 bits.
const MostIntegers = 1 << 15

// Integers describes panels of points whose k components are integers from 0 to 255. An element of a panel holds as many
// components as one multiply-add of the instruction set takes: four with VNNI, two with other AVX code, one elsewhere. The
// squared distances of their tiles are exact until they are rounded to float32.
//
// Beside the components x_l of its points, a panel b has a row with Σ x_l² - 254 Σ x_l. A panel a holds 127 - z_l, which fits
// a signed byte, and a row with Σ z_l². So ‖x - z‖² is twice the inner product plus both rows.
type Integers struct {
	k     int // components
	group int // components in an element
	set   *integerSet
}

// integerSet holds the functions of an instruction set: micro-kernels with three vectors of columns, the number of integers
// in an element, and the packing of both sides.
type integerSet struct {
	tiles               panelSet[float32]
	group               int
	packLeft, packRight func(n int, points *float32, scale float32, panel *float32, lda, strip int)
}

// NewIntegers returns the panels of k integers with the instruction set in use. It panics if they are more than MostIntegers.
func NewIntegers(k int) *Integers {
	if k > MostIntegers {
		panic("simd: too many integers for exact sums")
	}
	i := &Integers{k: k, group: 1, set: current.integers}
	if i.set != nil {
		i.group = i.set.group
	}
	return i
}

// Rows returns the number of rows of elements of a panel, without the row of norms.
func (i *Integers) Rows() int { return (i.k + i.group - 1) / i.group }

// Components returns k rounded up to whole rows of elements.
func (i *Integers) Components() int { return i.Rows() * i.group }

// Panels returns the tiles of s·‖x - z‖² with the form Distance, of 2^(s·‖x - z‖²) with Exponential.
func (i *Integers) Panels(form Form, s float32) *Panels[float32] {
	p := &Panels[float32]{form: form, k: i.Rows(), s: s, integers: i}
	if i.set != nil {
		p.set = &i.set.tiles
	}
	return p
}

// Pack writes a panel b or, if left, a. points holds Components rows of 48 numbers, those after the k-th 0; integers are scale
// times them, rounded. Rows of the panel are lda elements apart, its strips of 8 points strip elements.
func (i *Integers) Pack(panel []float32, lda, strip int, points []float32, scale float32, left bool) {
	rows := i.Rows()
	_, _ = points[rows*i.group*Width-1], panel[(Width/Strip-1)*strip+rows*lda+Strip-1]
	switch {
	case i.set != nil && left:
		i.set.packLeft(rows, &points[0], scale, &panel[0], lda, strip)
		return
	case i.set != nil:
		i.set.packRight(rows, &points[0], scale, &panel[0], lda, strip)
		return
	}
	for j := range Width {
		column, sum := panel[j/Strip*strip+j%Strip:], int32(0)
		for l := range rows {
			v := int32(float32(points[l*Width+j]*scale) + 0.5)
			if left {
				sum += v * v
				v = 127 - v
			} else {
				sum += v * (v - 254)
			}
			column[l*lda] = float32(v)
		}
		words(column)[rows*lda] = uint32(sum)
	}
}

// words returns the memory of elements as their bits.
func words(s []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// exactTerms is the number of products of x ≤ 255 and |127 - z| ≤ 128 whose sums are integers that float32 has.
const exactTerms = 1 << 24 / (255 * 128)

// tileBySteps is Tile of Panels composed of other functions of this package, with all 48 columns. It gives the same bits.
func (i *Integers) tileBySteps(form Form, s float32, m int, a []float32, lda, strip int, b, c []float32) {
	var part [Strip * Width]float32
	var sums [Strip * Width]int32
	right := words(b[i.k*Width:][:Width])
	for r := 0; r < m; r += Strip {
		clear(sums[:])
		a := a[r/Strip*strip:]
		for l := 0; l < i.k; l += exactTerms {
			Tile(Dot, Strip, Width, min(exactTerms, i.k-l), a[l*lda:], lda, b[l*Width:], Width, part[:], Width, false)
			for j, x := range part {
				sums[j] += int32(x)
			}
		}
		left, c := words(a[i.k*lda:][:Strip]), c[r*Width:][:Strip*Width]
		for j, sum := range sums {
			c[j] = float32(2*sum + int32(right[j%Width]) + int32(left[j/Width]))
		}
		if form == Exponential {
			Exp2(c, s)
		} else {
			Scale(c, s)
		}
	}
}
