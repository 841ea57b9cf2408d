package compute

import (
	"math"
	"slices"

	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// Syevd returns all eigenvalues λ_1 ≥ … ≥ λ_n of a symmetric matrix, n×n, and the eigenvectors of the first k in the columns of a
// matrix. It computes in float64 whatever the engine's precision, and overwrites a. With k = 0 it computes no eigenvectors.
// It is LAPACK's dsyevd with a dsytrd before and a dormtr after it: reduction to tridiagonal form, divide and conquer, and the
// reflections backwards.
//
// With ε = 2⁻⁵³ the entries of AV - VΛ and of VᵀV - I are below 4√n ε‖A‖₁ and 8√n ε in all cases tested: LAPACK's own families
// of hard matrices.
//
// ok is false if the matrix has an entry that is not finite, or if the QL iteration of a small part does not converge. The
// counters do not include a factorisation. Syevd panics unless 0 ≤ k ≤ n.
func (e *Engine) Syevd(a Matrix, k int) (values []float64, vectors Matrix, ok bool) {
	n := a.Rows
	mustShape("Syevd", a, n, n)
	if k < 0 || k > n {
		panic("compute: Syevd: the number of eigenvectors must be between 0 and that of rows")
	}
	if !a.Finite() {
		return nil, Matrix{}, false
	}
	defer func(c Counters) { e.counters = c }(e.counters)
	e.InDouble(func() { values, vectors, ok = e.syevd(a, k) })
	return values, vectors, ok
}

func (e *Engine) syevd(a Matrix, k int) (values []float64, vectors Matrix, ok bool) {
	n := a.Rows
	scale := normalise(a)
	t, tau := e.sytrd(a)
	var rows Matrix
	if k == 0 {
		values = t.diagonal
		ok = n == 0 || lapackgonum.Implementation{}.Dsterf(n, values, t.off)
	} else if values, rows, ok = e.stedc(t); ok {
		slices.Reverse(values)
		last := e.Unset(k, n)
		for i := range k {
			copy(last.Row(i), rows.Row(n-1-i))
		}
		e.Reuse(rows)
		e.ormtr(last, a, tau)
		vectors = e.Unset(n, k)
		e.transpose(vectors, last)
		e.Reuse(last)
	}
	if k == 0 {
		slices.Reverse(values)
	}
	for i := range values {
		values[i] *= scale
	}
	return values, vectors, ok
}

// normalise divides a by a power of two, so that its largest entry is between 1/2 and 1, and returns the power. It leaves a
// matrix of zeros as it is.
func normalise(a Matrix) float64 {
	largest := 0.0
	for i := range a.Rows {
		for _, v := range a.Row(i) {
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		return 1
	}
	_, exponent := math.Frexp(largest)
	// In two steps, because 2^-exponent may not be a number.
	half := exponent / 2
	for _, s := range []float64{math.Ldexp(1, -half), math.Ldexp(1, half-exponent)} {
		a.Scale(s)
	}
	return math.Ldexp(1, exponent)
}
