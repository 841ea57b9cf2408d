// Package diaz2023 adds the methods of [Díaz, Epperly, Frangella, Tropp & Webber, Robust, randomized preconditioning for
// kernel ridge regression, 2023] to the program that imports it: conjugate gradients with a Nyström preconditioner whose
// pivots are drawn by randomly pivoted Cholesky, its rivals, and KRILL for few centres.
package diaz2023

import (
	"fmt"
	"slices"

	"repro/algos"
	"repro/algos/compute"
)

// The ways to choose pivots.
const (
	none       = "none"
	uniform    = "uniform"
	greedy     = "greedy"
	rpcholesky = "rpcholesky"
)

const unit = 0x1p-53 // of rounding in float64

// An approximation is K ≈ FFᵀ, where F, n×k, comes from a partial Cholesky factorisation of K with k pivots.
type approximation struct {
	f      compute.Matrix
	pivots []int
	// error is tr(K - FFᵀ)/tr K.
	error float64
}

// approximate factorises K = k(X, X) with up to k pivots, chosen in the named way:
//
//   - uniform: k rows without replacement, at once.
//   - greedy: one at a time, the largest entry of the diagonal of the residual K - FFᵀ.
//   - rpcholesky: in blocks of up to b, each row with a probability proportional to its entry of that diagonal
//     [Chen, Epperly, Tropp & Webber, Randomly pivoted Cholesky, 2022, Alg. 2.1 and, for blocks, Alg. 2.2].
//
// A row enters once. The Cholesky factor of a block H has max(tr H, 4 max_i H_ii)·ε² on its diagonal, with the square of the
// unit of rounding as in the authors' code, and more where that does not suffice. It ends early if nothing is left of the diagonal.
func approximate(e *compute.Engine, kernel compute.KernelFunc, x compute.Matrix, way string, k, b int, s *compute.Stream) (*approximation, error) {
	n := x.Rows
	rest := e.KernelRows(kernel, x, 0).Diagonal()
	whole := sum(rest)
	a := &approximation{f: compute.NewMatrix(n, k)}
	switch way {
	case uniform:
		b = k
	case greedy:
		b = 1
	case rpcholesky:
	default:
		return nil, fmt.Errorf("%w: no pivots %q; there are uniform, greedy and rpcholesky", algos.ErrUnsupported, way)
	}
	for len(a.pivots) < k && sum(rest) > whole*unit*float64(n) {
		block := choose(way, rest, min(b, k-len(a.pivots)), s)
		if err := a.add(e, kernel, x, block, rest); err != nil {
			return nil, err
		}
	}
	a.f = a.f.ColRange(0, len(a.pivots))
	a.error = sum(rest) / whole
	return a, nil
}

// choose chooses up to b rows in the named way, given the diagonal of the residual.
func choose(way string, rest []float64, b int, s *compute.Stream) []int {
	switch way {
	case uniform:
		return s.Perm(len(rest))[:b]
	case greedy:
		return []int{slices.Index(rest, slices.Max(rest))}
	}
	// Row i where the sum of the diagonal passes a uniform number; equal draws count once.
	total := make([]float64, len(rest))
	up := 0.0
	for i, v := range rest {
		up += v
		total[i] = up
	}
	var block []int
	for range b {
		i, _ := slices.BinarySearch(total, s.Float64()*up)
		for rest[i] == 0 { // the number fell between two equal sums
			i++
		}
		if !slices.Contains(block, i) {
			block = append(block, i)
		}
	}
	return block
}

// add adds the columns of a block S of pivots to F and updates the diagonal of the residual: with G = (K - FFᵀ)(:, S) and the
// Cholesky factor UᵀU = G(S, :), the columns are G U⁻¹.
func (a *approximation) add(e *compute.Engine, kernel compute.KernelFunc, x compute.Matrix, block []int, rest []float64) error {
	done := len(a.pivots)
	f := a.f.ColRange(0, done)
	g := e.KernelMatrix(kernel, x.Select(block), x) // Gᵀ
	if done > 0 {
		e.Gemm(g, -1, f.Select(block), false, f, true, 1)
	}
	h := compute.NewMatrix(len(block), len(block))
	largest := 0.0
	for i := range block {
		for j, r := range block {
			h.Set(i, j, g.At(i, r))
		}
		largest = max(largest, h.At(i, i))
	}
	u, err := shifted(e, h, max(trace(h), 4*largest)*unit*unit)
	if err != nil {
		return err
	}
	e.Trsm(u, true, g)
	for i := range x.Rows {
		row := a.f.Row(i)[done : done+len(block)]
		for j := range row {
			row[j] = g.At(j, i)
			rest[i] -= row[j] * row[j]
		}
		rest[i] = max(0, rest[i])
	}
	for _, i := range block {
		rest[i] = 0 // what rounding left of it
	}
	a.pivots = append(a.pivots, block...)
	return nil
}

// shifted returns the upper Cholesky factor of h + shift·I. As long as that is not positive definite to rounding errors, the shift
// becomes ten times as large.
func shifted(e *compute.Engine, h compute.Matrix, shift float64) (compute.Matrix, error) {
	for most := trace(h); shift <= most; shift *= 10 {
		u := h.Clone()
		raise(u, shift)
		if e.Cholesky(u) {
			return u, nil
		}
	}
	return compute.Matrix{}, fmt.Errorf("a matrix of %d rows has no Cholesky factor, even with its trace on its diagonal", h.Rows)
}

func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

func trace(m compute.Matrix) float64 {
	total := 0.0
	for i := range m.Rows {
		total += m.At(i, i)
	}
	return total
}

// raise adds v to the diagonal of a matrix.
func raise(m compute.Matrix, v float64) {
	for i := range m.Rows {
		m.Set(i, i, m.At(i, i)+v)
	}
}
