package parts

import (
	"repro/algos"
	"repro/algos/compute"
)

// ExpansionState is the coefficients of f = Σ_i α_i k(x_i, ·), one row a training row and one column an output.
type ExpansionState struct {
	T     int
	Seen  int64
	Alpha []float64
}

// Expansion is the part of a fit f = Σ_i α_i k(x_i, ·) that does not depend on how α comes about.
type Expansion struct {
	Gram  *Gram
	alpha func() compute.Matrix // α, one row a training row and one column an output
}

func NewExpansion(p *algos.Problem, alpha func() compute.Matrix) Expansion {
	return Expansion{NewGram(p), alpha}
}

// Model implements Fit.
func (f Expansion) Model() algos.Model { return f }

// Predict implements Model.
func (f Expansion) Predict(x compute.Matrix) compute.Matrix { return f.Gram.Predict(x, f.alpha()) }

// Fitted implements Fitter.
func (f Expansion) Fitted() compute.Matrix { return f.Gram.Fitted(f.alpha()) }

// Anticipate implements Anticipator.
func (f Expansion) Anticipate(x compute.Matrix) { f.Gram.Anticipate(x) }

// Coefficients implements Expansion.
func (f Expansion) Coefficients() compute.Matrix { return f.alpha() }
