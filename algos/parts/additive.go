package parts

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
)

// AdditiveState is the state of an Additive.
type AdditiveState struct {
	SpanState
	History
}

// History is how the terms of an Additive came to be.
type History struct {
	Terms  []int     // number of terms after each step
	Shrink []float64 // factor 1 - γ_tν by which each step multiplied the older coefficients
	Rows   []int     // training row of each term, for terms k(x_i, ·)
	Blocks []int     // block of features that each step used, for methods that use a block again
	Tau    []float64 // threshold τ_i after each step, one row of outputs per step; empty if the loss has none
}

// Terms are the functions τ_j of an Additive, in the order of its steps.
type Terms interface {
	// Apply sets dst to the terms of the steps after step k at the rows of x, times v.
	Apply(dst, x compute.Matrix, k int, v compute.Matrix)
	SquaredNorms(w compute.Matrix) []float64
	Memory() int
}

// Additive is a Span f_t = Σ_j α_j τ_j that grows: every step adds terms and multiplies all older coefficients by one factor. A method embeds
// it and writes Step, which calls Predict, LearnThreshold and Grow. With the loss losses.Novelty, which has a threshold, the predictor is
// f_t - τ_t. The averaged iterate is f̂_t = (1/t) Σ_{i≤t} f_{i+1}.
type Additive struct {
	Span
	*History
	terms     Terms
	threshold bool

	pair, fresh Scratch // of AdvanceFrom
}

// NewAdditive returns the predictor 0 for a problem. average says whether to keep the averaged iterate. Without terms, they are the kernel
// functions k(x_i, ·) of the training rows in Rows, which the steps append.
func NewAdditive(p *algos.Problem, average bool, terms Terms) *Additive {
	a := &Additive{terms: terms, threshold: LearnsThreshold(p)}
	if terms == nil {
		a.terms = &kernelTerms{a: a}
	}
	a.Span = NewSpan(p, termSum{a.terms, p.Engine}, 0, average)
	s := new(AdditiveState)
	a.KeepAdditive(s, s)
	if a.threshold {
		a.Offset = a.offset
	}
	return a
}

// KeepAdditive makes s, a part of state or all of it, that of a fit that has made no step.
func (a *Additive) KeepAdditive(s *AdditiveState, state any) {
	a.Keep(&s.SpanState, state)
	a.History = &s.History
}

// termSum is the functions of Terms.
type termSum struct {
	Terms
	e *compute.Engine
}

func (s termSum) Predict(x, w compute.Matrix) compute.Matrix {
	f := s.e.Zeroed(x.Rows, w.Cols)
	s.Apply(f, x, 0, w)
	return f
}

// kernelTerms are k(x_i, ·) for the rows of an Additive.
type kernelTerms struct {
	a       *Additive
	centres Centres
}

func (k *kernelTerms) points() Points {
	return Points{k.a.P, func() compute.Matrix { return k.centres.Of(k.a.P, k.a.Rows) }}
}

func (k *kernelTerms) SquaredNorms(w compute.Matrix) []float64 { return k.points().SquaredNorms(w) }
func (k *kernelTerms) Memory() int                             { return k.points().Memory() }

func (k *kernelTerms) Apply(dst, x compute.Matrix, step int, v compute.Matrix) {
	z := k.points().Z()
	k.a.P.Engine.Kernel(k.a.P.Kernel, x, z.RowRange(k.a.TermsAfter(step), z.Rows)).MulTo(dst, v)
}

// TermsAfter returns the number of terms after step k.
func (a *Additive) TermsAfter(k int) int {
	if k == 0 {
		return 0
	}
	return a.Terms[k-1]
}

// Sum returns the sum of all terms times w at the rows of x.
func (a *Additive) Sum(x, w compute.Matrix) compute.Matrix { return a.functions.Predict(x, w) }

// Find returns the number of the term k(x_i, ·) of training row i, -1 if there is none. It knows the terms of the last prediction.
func (a *Additive) Find(row int) int {
	return a.terms.(*kernelTerms).centres.Find(row, a.P.Train.Len())
}

// Predict returns f_t - τ_t at the rows of x.
func (a *Additive) Predict(x compute.Matrix) compute.Matrix { return a.Model().Predict(x) }

// LearnThreshold makes the gradient step of the threshold, if the loss has one, given r = l'(f(x_b) - τ, ·) of a batch
// [dai2014 §4]. An example gives τ + γν if f(x) ≥ τ, and τ - γ(1-ν) if f(x) < τ; a batch gives the mean.
func (a *Additive) LearnThreshold(gamma, nu float64, r compute.Matrix) {
	if !a.threshold {
		return
	}
	tau := append([]float64(nil), a.TauAfter(a.T)...)
	for j := range tau {
		tau[j] += gamma * nu
		for b := range r.Rows {
			tau[j] += gamma / float64(r.Rows) * r.At(b, j)
		}
	}
	a.Tau = append(a.Tau, tau...)
}

// TauAfter returns τ_k, which starts at zero.
func (a *Additive) TauAfter(k int) []float64 {
	if !a.threshold || k == 0 {
		return make([]float64, a.Out)
	}
	return a.Tau[(k-1)*a.Out : k*a.Out]
}

// meanTau returns the threshold of the averaged iterate, (1/k) Σ_{i≤k} τ_i.
func (a *Additive) meanTau(k int) []float64 {
	mean := make([]float64, a.Out)
	if a.threshold {
		for i := range k * a.Out {
			mean[i%a.Out] += a.Tau[i] / float64(k)
		}
	}
	return mean
}

// offset returns what the threshold adds to predictions.
func (a *Additive) offset(average bool) []float64 {
	tau := a.TauAfter(a.T)
	if average {
		tau = a.meanTau(a.T)
	}
	return floats.ScaleTo(make([]float64, a.Out), -1, tau)
}

// Coefs views the coefficients of f_t, one row of outputs per term.
func (a *Additive) Coefs() compute.Matrix { return a.View(a.Alpha) }

// Grow ends a step that used seen examples: it multiplies the older coefficients by shrink, appends coef, and updates the average.
func (a *Additive) Grow(shrink float64, coef compute.Matrix, seen int) algos.Progress {
	for i := range a.Alpha {
		a.Alpha[i] *= shrink
	}
	fresh := Grown(&a.Alpha, coef.Rows*a.Out)
	for i := range coef.Rows {
		copy(fresh[i*a.Out:], coef.Row(i))
	}
	if a.average {
		clear(Grown(&a.Mean, len(a.Alpha)-len(a.Mean)))
	}
	a.Terms = append(a.Terms, len(a.Alpha)/a.Out)
	a.Shrink = append(a.Shrink, shrink)
	return a.Stepped(seen)
}

// Advance implements Incremental. With D_i = Π_{k<j≤i} (1-γ_jν) and the terms born after step k,
//
//	f_t = D_t f_k + Σ_new α_j τ_j
//	t·f̂_t = k·f̂_k + (Σ_{k<i≤t} D_i) f_k + t·Σ_new ᾱ_j τ_j
//
// The threshold is added to the old predictions first and subtracted from the new ones.
func (a *Additive) Advance(k int, x compute.Matrix, p algos.Predictions) {
	if k == a.T {
		return
	}
	a.addThreshold(p, 1, k)
	d, sum := 1.0, 0.0
	for _, s := range a.Shrink[k:] {
		d *= s
		sum += d
	}
	a.AdvanceFrom(k, x, p, Advance{Last: d, Sum: sum, Mean: float64(k), Scale: 1})
	a.addThreshold(p, -1, a.T)
}

// Advance is how much of the predictions of step k is in those of step t: f_t = Last f_k + …, t·f̂_t = Mean f̂_k + Sum f_k + …. The terms
// since then have the factor Scale in f_t.
type Advance struct{ Last, Sum, Mean, Scale float64 }

// AdvanceFrom updates running predictions of step k at the rows of x, as algos.Incremental does.
func (a *Additive) AdvanceFrom(k int, x compute.Matrix, p algos.Predictions, of Advance) {
	average, lo, c := p.Average.Rows > 0, a.TermsAfter(k), a.Out // Kept wants the last iterate alone
	v := a.View(a.Alpha[lo*c:])
	if average {
		v = a.pair.Matrix(v.Rows, 2*c)
		v.ColRange(0, c).CopyFrom(a.View(a.Alpha[lo*c:]))
		v.ColRange(c, 2*c).CopyFrom(a.View(a.Mean[lo*c:]))
	}
	fresh := a.fresh.Matrix(p.Last.Rows, v.Cols)
	a.terms.Apply(fresh, x, k, v)
	if average {
		t := float64(a.T)
		p.Average.Scale(of.Mean / t)
		p.Average.AddScaled(of.Sum/t, p.Last)
		p.Average.AddScaled(1, fresh.ColRange(c, 2*c))
	}
	p.Last.Scale(of.Last)
	p.Last.AddScaled(of.Scale, fresh.ColRange(0, c))
}

// addThreshold adds s times the thresholds after step k to predictions, if the loss has one.
func (a *Additive) addThreshold(p algos.Predictions, s float64, k int) {
	if a.threshold {
		addRow(p.Last, s, a.TauAfter(k))
		addRow(p.Average, s, a.meanTau(k))
	}
}

// KeptState is the state of an Additive whose predictions at training rows are kept.
type KeptState struct {
	AdditiveState
	At   []float64 // prediction at each training row as it was made last
	Step []int     // step after which it was made
}

// Kept makes predictions at training rows from those that it made there before.
type Kept struct {
	*KeptState
	of         *Additive
	some, last Scratch
}

// NewKept returns the predictions of a at n training rows, which are 0 before the first step. Its state is that of a from now on.
func NewKept(a *Additive, n int) *Kept {
	s := &KeptState{At: make([]float64, n*a.Out), Step: make([]int, n)}
	a.KeepAdditive(&s.AdditiveState, s)
	return &Kept{KeptState: s, of: a}
}

// keptTogether bounds the rows that Predict brings up to date at a time.
const keptTogether = 4096

// Predict returns the predictions of the Additive at the training rows with inputs x. It evaluates only the terms of the steps since a row
// was there last, so that each term is evaluated at most once at each row, however many epochs there are.
func (k *Kept) Predict(rows []int, x compute.Matrix) compute.Matrix {
	since := map[int][]int{} // places in rows by the step after which the row was there
	for i, row := range rows {
		since[k.Step[row]] = append(since[k.Step[row]], i)
	}
	f, at := k.of.P.Engine.Zeroed(x.Rows, k.of.Out), View(k.At, k.of.Out)
	for _, step := range slices.Sorted(maps.Keys(since)) {
		for places := range slices.Chunk(since[step], keptTogether) {
			some, last := k.some.Matrix(len(places), x.Cols), k.last.Matrix(len(places), k.of.Out)
			for i, place := range places {
				copy(some.Row(i), x.Row(place))
				copy(last.Row(i), at.Row(rows[place]))
			}
			k.of.Advance(step, some, algos.Predictions{Last: last})
			for i, place := range places {
				copy(f.Row(place), last.Row(i))
				copy(at.Row(rows[place]), last.Row(i))
				k.Step[rows[place]] = k.T
			}
		}
	}
	return f
}
