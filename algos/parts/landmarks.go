package parts

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
)

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
