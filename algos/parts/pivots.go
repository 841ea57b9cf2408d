package parts

import (
	"fmt"
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

// How landmarks are selected.
const (
	Uniform    = "uniform"
	RPCholesky = "rpcholesky"
)

// NystromSettings are common to methods on Nyström features of landmarks S.
type NystromSettings struct {
	Jitter    float64 `toml:"jitter" want:">= 0" doc:"eigenvectors of k(S, S) are dropped if their eigenvalue is at most this times the largest; S are the landmarks"`
	Selection string  `toml:"selection" want:"uniform|rpcholesky" doc:"how landmarks are selected among the training rows: uniform, or rpcholesky by randomly pivoted Cholesky [Chen, Epperly, Tropp & Webber 2022]"`
}

// UsualNystrom are the defaults.
func UsualNystrom() NystromSettings { return NystromSettings{Jitter: 1e-10, Selection: Uniform} }

// Draw returns the Nyström features of r landmarks, for the named method.
func (a NystromSettings) Draw(method string, p *algos.Problem, r int) (Features, error) {
	return DrawLandmarks(method, p, r, a.Jitter, a.Selection)
}

// Mixed returns r: z(x) is Λ^(-1/2)Uᵀ times the base features.
func (NystromSettings) Mixed(r float64) float64 { return r }

// SelectLandmarks returns r training rows for the named method. They depend on the problem's seed only, so that all methods of a
// comparison share them.
func SelectLandmarks(method string, p *algos.Problem, r int, selection string) ([]int, error) {
	n := p.Train.Len()
	if n < r {
		return nil, fmt.Errorf("%w: %s draws %d landmarks from %d training rows", algos.ErrUnsupported, method, r, n)
	}
	if selection == RPCholesky {
		x, _ := p.Dense()
		rows, _ := PivotedLandmarks(p, x, r)
		return rows, nil
	}
	return compute.NewStream(p.Seed, "landmarks", 0).Perm(n)[:r], nil
}

// PivotedLandmarks draws r of the rows of x by randomly pivoted Cholesky [Chen, Epperly, Tropp & Webber, Randomly pivoted Cholesky:
// practical approximation of a kernel matrix with few entry evaluations, 2022]: from F empty and d = diag K,
//
//	P(s = j) = d_j/Σd,  g = K_{:s} - F F_{s:}ᵀ,  F ← (F, g/√g_s),  d ← d - (g/√g_s)²
//
// so that FFᵀ is the Nyström approximation of K from the rows so far and d the diagonal of what it leaves. left is Σd at the end.
// By their theorem it is in expectation at most (1 + ε) tr(K - K_q), K_q the best approximation of rank q, once
//
//	r ≥ q/ε + q log(1/(εη)),  η = tr(K - K_q)/tr K
//
// Rows are proposed some at a time from one d, and each is accepted with the probability that makes it the pivot that the
// algorithm would have drawn next [Epperly, Tropp & Webber, Embrace rejection: kernel matrix approximation by accelerated randomly
// pivoted Cholesky, 2024]: pivots have the same distribution, and most of the work is products of matrices. Once d is
// rounding errors, rows are drawn uniformly from the others.
func PivotedLandmarks(p *algos.Problem, x compute.Matrix, r int) (rows []int, left float64) {
	c := newPivoted(p, x, r)
	for round, idle := 0, 0; len(c.rows) < r && idle < mostIdle && c.some(); round++ {
		if idle++; c.round(compute.NewStream(p.Seed, "pivots", uint64(round)), proposedTogether(r)) {
			idle = 0
		}
	}
	left = sum(c.d)
	for _, i := range compute.NewStream(p.Seed, "landmarks", 0).Perm(x.Rows) {
		if len(c.rows) < r && !c.taken[i] {
			c.rows = append(c.rows, i)
		}
	}
	return c.rows, left
}

// mostIdle is the number of rounds without a pivot after which d is taken to be rounding errors: less than half of the proposals of a
// block are rejected as a rule.
const mostIdle = 20

// proposedTogether is the number of rows that are proposed from one d, for r landmarks.
func proposedTogether(r int) int { return min((r+9)/10, 100) }

// AddSelection adds the cost of selecting r landmarks. How many proposals are rejected is not known beforehand: half are taken to be,
// where there are several at a time.
func AddSelection(c *algos.Cost, s algos.Size, selection string, r float64) {
	if selection != RPCholesky {
		return
	}
	n, block := float64(s.N), float64(proposedTogether(int(r)))
	proposals := r
	if block > 1 {
		proposals *= 2
	}
	c.KernelEvals += n*r + proposals*block
	c.Flops += n*r*(r+block) + proposals*block*r
	c.Bytes = max(c.Bytes, 8*n*(r+2*block+2+float64(s.In+s.Out))) // which is gone when the fit starts
}

// round proposes rows and takes those that are accepted as pivots. It reports whether there are any.
func (c *pivoted) round(s *compute.Stream, block int) bool {
	proposed := c.propose(s, block)
	e, have := c.p.Engine, c.f.RowRange(0, len(c.rows))
	xs := c.x.Select(proposed)
	h := e.KernelMatrix(c.p.Kernel, xs, xs) // of K - FFᵀ at the proposals
	if have.Rows > 0 {
		fs := columns(have, proposed)
		e.Gemm(h, -1, fs, true, fs, false, 1)
	}
	accepted := c.accept(s, proposed, h)
	if len(accepted) == 0 {
		for i, row := range proposed {
			c.d[row] = max(0, min(c.d[row], h.At(i, i)))
		}
		return false
	}
	pivots := make([]int, len(accepted))
	u := compute.NewMatrix(len(pivots), len(pivots)) // of UᵀU = K - FFᵀ at the pivots
	for a, i := range accepted {
		pivots[a] = proposed[i]
		for b := a; b < len(accepted); b++ {
			u.Set(a, b, h.At(i, accepted[b]))
		}
	}
	c.add(pivots, c.residual(pivots), u)
	return true
}

// accept returns which of the proposed rows become pivots, in order, no more than are wanted. It replaces h, K - FFᵀ at the
// proposals, by its Cholesky factor in the rows and columns of these.
func (c *pivoted) accept(s *compute.Stream, proposed []int, h compute.Matrix) (accepted []int) {
	fresh := map[int]bool{}
	for i, row := range proposed {
		pivot := h.At(i, i)
		if u := s.Float64(); len(c.rows)+len(accepted) == c.f.Rows || c.taken[row] || fresh[row] || !(u*c.d[row] < pivot) {
			continue
		}
		fresh[row] = true
		accepted = append(accepted, i)
		root := math.Sqrt(pivot)
		for j := i; j < len(proposed); j++ {
			h.Set(i, j, h.At(i, j)/root)
		}
		for j := i + 1; j < len(proposed); j++ {
			for l := j; l < len(proposed); l++ {
				h.Set(j, l, h.At(j, l)-h.At(i, j)*h.At(i, l))
			}
		}
	}
	return accepted
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}
