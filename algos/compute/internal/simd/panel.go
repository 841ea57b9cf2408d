package simd

// A Form is a function of t, the sum that an entry of a tile of panels is. Panels have a row beyond their k
// components, whose numbers take part in the sum: t_ij = a_ki + Σ_l a_li b_lj where the form is of rows, b_kj +
// Σ_l a_li b_lj where it is of columns, and Σ_l a_li b_lj + b_kj + a_ki where it is of both.
type Form int

const (
	Sum         Form = iota // t
	Distance                // max(t, 0), of both; NaN stays NaN
	Cosine                  // cos(2πt)/Factor, to spare a multiplication
	Exponential             // 2^(s·max(t, 0)), of both, as Exp2 has it
)

// Panels makes tiles between panels of 48 points, with the instruction set that is in use when it is made.
type Panels[T Float] struct {
	form    Form
	columns bool
	k       int
	s       T
	set     *panelSet[T] // nil for portable code
}

// A panelTile makes n micro-tiles below each other, as many as cover whole strips.
type panelTile[T Float] func(n, k int, a *T, lda, strip int, b, c, next *T, side int, s T)

// panelSet is the micro-tiles of an instruction set, by form, one and three vectors wide, twice rows and rows high.
type panelSet[T Float] struct {
	tiles       [4][2]panelTile[T]
	rows, lanes int
}

// NewPanels returns what makes tiles of a form, of rows or columns unless it is of both, of panels of k
// components.
func NewPanels[T Float](form Form, columns bool, k int, s T) *Panels[T] {
	return &Panels[T]{form, columns, k, s, panelsOf[T]()}
}

// Factor is what numbers are to be multiplied by that tiles of cosines are summed up to.
func (p *Panels[T]) Factor() float64 {
	if p.form == Cosine {
		return float64(sinLead[T]())
	}
	return 1
}

// Tile sets the m×n tile c, m and n at most 48, to the form of sums over l < k. Rows of b and c are 48 elements
// apart. Those of a are lda elements apart, and strips of 8 columns of it strip elements: 48 and 8 in a panel, 8 and
// 8 times their rows where it is cut into strips. Rows of c up to m rounded up to a multiple of 8, and columns up to n
// rounded up to a multiple of Pad, may be overwritten. next is the panel that will be needed next.
//
// Each sum is accumulated in the order written. Vector code rounds each product and its addition once.
func (p *Panels[T]) Tile(m, n int, a []T, lda, strip int, b, c, next []T) {
	strips, left, right := (m+Strip-1)/Strip, p.k, p.k // rows
	n = (n + Pad - 1) / Pad * Pad
	if p.set == nil || p.k == 0 || m < p.set.rows || strips*Strip < 2*p.set.rows && n%(3*p.set.lanes) != 0 {
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
		if strips*Strip%height != 0 { // the last tile makes a strip again
			i := strips - height/Strip
			tile(1, p.k, &a[i*strip], lda, strip, &b[j], &c[i*Strip*Width+j], ahead, side, p.s)
		}
		j += (1 + 2*v) * p.set.lanes
	}
}

// both reports whether numbers of both panels are added.
func (p *Panels[T]) both() bool { return p.form == Distance || p.form == Exponential }

// tileBySteps is Tile by other functions of this package, with the same bits.
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
