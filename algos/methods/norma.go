package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*norma]("norma", "stochastic functional gradient descent with the full kernel [Kivinen, Smola & Williamson 2004]", func() algos.Algorithm {
	return &NORMA{Batch: 1, Step: &schedules.InverseSqrt{Gamma0: 1}}
})

// NORMA is stochastic functional gradient descent with the full kernel [Kivinen, Smola, Williamson
// 2004; the competitor of dai2014 §6 and §7]. Iteration t draws examples (x_b, y_b), b ≤ B, and sets
//
//	f_{t+1} = (1 - γ_t ν) f_t - γ_t (1/B) Σ_b l'(f_t(x_b), y_b) k(x_b, ·)
//
// The loss novelty has a threshold τ, which every iteration moves as in DSG.
//
// Departures. No bias term and no truncation of the expansion, as in dai2014. Examples are taken
// without replacement within an epoch; one met again in a later epoch is a new term. Examples with
// l' = 0 add none.
type NORMA struct {
	Batch   int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Step    schedules.Schedule `toml:"step" doc:"step sizes γ_t"`
	Average bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ f_i"`
}

type norma struct {
	parts.Additive
	settings *NORMA
	p        *algos.Problem
	order    parts.Order
	centres  parts.Centres
}

func (a *NORMA) Start(p *algos.Problem) (algos.Fit, error) {
	f := &norma{settings: a, p: p, order: parts.NewOrder(p)}
	f.Additive = parts.NewAdditive(p, a.Average, f.apply)
	return f, nil
}

func (f *norma) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.settings.Batch)
	gamma := f.settings.Step.Gamma(f.T + 1)

	r := f.Predict(x)
	if !parts.Residual(f.p, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	f.LearnThreshold(gamma, f.p.Nu, r)
	alpha := f.newTerms(rows, r)
	alpha.Scale(-gamma / float64(len(rows)))
	return f.Grow(1-gamma*f.p.Nu, alpha, len(rows)), nil
}

// newTerms adds the rows with l' ≠ 0 to the expansion. It moves their l' to the front of r and returns them.
func (f *norma) newTerms(rows []int, r compute.Matrix) compute.Matrix {
	n := 0
	for i, row := range rows {
		if parts.Nonzero(r.Row(i)) {
			copy(r.Row(n), r.Row(i))
			f.Rows = append(f.Rows, row)
			n++
		}
	}
	return r.RowRange(0, n)
}

// apply sets dst to the terms of the steps after step k at the rows of x, times v.
func (f *norma) apply(dst, x compute.Matrix, k int, v compute.Matrix) {
	z := f.centres.Of(f.p, f.Rows).RowRange(f.TermsAfter(k), len(f.Rows))
	f.p.Engine.Kernel(f.p.Kernel, x, z).MulTo(dst, v)
}

func (f *norma) SquaredNorms() []float64 {
	return parts.ExpansionNorms(f.p, f.centres.Of(f.p, f.Rows), f.Coefs())
}

// Footprint implements Sizer: the coefficients and the points they belong to.
func (f *norma) Footprint() int64 {
	in, _ := f.p.Train.Dims()
	return 8 * int64(len(f.Alpha)+in*len(f.Rows))
}

func (a *NORMA) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// Cost implements Coster: iteration t evaluates k at tB pairs for each of B examples, and keeps all
// tB points [dai2014 Table 2], or the part of them that has a gradient.
func (a *NORMA) Cost(s algos.Size) algos.Cost {
	train, eval := parts.AdditiveCost(s, a.Batch, a.Batch)
	kept := 1.0
	if a.Average {
		kept = 2
	}
	terms := float64(a.Batch) * float64(s.Steps)
	if s.Support > 0 {
		train, eval, terms = s.Support*train, s.Support*eval, s.Support*terms
	}
	return algos.Cost{KernelEvals: train, Together: a.Batch, EvalCost: eval, Bytes: terms * 8 * (float64(s.In) + 1 + kept*float64(s.Out))}
}
