package simd

import "unsafe"

// A Form is the function of t that an entry of a tile of two panels is. t is an inner product plus numbers in row k of the
// panels, below their k components. With columns, t_ij = b_kj + Σ_l a_li b_lj; without, t_ij = a_ki + Σ_l a_li b_lj; the
// forms marked "both" have t_ij = Σ_l a_li b_lj + b_kj + a_ki.
type Form int

const (
	Sum         Form = iota // t
	Distance                // both: max(t, 0); NaN stays NaN
	Cosine                  // cos(2πt)/Factor, which saves a multiplication
	Exponential             // both: 2^(s·max(t, 0)), with the bits of Exp2
)

// Panels computes tiles between two panels of 48 points with the fused micro-kernels of the instruction set in use at
// NewPanels.
type Panels[T Float] struct {
	form    Form
	columns bool
	k       int
	s       T
	set     *panelSet // nil for portable code

	integers *Integers // nil for panels of floating-point numbers
}

// panelSet holds the fused micro-kernels of an instruction set, by form: [0] of MR = 2·rows and NR = lanes, [1] of MR = rows
// and NR = 3·lanes.
type panelSet struct {
	tiles       *[4][2]uintptr
	rows, lanes int
}

// NewPanels returns the Panels of a form, for panels of k components. columns selects the panel whose row k is added (see
// Form); s is the factor of Exponential.
func NewPanels[T Float](form Form, columns bool, k int, s T) *Panels[T] {
	return &Panels[T]{form: form, columns: columns, k: k, s: s, set: kernelsOf[T]().panels}
}

// Factor returns the factor that entries of Tile lack. The caller multiplies results by it. It is 1 except for Cosine.
func (p *Panels[T]) Factor() float64 {
	if p.form == Cosine {
		return float64(sinLead[T]())
	}
	return 1
}

// Tile sets columns from to n of the m×n tile c, m and n at most 48, to the form of the sums over l < k. Leading dimensions: 48 for b
// and c, lda for a. strip is the distance of strips of 8 columns of a. An uncut panel a has lda = 48 and strip = 8; a panel in strips
// has lda = 8 and strip = 8 times its rows. Tile may overwrite rows of c up to m rounded up to a multiple of 8, and columns
// between multiples of Pad around from and n, of panels of Integers all 48. It prefetches next into the L2 cache.
//
// The terms of each sum are added in the order written in Form. Vector code fuses each multiplication with its addition.
func (p *Panels[T]) Tile(m, from, n int, a []T, lda, strip int, b, c, next []T) {
	strips, left, right := (m+Strip-1)/Strip, p.k, p.k // left, right: rows of a and b
	whole, step := kernelsOf[T]().panel, Pad
	if whole != nil {
		step = 4 // of which it takes one vector or two
	}
	from, n = from/step*step, (n+step-1)/step*step
	if p.integers != nil {
		from, n = 0, Width
	}
	b, c, n = b[from:], c[from:], n-from
	if p.integers != nil {
		if p.set == nil {
			p.integers.tileBySteps(p.form, float32(p.s), m, any(a).([]float32), lda, strip, any(b).([]float32), any(c).([]float32))
			return
		}
	} else if p.k == 0 || m == 0 || whole == nil && (!p.set.covers(m, n) || p.k*Width*int(unsafe.Sizeof(c[0])) > deepBytes) {
		p.tileBySteps(m, n, a, lda, strip, b, c)
		return
	}
	if p.both() || !p.columns {
		left++
	}
	if p.both() || p.columns {
		right++
	}
	_, _, _ = a[(strips-1)*strip+(left-1)*lda+Strip-1], b[right*Width-1-from], c[strips*Strip*Width-1-from]
	if whole != nil && p.integers == nil {
		whole(p.form, p.columns, m, n, p.k, first(a), lda, strip, first(b), first(c), p.s)
		return
	}
	side := 0
	if p.columns {
		side = 1
	}
	for j := 0; j < n; {
		v, height := 0, 2*p.set.rows
		if n-j >= 3*p.set.lanes {
			v, height = 1, p.set.rows
		}
		tile, ahead, s := p.set.tiles[p.form][v], unsafe.Pointer(&next[min(j*p.k, len(next)-1)]), scalar(p.s)
		callPanel(tile, strips*Strip/height, p.k, unsafe.Pointer(&a[0]), lda, strip, unsafe.Pointer(&b[j]), unsafe.Pointer(&c[j]), ahead, side, s)
		if strips*Strip%height != 0 { // the last tile computes one strip again
			i := strips - height/Strip
			callPanel(tile, 1, p.k, unsafe.Pointer(&a[i*strip]), lda, strip, unsafe.Pointer(&b[j]), unsafe.Pointer(&c[i*Strip*Width+j]),
				ahead, side, s)
		}
		j += (1 + 2*v) * p.set.lanes
	}
}

// deepBytes is the size of a panel from which on a tile is computed by steps, a quarter of it at a time: the components of a
// fused micro-tile do not fit the L1 cache, and are read again for each.
const deepBytes = 192 << 10

// covers reports whether there are micro-tiles for m rows, which may be more up to whole strips, and n columns.
func (s *panelSet) covers(m, n int) bool {
	return s != nil && m >= s.rows && ((m+Strip-1)/Strip*Strip >= 2*s.rows || n%(3*s.lanes) == 0)
}

// both reports whether the form adds numbers of both panels.
func (p *Panels[T]) both() bool { return p.form == Distance || p.form == Exponential }

// tileBySteps is Tile composed of other functions of this package. It gives the same bits.
func (p *Panels[T]) tileBySteps(m, n int, a []T, lda, strip int, b, c []T) {
	last := func(i int) T { return a[i/Strip*strip+p.k*lda+i%Strip] }
	if !p.both() {
		for i := range m {
			row := c[i*Width:][:n]
			if p.columns {
				copy(row, b[p.k*Width:])
				continue
			}
			of := last(i)
			for j := range row {
				row[j] = of
			}
		}
	}
	high := Strip
	if strip == Strip { // not cut
		high = Width
	}
	part := deepBytes / 4 / Width / int(unsafe.Sizeof(c[0]))
	for l := 0; l == 0 || l < p.k; l += part {
		for i := 0; i < m; i += high {
			Tile(Dot, min(high, m-i), n, min(part, p.k-l), a[min(i/Strip*strip+l*lda, len(a)):], lda, b[l*Width:], Width, c[i*Width:], Width, l > 0 || !p.both())
		}
	}
	for i := range m {
		row := c[i*Width:][:n]
		if p.both() {
			of := last(i)
			for j, v := range b[p.k*Width:][:n] {
				row[j] = row[j] + v + of
			}
			ClampBelow(row, 0)
		}
		switch p.form {
		case Cosine:
			cosOverLead(row, 1)
		case Exponential:
			Exp2(row, p.s)
		}
	}
}

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
	tiles               *panelSet
	group               int
	packLeft, packRight uintptr // see callPack
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
		p.set = i.set.tiles
	}
	return p
}

// Pack writes a panel b or, if left, a. points holds Components rows of 48 numbers, those after the k-th 0; integers are scale
// times them, rounded. Rows of the panel are lda elements apart, its strips of 8 points strip elements.
func (i *Integers) Pack(panel []float32, lda, strip int, points []float32, scale float32, left bool) {
	rows := i.Rows()
	_, _ = points[rows*i.group*Width-1], panel[(Width/Strip-1)*strip+rows*lda+Strip-1]
	if i.set != nil {
		f := i.set.packRight
		if left {
			f = i.set.packLeft
		}
		callPack(f, address(panel), lda, address(points), strip, rows, nil, 0, scalar(scale))
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
