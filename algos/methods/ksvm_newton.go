package methods

import (
	"gonum.org/v1/gonum/floats"

	"repro/algos/compute"
)

// newtonAlone maximises D in all β_i strictly between their bounds, F, at once:
//
//	y_Fβ_F + δ = y_Fβ_F + (k(X_F, X_F)/(νn) + εI)⁻¹ (y_F - f(X_F))
//
// is clipped to the bounds, and δ is halved until D grows. ε makes the matrix positive definite if rows are equal. It is
// 10⁻¹² of the largest diagonal entry, times a power of 100 if the Cholesky factorisation still fails.
func (s *decomposition) newtonAlone(free []int) {
	m := len(free)
	k, right, delta := s.curvature(free), compute.NewMatrix(m, 1), compute.NewMatrix(m, 1)
	r := right.Data
	for i, at := range free {
		r[i] = s.y[at] - s.f[at]
	}
	direction := s.solveSemidefinite(k, right).Data
	for range 20 {
		for i, at := range free {
			delta.Data[i] = s.y[at] * (min(max(s.beta[at]+s.y[at]*direction[i], 0), 1) - s.beta[at])
		}
		if floats.Dot(r, delta.Data) > floats.Dot(delta.Data, s.e.Mul(k, delta, false).Data)/2 {
			s.move(free, delta.Data)
			return
		}
		floats.Scale(0.5, direction)
	}
}

// free lists the β_i strictly between their bounds.
func (s *decomposition) free() []int {
	var free []int
	for i, b := range s.beta {
		if b > 0 && b < 1 {
			free = append(free, i)
		}
	}
	return free
}

// newtonWork is the number of multiplications of a Newton step in m of n β_i.
func newtonWork(m, n int) int { return m*m*m/6 + m*n }

// newton makes the Newton step in the β_i strictly between their bounds.
func (s *decomposition) newton(free []int) {
	switch {
	case !s.biased && len(free) > 0:
		s.newtonAlone(free)
	case s.biased && len(free) > 1:
		s.newtonPairs(free)
	}
}

// move adds changes to some y_iβ_i, which stay within their bounds.
func (s *decomposition) move(at []int, change []float64) {
	for l, i := range at {
		s.add(i, change[l])
	}
	s.follow(at, change)
}

// curvature returns k(X_F, X_F)/(νn).
func (s *decomposition) curvature(free []int) compute.Matrix {
	k := compute.NewMatrix(len(free), len(free))
	for lo := 0; lo < len(free); lo += workingSet {
		part := free[lo:min(lo+workingSet, len(free))]
		s.rows.Fetch(part)
		for i, at := range part {
			row, to := s.rows.Row(at), k.Row(lo+i)
			for j, l := range free {
				to[j] = s.c * row[l]
			}
		}
	}
	return k
}

// solveSemidefinite returns (a + εI)⁻¹ r with the smallest ε of those above that works. It adds εI to a.
func (s *decomposition) solveSemidefinite(a, r compute.Matrix) compute.Matrix {
	top := 0.0
	for i := range a.Rows {
		top = max(top, a.At(i, i))
	}
	shift := func(epsilon float64) {
		for i := range a.Rows {
			a.Set(i, i, a.At(i, i)+epsilon)
		}
	}
	epsilon := 1e-12 * top
	for shift(epsilon); ; epsilon *= 100 {
		u := a.Clone()
		if s.e.Cholesky(u) {
			x := r.Clone()
			s.e.Trsm(u, true, x)
			s.e.Trsm(u, false, x)
			return x
		}
		shift(99 * epsilon)
	}
}
