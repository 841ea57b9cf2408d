package methods

import (
	"fmt"
	"math"
	"sort"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

// How EigenPro2 chooses q and η: λ', β and m* of every q follow from the spectrum of the subsample.

// mostDirections bounds q if it is left out.
const mostDirections = 1000

// A subsampled is the spectrum of k(X_s, X_s)/s.
type subsampled struct {
	values   []float64      // λ_1, λ_2, …: q of them or, if q is left out, up to its bound
	vectors  compute.Matrix // V
	exponent float64        // a
	diagonal []float64      // k(x, x) at the rows of the subsample and those of extend
	squares  []float64      // e_j(x)² at these rows, one row of q numbers each
}

// spectrum decomposes k(X_s, X_s).
func (a *EigenPro2) spectrum(e *compute.Engine, k compute.Matrix) (*subsampled, error) {
	s := k.Rows
	most := a.Directions
	if most == 0 {
		most = max(1, min(s/3, mostDirections))
	}
	if most > s {
		return nil, fmt.Errorf("a subsample of %d rows has no eigenvalue %d: lower directions, or raise subsample", s, most)
	}
	values, vectors, err := parts.Leading(e, k, most, 1e-7)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 || len(values) < a.Directions {
		return nil, fmt.Errorf("eigenvalue %d is below 1e-7 of the first, where rounding errors begin: set directions to %d or less", len(values)+1, len(values))
	}
	return newSubsampled(k, values, vectors, a.Exponent), nil
}

// newSubsampled returns the spectrum of k/s, k = k(X_s, X_s), from eigenvalues of k, which it divides by s, and their
// eigenvectors.
func newSubsampled(k compute.Matrix, values []float64, vectors compute.Matrix, exponent float64) *subsampled {
	w := &subsampled{values: values, vectors: vectors, exponent: exponent}
	for i := range k.Rows {
		w.diagonal = append(w.diagonal, k.At(i, i))
		for j, l := range values {
			w.squares = append(w.squares, l*vectors.At(i, j)*vectors.At(i, j))
		}
	}
	for j := range values {
		values[j] /= float64(k.Rows)
	}
	return w
}

// extend makes β a maximum over rows outside the subsample x, too. There e_j(z) = k(z, X_s)v_j/√(s λ_j).
func (w *subsampled) extend(p *algos.Problem, x, outside compute.Matrix) {
	e := compute.NewMatrix(outside.Rows, len(w.values))
	p.Engine.Kernel(p.Kernel, outside, x).MulTo(e, w.vectors)
	for i := range outside.Rows {
		z := outside.RowRange(i, i+1)
		w.diagonal = append(w.diagonal, p.Engine.KernelMatrix(p.Kernel, z, z).Data[0])
		for j, v := range e.Row(i) {
			w.squares = append(w.squares, v*v/(float64(x.Rows)*w.values[j]))
		}
	}
}

// An adjusted kernel is k_P for some q.
type adjusted struct {
	scales []float64 // c_j, j < q
	lambda float64   // λ'
	beta   float64   // β
}

// adjust returns k_P for q.
func (w *subsampled) adjust(q int) adjusted {
	k := adjusted{lambda: w.values[0] * math.Pow(w.values[q-1]/w.values[0], w.exponent), beta: math.Inf(-1)}
	for _, l := range w.values[:q-1] {
		k.scales = append(k.scales, math.Pow(w.values[q-1]/l, w.exponent))
	}
	for i, kii := range w.diagonal {
		squares := w.squares[i*len(w.values):]
		for j, c := range k.scales {
			kii -= (1 - c) * squares[j]
		}
		k.beta = max(k.beta, kii)
	}
	return k
}

// choose returns the largest q whose critical batch is at most m, or 1 if there is none. The critical batch grows with q:
// of the sum over eigenvectors that is k_P(x_i, x_i)/λ', q does not change the terms before it, and a smaller λ' divides
// the others.
func (w *subsampled) choose(m int) int {
	return max(1, sort.Search(len(w.values), func(i int) bool { return w.adjust(i+1).critical() > float64(m) }))
}

// critical returns m*.
func (k adjusted) critical() float64 { return k.beta/k.lambda + 1 }

// step returns η for batches of m of n rows and the square loss.
func (k adjusted) step(m, n int) float64 {
	switch b := float64(m); {
	case b < k.critical():
		return b / k.beta
	case m < n:
		return 0.99 * 2 * b / (k.beta + (b-1)*k.lambda)
	}
	return 0.95 * 2 / k.lambda
}
