package parts

import (
	"repro/algos"
	"repro/algos/compute"
)

// AdditiveState is the state of a predictor f_t = Σ_j α_j τ_j. The terms τ_j are random features, or kernel functions at
// training points. Every step adds terms and multiplies all older coefficients by one factor.
type AdditiveState struct {
	Count
	Alpha  []float64 // coefficients, one row of outputs per term
	Mean   []float64 // coefficients of the averaged iterate f̂_t = (1/t) Σ_{i≤t} f_{i+1}; empty if it is not kept
	Terms  []int     // number of terms after each step
	Shrink []float64 // factor 1 - γ_tν by which each step multiplied the older coefficients
	Rows   []int     // training row of each term, for terms k(x_i, ·)
	Blocks []int     // block of features that each step used, for methods that use a block again
	Tau    []float64 // threshold τ_i after each step, one row of outputs per step; empty if the loss has none
}

// Additive is a fit with an AdditiveState, except for its Step. A method embeds it and writes Step, which calls Predict,
// LearnThreshold and Grow. With the loss losses.Novelty, which has a threshold, the predictor is f_t - τ_t.
type Additive struct {
	*AdditiveState
	Out       int // outputs
	engine    *compute.Engine
	average   bool
	threshold bool
	apply     func(dst, x compute.Matrix, k int, v compute.Matrix)

	both, fresh Scratch // of Advance
}

// NewAdditive returns the predictor 0 for a problem. average says whether to keep the averaged iterate. apply sets dst to
// the terms of the steps after step k at the rows of x, times v.
func NewAdditive(p *algos.Problem, average bool, apply func(dst, x compute.Matrix, k int, v compute.Matrix)) Additive {
	_, out := p.Train.Dims()
	return Additive{AdditiveState: new(AdditiveState), Out: out, engine: p.Engine, average: average, threshold: LearnsThreshold(p), apply: apply}
}

// TermsAfter returns the number of terms after step k.
func (a *Additive) TermsAfter(k int) int {
	if k == 0 {
		return 0
	}
	return a.Terms[k-1]
}

// Predict returns f_t - τ_t at the rows of x.
func (a *Additive) Predict(x compute.Matrix) compute.Matrix {
	f := a.engine.Zeroed(x.Rows, a.Out)
	a.apply(f, x, 0, a.Coefs())
	a.addThreshold(f, -1, a.TauAfter(a.T))
	return f
}

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

// addThreshold adds s·τ to predictions, if the loss has a threshold.
func (a *Additive) addThreshold(u compute.Matrix, s float64, tau []float64) {
	if !a.threshold {
		return
	}
	for i := range u.Rows {
		row := u.Row(i)
		for j, t := range tau {
			row[j] += s * t
		}
	}
}

// Coefs views the coefficients of f_t, one row of outputs per term.
func (a *Additive) Coefs() compute.Matrix { return a.matrix(a.Alpha, 0) }

// matrix views coefficients from term lo on.
func (a *Additive) matrix(coef []float64, lo int) compute.Matrix { return View(coef[lo*a.Out:], a.Out) }

// Grow ends a step that used seen examples: it multiplies the older coefficients by shrink, appends coef, and updates the
// average.
func (a *Additive) Grow(shrink float64, coef compute.Matrix, seen int) algos.Progress {
	for i := range a.Alpha {
		a.Alpha[i] *= shrink
	}
	fresh := Grown(&a.Alpha, coef.Rows*a.Out)
	for i := range coef.Rows {
		copy(fresh[i*a.Out:], coef.Row(i))
	}
	p := a.Stepped(seen)
	a.Terms = append(a.Terms, len(a.Alpha)/a.Out)
	a.Shrink = append(a.Shrink, shrink)
	if a.average {
		clear(Grown(&a.Mean, len(a.Alpha)-len(a.Mean)))
		MoveMean(a.Mean, a.Alpha, 1, a.T)
	}
	return p
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
	average := p.Average.Rows > 0 // Kept wants the last iterate alone
	lo, c := a.TermsAfter(k), a.Out
	v := a.matrix(a.Alpha, lo)
	if average {
		v = a.both.Matrix(v.Rows, 2*c)
		v.ColRange(0, c).CopyFrom(a.matrix(a.Alpha, lo))
		v.ColRange(c, 2*c).CopyFrom(a.matrix(a.Mean, lo))
	}
	fresh := a.fresh.Matrix(x.Rows, v.Cols)
	a.apply(fresh, x, k, v)

	a.addThreshold(p.Last, 1, a.TauAfter(k))
	d, sum := 1.0, 0.0
	for _, s := range a.Shrink[k:] {
		d *= s
		sum += d
	}
	if average {
		t := float64(a.T)
		a.addThreshold(p.Average, 1, a.meanTau(k))
		p.Average.Scale(float64(k) / t)
		p.Average.AddScaled(sum/t, p.Last)
		p.Average.AddScaled(1, fresh.ColRange(c, 2*c))
		a.addThreshold(p.Average, -1, a.meanTau(a.T))
	}
	p.Last.Scale(d)
	p.Last.AddScaled(1, fresh.ColRange(0, c))
	a.addThreshold(p.Last, -1, a.TauAfter(a.T))
}

func (a *Additive) Model() algos.Model { return additiveModel{a} }
func (a *Additive) State() any         { return a.AdditiveState }

// additiveModel is the last iterate; averageModel the averaged one.
type (
	additiveModel struct{ a *Additive }
	averageModel  struct{ a *Additive }
)

func (m additiveModel) Predict(x compute.Matrix) compute.Matrix { return m.a.Predict(x) }

func (m averageModel) Predict(x compute.Matrix) compute.Matrix {
	f := compute.NewMatrix(x.Rows, m.a.Out)
	if m.a.T > 0 {
		m.a.apply(f, x, 0, m.a.matrix(m.a.Mean, 0))
		m.a.addThreshold(f, -1, m.a.meanTau(m.a.T))
	}
	return f
}

func (a *Additive) Average() algos.Model {
	if !a.average {
		return nil
	}
	return averageModel{a}
}
