package methods

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*ksvm]("ksvm", "exact kernel support vector machine [dai2014 eq. (1), hinge loss]",
	func() algos.Algorithm { return &KSVM{Gap: 1e-8} }, algos.Known("duality-gap", (*ksvm).dualityGap))

// KSVM is the exact kernel support vector machine, by default without a bias, the minimiser of dai2014 eq. (1) over
// the training sample for the hinge loss: f = (1/(νn)) Σ_i y_iβ_i k(x_i, ·) with β the maximiser of
//
//	D(β) = (1/n) Σ_i β_i - ν/2·‖f‖²,  0 ≤ β_i ≤ 1
//
// In the usual letters C = 1/(νn) and α = Cβ. Without a bias no equation ties the β_i, so that one at a
// time can be maximised: every iteration does so with the i that gains most,
//
//	δ_i(g_i - q_iδ_i/2),  g_i = 1 - y_i f(x_i),  q_i = k(x_i, x_i)/(νn),  β_i + δ_i = β_i + g_i/q_i
//
// with the last clipped to [0, 1]: the working set of one direction with maximal gain [Steinwart, Hush & Scovel 2011]. Many iterations are
// made together among a few β_i, and rows of k(X, X) evaluated for these: see ksvm_decomposition.go. All f(x_i) are kept. Where that does
// not halve the duality gap, a Newton step follows in all β_i between their bounds. The fit ends when the gap P - D ≥ 0, P the primal
// objective, is at most Gap·P with all f(x_i) computed afresh, or with rounding errors too small to matter: P is then that close to its
// minimum. It takes one step, KSVMRows bytes or 8n², whichever is less, and 16m² bytes for a Newton step in m β_i.
//
// With a bias b, which is no part of ‖f‖, predictions are f(x) + b and Σ_i y_iβ_i = 0: see iteratePairs.
type KSVM struct {
	Gap  float64 `toml:"gap" want:"> 0" doc:"relative duality gap (P - D)/P at which the fit ends"`
	Bias bool    `toml:"bias" doc:"add a constant b to f that is not penalised, as LIBSVM does"`
}

func (*KSVM) Traits() algos.Traits { return algos.Traits{Exact: true, Direct: true} }

type ksvm struct {
	parts.Span // of the support vectors, with y_iβ_i/(νn) of all outputs
	state      ksvmState
	settings   *KSVM
	x, y       compute.Matrix
	centres    parts.Centres
}

type ksvmState struct {
	parts.SpanState
	Rows       []int     // the support vectors of all outputs
	Gap        []float64 // (P - D)/P of each output
	Iterations []int     // of each output
	Bias       []float64 // b of each output; empty without a bias
}

func (a *KSVM) Start(p *algos.Problem) (algos.Fit, error) {
	if err := parts.Solves("ksvm", p, parts.HingeLoss, parts.PositiveNu); err != nil {
		return nil, err
	}
	f := &ksvm{settings: a}
	vectors := func() compute.Matrix { return f.centres.Of(p, f.state.Rows) }
	f.Span = parts.NewSpan(p, parts.Points{P: p, Z: vectors}, 0, false)
	f.Keep(&f.state.SpanState, &f.state)
	f.Offset = func(bool) []float64 { return f.state.Bias }
	f.x, f.y = p.Dense()
	return f, nil
}

func (f *ksvm) Step() (algos.Progress, error) {
	if f.T > 0 {
		return algos.Progress{Done: true}, nil
	}
	n, out := f.y.Rows, f.y.Cols
	alpha := compute.NewMatrix(n, out)
	rows := f.P.Engine.KernelRows(f.P.Kernel, f.x, KSVMRows)
	diagonal := rows.Diagonal()
	for o := range out {
		s := newDecomposition(f.P, rows, diagonal, f.y.ColRange(o, o+1), f.settings.Bias)
		gap, err := s.solve(f.settings.Gap)
		if err != nil {
			return algos.Progress{}, err
		}
		f.state.Gap = append(f.state.Gap, gap)
		f.state.Iterations = append(f.state.Iterations, s.iterations)
		if s.biased {
			f.state.Bias = append(f.state.Bias, s.b)
		}
		for i, b := range s.beta {
			alpha.Set(i, o, s.c*s.y[i]*b)
		}
	}
	for i := range n {
		if a := alpha.Row(i); parts.Nonzero(a) {
			f.state.Rows = append(f.state.Rows, i)
			f.Alpha = append(f.Alpha, a...)
		}
	}
	return f.Finished(n), nil
}

// svm is the dual problem of one output, or its part in some of the β_i with the others fixed.
type svm struct {
	k          interface{ Row(i int) []float64 } // k(X, X) of these β_i
	nu, c      float64                           // ν and 1/(νn)
	y, beta    []float64                         // labels and β
	q          []float64                         // k(x_i, x_i)/(νn)
	f          []float64                         // f(x_i), kept up to date
	iterations int

	biased bool
	b      float64 // 0 without a bias
}

// iterate makes at most the given number of iterations.
func (s *svm) iterate(most int) {
	for range most {
		i, delta := s.best()
		if delta == 0 {
			return
		}
		s.move(i, s.y[i]*delta)
		s.iterations++
	}
}

// best returns the i that gains most and its δ_i. δ is 0 if no i gains.
func (s *svm) best() (at int, delta float64) {
	most := 0.0
	for i := range s.beta {
		if d, gain := s.gain(i); gain > most {
			at, delta, most = i, d, gain
		}
	}
	return at, delta
}

// gain returns δ_i, and how much nD gains by it.
func (s *svm) gain(i int) (delta, gain float64) {
	b, g := s.beta[i], 1-s.y[i]*s.f[i]
	if g == 0 || g > 0 && b == 1 || g < 0 && b == 0 {
		return 0, 0
	}
	delta = min(max(b+g/s.q[i], 0), 1) - b
	return delta, delta * (g - s.q[i]*delta/2)
}

// add adds δ to y_iβ_i, which stays within its bounds.
func (s *svm) add(i int, delta float64) { s.beta[i] = min(max(s.beta[i]+s.y[i]*delta, 0), 1) }

// move adds δ to y_iβ_i, and what follows to all f(x_j).
func (s *svm) move(i int, delta float64) {
	s.add(i, delta)
	compute.AddScaled(s.f, s.c*delta, s.k.Row(i))
}

// gap returns (P - D)/P and D. With a bias it sets b to the value that follows from β.
func (s *svm) gap() (gap, dual float64) {
	primal, dual := s.objectives()
	if primal == 0 { // all labels are the same, and b is enough to separate them
		return 0, dual
	}
	return (primal - dual) / primal, dual
}

// objectives returns P and D. With a bias it sets b.
func (s *svm) objectives() (primal, dual float64) {
	if s.biased {
		s.setBias()
	}
	loss, sum, norm := 0.0, 0.0, 0.0
	for i, b := range s.beta {
		m := s.y[i] * s.f[i]
		loss += max(0, 1-m-s.y[i]*s.b)
		sum += b
		norm += s.c * b * m
	}
	n := float64(len(s.beta))
	return loss/n + s.nu/2*norm, sum/n - s.nu/2*norm
}

func (f *ksvm) dualityGap() float64 {
	if f.T == 0 {
		return math.Inf(1)
	}
	return slices.Max(f.state.Gap)
}

// Cost implements Coster. The number of iterations and of rows that are evaluated depends on the data and on ν. Cost assumes n rows, 2n
// changes of a β_i, as Adult takes at dai2014's ν, and ten Newton steps with a third of the rows. Predictions cost less if not all
// rows are support vectors.
func (*KSVM) Cost(s algos.Size) algos.Cost {
	n, out := float64(s.N), float64(s.Out)
	return algos.Cost{
		KernelEvals: n * n,
		Flops:       out * n * n * (4 + n/8),
		EvalCost:    n * float64(s.Evals),
		Bytes:       min(8*n*n, KSVMRows) + 8*n*(2*n/9+float64(s.In)+5*out),
	}
}

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
	solution, ok := s.solveSemidefinite(k, right)
	if !ok {
		return
	}
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

// setBias sets b to the mean of g_i over the a_i strictly between their bounds. If there are none, it sets b to the middle of the interval.
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
