package methods

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

// newton maximises D in all β_i strictly between their bounds, F, at once:
//
//	y_Fβ_F + δ = y_Fβ_F + (k(X_F, X_F)/(νn) + εI)⁻¹ (y_F - f(X_F))
//
// is clipped to the bounds, and δ is halved until D grows. ε makes the matrix positive definite if rows are equal. It is
// 10⁻¹² of the largest diagonal entry, times a power of 100 if the Cholesky factorisation still fails.
func (s *svm) newton() {
	free := s.free()
	m := len(free)
	if m == 0 {
		return
	}
	k, right, delta := compute.NewMatrix(m, m), compute.NewMatrix(m, 1), compute.NewMatrix(m, 1)
	r := right.Data
	for i, at := range free {
		for j, to := range free {
			k.Set(i, j, s.c*s.k.At(at, to))
		}
		r[i] = s.y[at] - s.f[at]
	}
	direction := solveSemidefinite(k, right).Data
	for range 20 {
		for i, at := range free {
			delta.Data[i] = s.y[at] * (min(max(s.beta[at]+s.y[at]*direction[i], 0), 1) - s.beta[at])
		}
		if floats.Dot(r, delta.Data) > floats.Dot(delta.Data, s.e.Mul(k, delta, false).Data)/2 {
			for i, at := range free {
				s.move(at, delta.Data[i])
			}
			return
		}
		floats.Scale(0.5, direction)
	}
}

// free lists the β_i strictly between their bounds.
func (s *svm) free() []int {
	var free []int
	for i, b := range s.beta {
		if b > 0 && b < 1 {
			free = append(free, i)
		}
	}
	return free
}

// solveSemidefinite returns (a + εI)⁻¹ r with the smallest ε of those above that works. It adds εI to a.
func solveSemidefinite(a, r compute.Matrix) compute.Matrix {
	top := 0.0
	for i := range a.Rows {
		top = max(top, a.At(i, i))
	}
	shift := func(epsilon float64) {
		for i := range a.Rows {
			a.Set(i, i, a.At(i, i)+epsilon)
		}
	}
	var c mat.Cholesky
	epsilon := 1e-12 * top
	for shift(epsilon); !c.Factorize(mat.NewSymDense(a.Rows, a.Data)); epsilon *= 100 {
		shift(99 * epsilon)
	}
	x := compute.NewMatrix(r.Rows, r.Cols)
	// SolveTo returns an error if a is ill-conditioned. The callers test whether the solution is a step upwards.
	_ = c.SolveTo(mat.NewDense(x.Rows, x.Cols, x.Data), mat.NewDense(r.Rows, r.Cols, r.Data))
	return x
}
