package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*pegasos]("pegasos", "stochastic gradient descent with the full kernel and a constant step, ma2017's Pegasos [ma2017 Table 2]",
	func() algos.Algorithm { return &Pegasos{Batch: 256, Subsample: 4800} })

// Pegasos is stochastic gradient descent in the RKHS with a constant step, which ma2017 calls Pegasos. Its centres are all training rows.
// Iteration t draws m rows of K and sets the coefficients of these rows, ma2017 Table 2 without its preconditioner,
//
//	g_m ← (1/m) l'(K_m α, y_m),  α ← (1 - ην) α,  α_m ← α_m - η g_m
//
// The step is that of GD unless the spec gives one.
//
// Departures. Rows are drawn without replacement within an epoch. The paper has no ν, no projection and the square loss only.
type Pegasos struct {
	Batch     int                `toml:"batch" want:"> 0" doc:"examples m per iteration"`
	Step      schedules.Schedule `toml:"step" doc:"step sizes η; 0.75/λ_1 if left out"`
	Subsample int                `toml:"subsample" want:"> 0" doc:"rows M from which λ_1 is estimated"`
}

type pegasos struct {
	parts.Iterate
	batch int
	gamma func(t int) float64
}

func (a *Pegasos) Start(p *algos.Problem) (algos.Fit, error) {
	i, gamma, err := parts.StartIterate("pegasos", p, a.Step, a.Subsample)
	return &pegasos{Iterate: i, batch: a.Batch, gamma: gamma}, err
}

func (f *pegasos) Step() (algos.Progress, error) {
	alpha, eta := f.Coefficients(), f.gamma(f.T+1)
	rows := f.Order.Rows(f.Seen, f.batch)
	g := compute.NewMatrix(len(rows), alpha.Cols)
	f.Gram.K.Select(rows).MulTo(g, alpha)
	if !parts.Residual(f.P, g, f.Gram.Targets(rows)) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	if shrink := 1 - eta*f.P.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	parts.AddRows(alpha, rows, -eta/float64(len(rows)), g)
	return f.Stepped(len(rows)), nil
}

func (a *Pegasos) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

func (a *Pegasos) Cost(s algos.Size) algos.Cost {
	c := parts.GramCost(s, float64(a.Batch))
	parts.AddKernelSteps(&c, s, a.Step != nil, a.Subsample)
	return c
}

var _ = algos.Register[*norma]("norma", "stochastic functional gradient descent with the full kernel [Kivinen, Smola & Williamson 2004]",
	func() algos.Algorithm { return &NORMA{Batch: 1, Step: &schedules.InverseSqrt{Gamma0: 1}} })

// NORMA is stochastic functional gradient descent with the full kernel [Kivinen, Smola, Williamson
// 2004; the competitor of dai2014 §6 and §7]. Iteration t draws examples (x_b, y_b), b ≤ B, and sets
//
//	f_{t+1} = (1 - γ_t ν) f_t - γ_t (1/B) Σ_b l'(f_t(x_b), y_b) k(x_b, ·)
//
// The loss novelty has a threshold τ, which every iteration moves as in DSG.
//
// Departures. No bias term and no truncation of the expansion, as in dai2014. Examples are taken without replacement within an epoch; one
// met again in a later epoch is a new term. Examples with l' = 0 add none.
type NORMA struct {
	Batch   int                `toml:"batch" want:"> 0" doc:"examples B per iteration"`
	Step    schedules.Schedule `toml:"step" doc:"step sizes γ_t"`
	Average bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ f_i"`
}

type norma struct {
	*parts.Additive
	settings *NORMA
}

func (a *NORMA) Start(p *algos.Problem) (algos.Fit, error) {
	return &norma{parts.NewAdditive(p, a.Average, nil), a}, nil
}

func (f *norma) Step() (algos.Progress, error) {
	rows, x, y := f.Order.Batch(f.Seen, f.settings.Batch)
	gamma := f.settings.Step.Gamma(f.T + 1)

	r := f.Predict(x)
	if !parts.Residual(f.P, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	f.LearnThreshold(gamma, f.P.Nu, r)
	alpha := f.newTerms(rows, r)
	alpha.Scale(-gamma / float64(len(rows)))
	return f.Grow(1-gamma*f.P.Nu, alpha, len(rows)), nil
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

func (a *NORMA) Traits() algos.Traits { return algos.Traits{Batch: a.Batch} }

// Cost implements Coster: iteration t evaluates k at tB pairs for each of B examples, and keeps all
// tB points [dai2014 Table 2], or the part of them that has a gradient.
func (a *NORMA) Cost(s algos.Size) algos.Cost {
	train, eval := parts.AdditiveCost(s, a.Batch, a.Batch)
	terms := float64(a.Batch) * float64(s.Steps)
	if s.Support > 0 {
		train, eval, terms = s.Support*train, s.Support*eval, s.Support*terms
	}
	return algos.Cost{KernelEvals: train, Together: a.Batch, EvalCost: eval, Bytes: terms * 8 * (float64(s.In) + 1 + parts.Iterates(a.Average)*float64(s.Out))}
}
