package methods

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
)

// KSVMRows is the number of bytes that rows of k(X, X) may take in KSVM: what LIBSVM calls its cache.
const KSVMRows = 1 << 30

const (
	workingSet      = 256 // β_i that change in a round
	roundIterations = 4   // iterations of a round for each of them
)

// decomposition solves the dual problem of one output by rounds, each in a working set of β_i with the others fixed [Osuna,
// Freund & Girosi 1997; Joachims 1999]. So rows of k(X, X) are evaluated many at a time, only those of β_i that ever change, and
// all f(x_i) follow once a round.
type decomposition struct {
	svm
	e    *compute.Engine
	rows *compute.KernelRows
	last []int // the working set of the last round

	drift float64 // bound on the rounding errors of f(x_i) since they were computed last
}

// newDecomposition returns the problem of the labels y with β = 0.
func newDecomposition(p *algos.Problem, rows *compute.KernelRows, diagonal []float64, y compute.Matrix, biased bool) *decomposition {
	n := y.Rows
	s := &decomposition{e: p.Engine, rows: rows}
	s.svm = svm{k: rows, nu: p.Nu, c: 1 / (p.Nu * float64(n)), y: y.Clone().Data, biased: biased}
	s.beta, s.q, s.f = make([]float64, n), make([]float64, n), make([]float64, n)
	floats.ScaleTo(s.q, s.c, diagonal)
	return s
}

// patience is the number of rounds without progress after which solve gives up.
const patience = 20

// solve makes rounds until the relative duality gap is at most target, and returns the gap. Where rounds have cost as much as a Newton
// step and not halved the gap, one follows.
func (s *decomposition) solve(target float64) (gap float64, err error) {
	least, most := math.Inf(1), math.Inf(-1) // the least gap and the largest D
	spent, since, idle := 0, math.Inf(1), 0  // multiplications since the gap was halved or a Newton step made, and the gap then
	for idle < patience {
		spent += s.round()
		gap, dual := s.gap()
		if gap <= since/2 {
			spent, since = 0, gap
		} else if free := s.free(); spent >= newtonWork(len(free), len(s.y)) {
			s.newton(free)
			gap, dual = s.gap()
			spent, since = 0, gap
		}
		if gap <= target {
			if s.refresh(target); s.drift == 0 {
				gap, dual = s.gap()
			}
			if gap <= target {
				return gap, nil
			}
		}
		idle++
		if gap < least || dual > most*(1+1e-12) { // close to the optimum D changes only in its last digits
			idle = 0
		}
		least, most = min(least, gap), max(most, dual)
	}
	return least, fmt.Errorf("ksvm: the relative duality gap stays at %.3g in float64; raise gap from %g or nu from %g", least, target, s.nu)
}

// round makes iterations in a working set. It returns the number of multiplications.
func (s *decomposition) round() int {
	at := s.working()
	m := len(at)
	if m == 0 {
		return 0
	}
	s.rows.Fetch(at)
	k := compute.NewMatrix(m, m)
	part := svm{k: k, nu: s.nu, c: s.c, y: chosen(s.y, at), beta: chosen(s.beta, at), q: chosen(s.q, at), f: chosen(s.f, at), biased: s.biased}
	for i, row := range at {
		whole := s.rows.Row(row)
		for j, column := range at {
			k.Set(i, j, whole[column])
		}
	}
	if s.biased {
		part.iteratePairs(roundIterations * m)
	} else {
		part.iterate(roundIterations * m)
	}
	s.iterations += part.iterations
	change := make([]float64, m)
	for i, row := range at {
		change[i] = s.y[row] * (part.beta[i] - s.beta[row])
		s.beta[row] = part.beta[i]
	}
	s.follow(at, change)
	return m*m + 3*m*part.iterations + m*len(s.y)
}

// chosen returns some entries.
func chosen(v []float64, at []int) []float64 {
	c := make([]float64, len(at))
	for l, i := range at {
		c[l] = v[i]
	}
	return c
}

// follow adds changes of y_iβ_i to all f(x_i). The rounding errors of a sum of m terms are at most 2⁻⁵³ times its size and the sum
// of the terms' sizes, for each of them.
func (s *decomposition) follow(at []int, change []float64) {
	var rows []int
	var weights []float64
	for l, i := range at {
		if change[l] != 0 {
			rows, weights = append(rows, i), append(weights, s.c*change[l])
		}
	}
	terms := floats.Norm(weights, 1) * slices.Max(s.q) / s.c
	s.drift += 0x1p-53 * (terms + float64(len(rows))*(floats.Norm(s.f, math.Inf(1))+terms))
	for len(rows) > 0 {
		m := min(len(rows), workingSet)
		s.rows.Fetch(rows[:m])
		s.rows.AddTo(s.f, rows[:m], weights[:m])
		rows, weights = rows[m:], weights[m:]
	}
}

// refresh computes all f(x_i) anew, without the rounding errors of the updates. It leaves them as they are if rows had to be evaluated
// for it, and the errors, r at most, are less than a thousandth of target: P - D = (1/n) Σ_i (max(0, 1 - y_i(f(x_i) + b)) - β_i) + ν‖f‖²
// changes by 3r at most.
func (s *decomposition) refresh(target float64) {
	var at []int
	var values []float64
	for i, b := range s.beta {
		if b != 0 {
			at, values = append(at, i), append(values, s.y[i]*b)
		}
	}
	if primal, _ := s.objectives(); !s.rows.Kept(at) && s.drift <= target/1000*primal {
		return
	}
	clear(s.f)
	s.follow(at, values)
	s.drift = 0
}

// A candidate for the working set.
type candidate struct {
	at   int
	size float64 // the larger, the more it violates the conditions of optimality
}

// working returns the β_i of the next round, none at the optimum: the worst candidates, then up to half of them those of the last
// round between their bounds, then the others that violate the conditions of optimality most.
func (s *decomposition) working() []int {
	lists := s.candidates()
	in := make([]bool, len(s.y))
	var at []int
	add := func(i, most int) {
		if len(at) < most && !in[i] {
			in[i] = true
			at = append(at, i)
		}
	}
	longest := 0
	for _, list := range lists {
		slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.at, b.at)) })
		if len(list) > 0 {
			add(list[0].at, workingSet)
		}
		longest = max(longest, len(list))
	}
	if longest == 0 {
		return nil
	}
	for _, i := range s.last {
		if s.beta[i] > 0 && s.beta[i] < 1 {
			add(i, workingSet/2)
		}
	}
	for l := 0; l < longest && len(at) < workingSet; l++ {
		for _, list := range lists {
			if l < len(list) {
				add(list[l].at, workingSet)
			}
		}
	}
	slices.Sort(at)
	s.last = at
	return at
}

// candidates lists the β_i that violate the conditions of optimality. Without a bias these are the β_i that gain alone. With a
// bias there are two lists: the a_i that may rise and have a larger g_i than one that may fall, and the reverse.
func (s *decomposition) candidates() [][]candidate {
	if !s.biased {
		var all []candidate
		for i := range s.y {
			if _, gain := s.gain(i); gain > 0 {
				all = append(all, candidate{i, gain})
			}
		}
		return [][]candidate{all}
	}
	low, high := s.interval()
	var up, down []candidate
	for i := range s.y {
		g := s.gradient(i)
		rise, fall := s.room(i)
		if rise > 0 && g > high {
			up = append(up, candidate{i, g})
		}
		if fall > 0 && g < low {
			down = append(down, candidate{i, -g})
		}
	}
	return [][]candidate{up, down}
}

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
	solution, ok := s.solveSemidefinite(k, right)
	if !ok {
		return
	}
	direction := solution.Data
	for range 20 {
		for i, at := range free {
			delta.Data[i] = s.y[at] * (min(max(s.beta[at]+s.y[at]*direction[i], 0), 1) - s.beta[at])
		}
		if compute.Dot(r, delta.Data) > compute.Dot(delta.Data, s.e.Mul(k, delta, false).Data)/2 {
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

// solveSemidefinite returns (a + εI)⁻¹ r with the smallest ε of those above that works. It adds εI to a. ok is false if no ε up to the largest
// diagonal entry does, because a is zero or not finite.
func (s *decomposition) solveSemidefinite(a, r compute.Matrix) (x compute.Matrix, ok bool) {
	top := 0.0
	for i := range a.Rows {
		top = max(top, a.At(i, i))
	}
	epsilon := 1e-12 * top
	for a.AddToDiagonal(epsilon); 0 < epsilon && epsilon <= top && !math.IsInf(epsilon, 1); epsilon *= 100 {
		u := a.Clone()
		if s.e.Cholesky(u) {
			x = r.Clone()
			s.e.Trsm(u, true, x)
			s.e.Trsm(u, false, x)
			return x, true
		}
		a.AddToDiagonal(99 * epsilon)
	}
	return x, false
}
