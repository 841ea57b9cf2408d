package simd

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
	set     *panelSet[T] // nil for portable code

	integers *Integers // nil for panels of floating-point numbers
}

// A panelTile computes n micro-tiles below each other, which cover whole strips.
type panelTile[T Float] func(n, k int, a *T, lda, strip int, b, c, next *T, side int, s T)

// panelSet holds the fused micro-kernels of an instruction set, by form: [0] of MR = 2·rows and NR = lanes, [1] of MR = rows
// and NR = 3·lanes.
type panelSet[T Float] struct {
	tiles       [4][2]panelTile[T]
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

// Tile sets the m×n tile c, m and n at most 48, to the form of the sums over l < k. Leading dimensions: 48 for b and c, lda
// for a. strip is the distance of strips of 8 columns of a. An uncut panel a has lda = 48 and strip = 8; a panel in strips
// has lda = 8 and strip = 8 times its rows. Tile may overwrite rows of c up to m rounded up to a multiple of 8, and
// columns up to n rounded up to a multiple of Pad, of panels of Integers all 48. It prefetches next into the L2 cache.
//
// The terms of each sum are added in the order written in Form. Vector code fuses each multiplication with its addition.
func (p *Panels[T]) Tile(m, n int, a []T, lda, strip int, b, c, next []T) {
	strips, left, right := (m+Strip-1)/Strip, p.k, p.k // left, right: rows of a and b
	n = (n + Pad - 1) / Pad * Pad
	if p.integers != nil {
		n = Width
		if p.set == nil {
			p.integers.tileBySteps(p.form, float32(p.s), m, any(a).([]float32), lda, strip, any(b).([]float32), any(c).([]float32))
			return
		}
	} else if p.set == nil || p.k == 0 || m < p.set.rows || strips*Strip < 2*p.set.rows && n%(3*p.set.lanes) != 0 {
		p.tileBySteps(m, n, a, lda, strip, b, c)
		return
	}
	if p.both() || !p.columns {
		left++
	}
	if p.both() || p.columns {
		right++
	}
	_, _, _ = a[(strips-1)*strip+(left-1)*lda+Strip-1], b[right*Width-1], c[strips*Strip*Width-1]
	side := 0
	if p.columns {
		side = 1
	}
	for j := 0; j < n; {
		v, height := 0, 2*p.set.rows
		if n-j >= 3*p.set.lanes {
			v, height = 1, p.set.rows
		}
		tile, ahead := p.set.tiles[p.form][v], &next[min(j*p.k, len(next)-1)]
		tile(strips*Strip/height, p.k, &a[0], lda, strip, &b[j], &c[j], ahead, side, p.s)
		if strips*Strip%height != 0 { // the last tile computes one strip again
			i := strips - height/Strip
			tile(1, p.k, &a[i*strip], lda, strip, &b[j], &c[i*Strip*Width+j], ahead, side, p.s)
		}
		j += (1 + 2*v) * p.set.lanes
	}
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
			for j := range row {
				row[j] = last(i)
			}
		}
	}
	for i := 0; i < m; i += Strip {
		Tile(Dot, min(Strip, m-i), n, p.k, a[min(i/Strip*strip, len(a)):], lda, b, Width, c[i*Width:], Width, !p.both())
	}
	for i := range m {
		row := c[i*Width:][:n]
		if p.both() {
			for j, v := range b[p.k*Width:][:n] {
				row[j] = row[j] + v + last(i)
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
