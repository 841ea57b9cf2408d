package methods

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos/compute"
)

// The support vector machine with a bias: f(x) + b, with b not penalised, as LIBSVM solves it. In a_i = y_iβ_i the dual
// has bounds and the equation Σ_i a_i = 0, so that at least two coordinates change at a time. With g_i = y_i - f(x_i), the
// derivative of nD in a_i, the pair i, j moves by
//
//	a_i ← a_i + δ,  a_j ← a_j - δ,  δ = νn (g_i - g_j)/(k_ii + k_jj - 2k_ij)
//
// clipped to the bounds. i has the largest g_i of all a_i that may rise; j is the a_j that may fall and gains most with i
// [Fan, Chen & Lin 2005, WSS 2]. At the optimum g_i = b for every a_i strictly between its bounds.

// iteratePairs makes at most the given number of iterations.
func (s *svm) iteratePairs(most int) {
	for range most {
		i, j, delta := s.bestPair()
		if delta == 0 {
			return
		}
		s.move(i, delta)
		s.move(j, -delta)
		s.iterations++
	}
}

// gradient returns g_i.
func (s *svm) gradient(i int) float64 { return s.y[i] - s.f[i] }

// room returns how far a_i may rise and fall.
func (s *svm) room(i int) (up, down float64) {
	if s.y[i] > 0 {
		return 1 - s.beta[i], s.beta[i]
	}
	return s.beta[i], 1 - s.beta[i]
}

// bestPair returns the pair to change and its δ. δ is 0 if no pair gains.
func (s *svm) bestPair() (i, j int, delta float64) {
	i, top := -1, math.Inf(-1)
	for l := range s.y {
		if up, _ := s.room(l); up > 0 && s.gradient(l) > top {
			i, top = l, s.gradient(l)
		}
	}
	if i < 0 {
		return 0, 0, 0
	}
	most, row := 0.0, s.k.Row(i)
	for l := range s.y {
		_, down := s.room(l)
		difference := top - s.gradient(l)
		if !(down > 0) || !(difference > 0) {
			continue
		}
		curvature := max(s.q[i]+s.q[l]-2*s.c*row[l], 1e-12*s.q[i]) // 0 for equal rows
		if gain := difference * difference / curvature; gain > most {
			j, delta, most = l, difference/curvature, gain
		}
	}
	if delta == 0 {
		return i, j, 0
	}
	up, _ := s.room(i)
	_, down := s.room(j)
	return i, j, min(delta, up, down)
}

// newtonPairs maximises D in all a_i strictly between their bounds, F, with a constant sum. The direction is
//
//	δ = (k(X_F, X_F)/(νn) + εI)⁻¹ (g_F - λ1),  Σ δ = 0
//
// and the step length is 1, or the largest that keeps the bounds if that is smaller.
func (s *decomposition) newtonPairs(free []int) {
	m := len(free)
	k, right := s.curvature(free), compute.NewMatrix(m, 2)
	for i, at := range free {
		right.Set(i, 0, s.gradient(at))
		right.Set(i, 1, 1)
	}
	solution := s.solveSemidefinite(k, right)
	sum, ones := 0.0, 0.0
	for i := range free {
		sum += solution.At(i, 0)
		ones += solution.At(i, 1)
	}
	direction, length := make([]float64, m), 1.0
	for i, at := range free {
		direction[i] = solution.At(i, 0) - sum/ones*solution.At(i, 1)
		up, down := s.room(at)
		if d := direction[i]; d > up {
			length = min(length, up/d)
		} else if -d > down {
			length = min(length, -down/d)
		}
	}
	floats.Scale(length, direction)
	s.move(free, direction)
}

// interval returns the largest g_i of an a_i that may rise, and the smallest of one that may fall. At the optimum b lies between them.
func (s *svm) interval() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	for i := range s.y {
		up, down := s.room(i)
		if up > 0 {
			low = max(low, s.gradient(i))
		}
		if down > 0 {
			high = min(high, s.gradient(i))
		}
	}
	return low, high
}

// setBias sets b to the mean of g_i over the a_i strictly between their bounds. If there are none, it sets b to the middle
// of the interval.
func (s *svm) setBias() {
	sum, n := 0.0, 0.0
	for i := range s.y {
		if up, down := s.room(i); up > 0 && down > 0 {
			sum += s.gradient(i)
			n++
		}
	}
	if n > 0 {
		s.b = sum / n
		return
	}
	switch low, high := s.interval(); {
	case math.IsInf(low, -1):
		s.b = high
	case math.IsInf(high, 1):
		s.b = low
	default:
		s.b = (low + high) / 2
	}
}
