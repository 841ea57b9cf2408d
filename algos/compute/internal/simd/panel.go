package simd

// A Form is a function of t, the sum that an entry of a tile of panels is. Panels have a row beyond their k
// components, whose numbers take part in the sum: t_ij = a_ki + Σ_l a_li b_lj where the form is of rows, b_kj +
// Σ_l a_li b_lj where it is of columns, and Σ_l a_li b_lj + b_kj + a_ki where it is of both.
type Form int

const (
	Sum         Form = iota // t
	Distance                // max(t, 0), of both; NaN stays NaN
	Cosine                  // cos(2πt), as Cos has it
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

// A panelTile makes n micro-tiles below each other.
type panelTile[T Float] func(n, k int, a, b, c, next *T, side int, s T)

// panelSet is the micro-tiles of an instruction set, by form, one and three vectors wide.
type panelSet[T Float] struct {
	tiles       [4][2]panelTile[T]
	rows, lanes int
}

// NewPanels returns what makes tiles of a form, of rows or columns unless it is of both, of panels of k
// components.
func NewPanels[T Float](form Form, columns bool, k int, s T) *Panels[T] {
	return &Panels[T]{form, columns, k, s, panelsOf[T]()}
}

// Tile sets the m×n tile c, m and n at most 48, to the form of sums over l < k. Rows of a, b and c are 48
// elements apart. Columns of c up to n rounded up to a multiple of Pad are overwritten. next is the panel that
// will be needed next.
//
// Each sum is accumulated in the order written. Vector code rounds each product and its addition once.
func (p *Panels[T]) Tile(m, n int, a, b, c, next []T) {
	if p.set == nil || m < p.set.rows || p.k == 0 {
		p.tileBySteps(m, n, a, b, c)
		return
	}
	left, right := p.k, p.k // rows
	if p.both() || !p.columns {
		left++
	}
	if p.both() || p.columns {
		right++
	}
	_, _, _ = a[(left-1)*Width+m-1], b[right*Width-1], c[m*Width-1]
	times, rest, side := m/p.set.rows, m%p.set.rows, 0
	if p.columns {
		side = 1
	}
	for j := 0; j < n; {
		v := 0
		if n-j >= 3*p.set.lanes {
			v = 1
		}
		tile, ahead := p.set.tiles[p.form][v], &next[min(j*p.k, len(next)-1)]
		tile(times, p.k, &a[0], &b[j], &c[j], ahead, side, p.s)
		if rest > 0 { // some rows twice
			tile(1, p.k, &a[m-p.set.rows], &b[j], &c[(m-p.set.rows)*Width+j], ahead, side, p.s)
		}
		j += (1 + 2*v) * p.set.lanes
	}
}

// both reports whether numbers of both panels are added.
func (p *Panels[T]) both() bool { return p.form == Distance || p.form == Exponential }

// tileBySteps is Tile by other functions of this package, with the same bits.
func (p *Panels[T]) tileBySteps(m, n int, a, b, c []T) {
	n = (n + Pad - 1) / Pad * Pad
	if !p.both() {
		for i := range m {
			row := c[i*Width:][:n]
			if p.columns {
				copy(row, b[p.k*Width:])
				continue
			}
			for j := range row {
				row[j] = a[p.k*Width+i]
			}
		}
	}
	Tile(Dot, m, n, p.k, a, Width, b, Width, c, Width, !p.both())
	for i := range m {
		row := c[i*Width:][:n]
		if p.both() {
			for j, v := range b[p.k*Width:][:n] {
				row[j] = row[j] + v + a[p.k*Width+i]
			}
			ClampBelow(row, 0)
		}
		switch p.form {
		case Cosine:
			Cos(row, 1)
		case Exponential:
			Exp2(row, p.s)
		}
	}
}
