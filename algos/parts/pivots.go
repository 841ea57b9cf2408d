package parts

import (
	"math"
	"slices"
	"sort"

	"repro/algos"
	"repro/algos/compute"
)

// Greedy takes the largest entry of the diagonal of what is left for the next pivot.
const Greedy = "greedy"

// An Approximation of a kernel matrix K is FFᵀ, from a partial Cholesky factorisation.
type Approximation struct {
	F    compute.Matrix // n×r
	Rows []int          // pivots
	Left float64        // tr(K - FFᵀ)/tr K
}

// Approximate factorises K = k(X, X) with r pivots of the rows of x, chosen in the named way:
//
//   - uniform: without replacement, all at once.
//   - greedy: one at a time, the largest entry of the diagonal of K - FFᵀ.
//   - rpcholesky: block at a time, or min(100, ⌈r/10⌉) if block is 0, each with a probability proportional to its entry of that
//     diagonal, a row that is drawn again left out [Chen, Epperly, Tropp & Webber 2022, Alg. 2.1 and, for blocks, Alg. 2.2]. One at a
//     time they are distributed as PivotedLandmarks.
//
// The Cholesky factor of the block H of K - FFᵀ at new pivots has max(tr H, 4 max_i H_ii)·2⁻¹⁰⁶ on its diagonal, as in the authors' code, or
// more: see Shifted. There are fewer than r pivots if the diagonal becomes rounding errors.
func Approximate(p *algos.Problem, x compute.Matrix, way string, r, block int) Approximation {
	c, s := newPivoted(p, x, r), compute.NewStream(p.Seed, "pivots", 0)
	whole := sum(c.d)
	if block == 0 {
		block = proposedTogether(r)
	}
	for len(c.rows) < r && c.some() {
		pivots := c.choose(s, way, min(block, r-len(c.rows)))
		g := c.residual(pivots)
		h := columns(g, pivots)
		trace, largest := 0.0, 0.0
		for i := range h.Rows {
			trace, largest = trace+h.At(i, i), max(largest, h.At(i, i))
		}
		u, ok := Shifted(p.Engine, h, max(trace, 4*largest)*0x1p-106, trace)
		if !ok {
			break
		}
		c.add(pivots, g, u)
	}
	a := Approximation{F: c.f.RowRange(0, len(c.rows)).Transposed(), Rows: c.rows}
	if left := sum(c.d); left != 0 {
		a.Left = left / whole
	}
	return a
}

// AddApproximation adds the cost of Approximate: r rows of K, made into those of Fᵀ.
func AddApproximation(c *algos.Cost, s algos.Size, way string, r, block float64) {
	n := float64(s.N)
	switch {
	case way == Uniform:
		block = r
	case way == Greedy:
		block = 1
	case block == 0:
		block = float64(proposedTogether(int(r)))
	}
	c.KernelEvals += n * r
	c.Flops += n * r * (r + block)
	c.Bytes += 8 * n * (2*r + min(r, block) + 1)
}

// Shifted returns the upper Cholesky factor of a symmetric matrix with shift on its diagonal. Where rounding errors ask for more, the shift
// becomes ten times as large, up to most. ok is false if that does not suffice, or the matrix is not finite.
func Shifted(e *compute.Engine, a compute.Matrix, shift, most float64) (u compute.Matrix, ok bool) {
	for ; shift > 0 && shift <= most && !math.IsInf(shift, 1); shift *= 10 {
		u = a.Clone()
		u.AddToDiagonal(shift)
		if e.Cholesky(u) {
			return u, true
		}
	}
	return u, false
}

// pivoted is a pivoted Cholesky factorisation of K(x, x) in progress.
type pivoted struct {
	p     *algos.Problem
	x     compute.Matrix
	f     compute.Matrix // Fᵀ, a row for each pivot
	d     []float64      // diagonal of K - FFᵀ
	floor float64        // of Σd, where rounding errors begin
	rows  []int          // pivots
	taken []bool
}

func newPivoted(p *algos.Problem, x compute.Matrix, r int) *pivoted {
	c := &pivoted{p: p, x: x, f: compute.NewMatrix(r, x.Rows), taken: make([]bool, x.Rows)}
	c.d = p.Engine.KernelRows(p.Kernel, x, 0).Diagonal()
	c.floor = 1e-13 * sum(c.d)
	if p.Engine.Precision() == compute.Float32 {
		c.floor *= 1e7
	}
	return c
}

// some says whether more than rounding errors is left of the diagonal.
func (c *pivoted) some() bool { return sum(c.d) > c.floor }

// choose chooses up to n rows in the named way.
func (c *pivoted) choose(s *compute.Stream, way string, n int) (pivots []int) {
	switch way {
	case Uniform:
		return s.Perm(len(c.d))[:c.f.Rows]
	case Greedy:
		return []int{slices.Index(c.d, slices.Max(c.d))}
	}
	for _, row := range c.propose(s, n) {
		if !slices.Contains(pivots, row) {
			pivots = append(pivots, row)
		}
	}
	return pivots
}

// propose draws n rows independently of each other, row j with probability d_j/Σd.
func (c *pivoted) propose(s *compute.Stream, n int) []int {
	below, sum := make([]float64, len(c.d)), 0.0 // Σ d_l, l ≤ j
	for j, v := range c.d {
		sum += v
		below[j] = sum
	}
	proposed := make([]int, n)
	for i := range proposed {
		at := s.Float64() * sum
		j := min(sort.Search(len(below), func(j int) bool { return below[j] > at }), len(below)-1)
		for c.d[j] == 0 {
			j--
		}
		proposed[i] = j
	}
	return proposed
}

// residual makes the next rows of Fᵀ those of K - FFᵀ at new pivots, and returns them.
func (c *pivoted) residual(pivots []int) compute.Matrix {
	have := c.f.RowRange(0, len(c.rows))
	g := c.f.RowRange(have.Rows, have.Rows+len(pivots))
	k := c.p.Engine.KernelMatrix(c.p.Kernel, c.x.Select(pivots), c.x)
	g.CopyFrom(k)
	c.p.Engine.Reuse(k)
	if have.Rows > 0 {
		c.p.Engine.Gemm(g, -1, columns(have, pivots), true, have, false, 1)
	}
	return g
}

// add makes rows g of K - FFᵀ at new pivots into rows of Fᵀ, with the Cholesky factor u of their own block, and updates the diagonal.
func (c *pivoted) add(pivots []int, g, u compute.Matrix) {
	c.p.Engine.Trsm(u, true, g)
	for a := range pivots {
		for j, v := range g.Row(a) {
			c.d[j] -= v * v
		}
	}
	for j, v := range c.d {
		c.d[j] = max(0, v)
	}
	for _, row := range pivots {
		c.taken[row], c.d[row] = true, 0
	}
	c.rows = append(c.rows, pivots...)
}

// columns returns some columns of a matrix.
func columns(m compute.Matrix, at []int) compute.Matrix {
	some := compute.NewMatrix(m.Rows, len(at))
	for i := range m.Rows {
		row, from := some.Row(i), m.Row(i)
		for j, l := range at {
			row[j] = from[l]
		}
	}
	return some
}
