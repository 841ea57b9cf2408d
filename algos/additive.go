package algos

import (
	"fmt"

	"repro/algos/compute"
)

// additiveState is the state of a predictor f_t = Σ_j α_j τ_j, a growing sum of terms τ_j (random
// features, or kernel functions at training points) whose older coefficients shrink by a common
// factor at every step.
type additiveState struct {
	T      int       // steps made
	Seen   int64     // examples used
	Alpha  []float64 // coefficients, one row of outputs a term
	Mean   []float64 // those of the averaged iterate f̂_t = (1/t) Σ_{i≤t} f_{i+1}; empty if it is not kept
	Terms  []int     // number of terms after each step
	Shrink []float64 // factor 1 - γ_tν each step applied to the terms before it
	Rows   []int     // training row of each term, for terms k(x_i, ·)
	Tau    []float64 // threshold τ_i after each step, one row of outputs a step; empty if the loss has none
}

// additive drives an additiveState. apply sets dst to the terms of steps k < i ≤ t at the rows of
// x, times v.
//
// With a threshold, for the loss losses.Novelty, the predictor is f_t - τ_t.
type additive struct {
	additiveState
	out       int
	average   bool
	threshold bool
	apply     func(dst, x compute.Matrix, k int, v compute.Matrix)
}

// terms returns the number of terms after step k.
func (a *additive) terms(k int) int {
	if k == 0 {
		return 0
	}
	return a.Terms[k-1]
}

// predict returns f_t, less τ_t, at the rows of x.
func (a *additive) predict(x compute.Matrix) compute.Matrix {
	f := compute.NewMatrix(x.Rows, a.out)
	a.apply(f, x, 0, a.matrix(a.Alpha, 0))
	a.addThreshold(f, -1, a.tau(a.T))
	return f
}

// learnThreshold makes the gradient step of a threshold, given r = l'(f(x_b) - τ, ·) of a batch
// [dai2014 §4]: for one example τ + γν where f(x) ≥ τ, τ - γ(1-ν) where f(x) < τ, otherwise their mean.
func (a *additive) learnThreshold(gamma, nu float64, r compute.Matrix) {
	if !a.threshold {
		return
	}
	tau := append([]float64(nil), a.tau(a.T)...)
	for j := range tau {
		tau[j] += gamma * nu
		for b := range r.Rows {
			tau[j] += gamma / float64(r.Rows) * r.At(b, j)
		}
	}
	a.Tau = append(a.Tau, tau...)
}

// tau returns τ_k, which starts at zero.
func (a *additive) tau(k int) []float64 {
	if !a.threshold || k == 0 {
		return make([]float64, a.out)
	}
	return a.Tau[(k-1)*a.out : k*a.out]
}

// meanTau returns the threshold of the averaged iterate, (1/k) Σ_{i≤k} τ_i.
func (a *additive) meanTau(k int) []float64 {
	mean := make([]float64, a.out)
	if a.threshold {
		for i := range k * a.out {
			mean[i%a.out] += a.Tau[i] / float64(k)
		}
	}
	return mean
}

// addThreshold adds s·τ to predictions, if there is one.
func (a *additive) addThreshold(u compute.Matrix, s float64, tau []float64) {
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

// matrix views coefficients from term lo on.
func (a *additive) matrix(coef []float64, lo int) compute.Matrix {
	return compute.Matrix{Rows: len(coef)/a.out - lo, Cols: a.out, Stride: a.out, Data: coef[lo*a.out:]}
}

// grow ends a step: the coefficients of older terms shrink, new ones are appended, the average moves.
func (a *additive) grow(shrink float64, coef compute.Matrix, seen int) {
	for i := range a.Alpha {
		a.Alpha[i] *= shrink
	}
	for i := range coef.Rows {
		a.Alpha = append(a.Alpha, coef.Row(i)...)
	}
	a.T++
	a.Seen += int64(seen)
	a.Terms = append(a.Terms, len(a.Alpha)/a.out)
	a.Shrink = append(a.Shrink, shrink)
	if a.average {
		a.Mean = append(a.Mean, make([]float64, len(a.Alpha)-len(a.Mean))...)
		for i, v := range a.Alpha {
			a.Mean[i] += (v - a.Mean[i]) / float64(a.T)
		}
	}
}

// Advance implements Incremental. With D_i = Π_{k<j≤i} (1-γ_jν) and the terms born after step k,
//
//	f_t = D_t f_k + Σ_new α_j τ_j
//	t·f̂_t = k·f̂_k + (Σ_{k<i≤t} D_i) f_k + t·Σ_new ᾱ_j τ_j
//
// A threshold is added before and taken off after.
func (a *additive) Advance(k int, x compute.Matrix, p Predictions) {
	if k == a.T {
		return
	}
	lo, c := a.terms(k), a.out
	v := a.matrix(a.Alpha, lo)
	if a.average {
		v = compute.NewMatrix(v.Rows, 2*c)
		v.ColRange(0, c).CopyFrom(a.matrix(a.Alpha, lo))
		v.ColRange(c, 2*c).CopyFrom(a.matrix(a.Mean, lo))
	}
	fresh := compute.NewMatrix(x.Rows, v.Cols)
	a.apply(fresh, x, k, v)

	a.addThreshold(p.Last, 1, a.tau(k))
	d, sum := 1.0, 0.0
	for _, s := range a.Shrink[k:] {
		d *= s
		sum += d
	}
	if a.average {
		t := float64(a.T)
		a.addThreshold(p.Average, 1, a.meanTau(k))
		p.Average.Scale(float64(k) / t)
		p.Average.AddScaled(sum/t, p.Last)
		p.Average.AddScaled(1, fresh.ColRange(c, 2*c))
		a.addThreshold(p.Average, -1, a.meanTau(a.T))
	}
	p.Last.Scale(d)
	p.Last.AddScaled(1, fresh.ColRange(0, c))
	a.addThreshold(p.Last, -1, a.tau(a.T))
}

// diverged is the error of a step that met a prediction that is not finite.
func diverged(t int) error {
	return fmt.Errorf("%w: a prediction at step %d is not a finite number", ErrDiverged, t)
}

// Model implements Fit.
func (a *additive) Model() Model { return additiveModel{a} }

// State implements Fit.
func (a *additive) State() any { return &a.additiveState }

// additiveModel is the last iterate; averageModel the averaged one.
type (
	additiveModel struct{ a *additive }
	averageModel  struct{ a *additive }
)

func (m additiveModel) Predict(x compute.Matrix) compute.Matrix { return m.a.predict(x) }

func (m averageModel) Predict(x compute.Matrix) compute.Matrix {
	f := compute.NewMatrix(x.Rows, m.a.out)
	if m.a.T > 0 {
		m.a.apply(f, x, 0, m.a.matrix(m.a.Mean, 0))
		m.a.addThreshold(f, -1, m.a.meanTau(m.a.T))
	}
	return f
}

// Average implements Averager.
func (a *additive) Average() Model {
	if !a.average {
		return nil
	}
	return averageModel{a}
}

// additiveCost is the number of term evaluations of steps that each see batch examples and add
// block terms, and of one test point's incremental predictions over the whole curve.
func additiveCost(s Size, batch, block int) (train, eval float64) {
	t, b := float64(s.Steps), float64(batch)
	return b * float64(block) * t * (t - 1) / 2, float64(block) * t
}
