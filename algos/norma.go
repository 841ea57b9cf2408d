package algos

import (
	"slices"

	"repro/algos/compute"
	"repro/algos/schedules"
)

var _ = register("norma", func() Algorithm {
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
	Batch   int                `toml:"batch" want:"> 0" doc:"examples per iteration B"`
	Step    schedules.Schedule `toml:"step" doc:"step sizes γ_t"`
	Average bool               `toml:"average" doc:"also keep the averaged iterate (1/t) Σ f_i"`
}

type norma struct {
	additive
	settings *NORMA
	p        *Problem
	order    order

	// The centres gathered so far: a function of Rows, remade when Rows has been restored.
	gathered []int
	centres  compute.Matrix
}

// Fits implements Declarer.
func (*NORMA) Fits() Fit { return (*norma)(nil) }

// Start implements Algorithm.
func (a *NORMA) Start(p *Problem) (Fit, error) {
	_, out := p.Train.Dims()
	f := &norma{settings: a, p: p, order: order{p: p}}
	f.additive = additive{out: out, average: a.Average, threshold: p.learnsThreshold(), apply: f.apply}
	return f, nil
}

func (f *norma) apply(dst, x compute.Matrix, k int, v compute.Matrix) {
	z := f.support().RowRange(f.terms(k), len(f.Rows))
	f.p.Engine.Kernel(f.p.Kernel, x, z).MulTo(dst, v)
}

// support returns the centres of all terms.
func (f *norma) support() compute.Matrix {
	have := len(f.gathered)
	if have > len(f.Rows) || !slices.Equal(f.gathered, f.Rows[:have]) {
		have = 0
	}
	in, out := f.p.Train.Dims()
	add := f.Rows[have:]
	x, y := compute.NewMatrix(len(add), in), compute.NewMatrix(len(add), out)
	f.p.Train.Gather(add, x, y)
	f.centres.Data = append(f.centres.Data[:have*in], x.Data...)
	f.centres.Rows, f.centres.Cols, f.centres.Stride = len(f.Rows), in, in
	f.gathered = append(f.gathered[:have], add...)
	return f.centres
}

// Step implements Fit.
func (f *norma) Step() (Progress, error) {
	rows, x, y := f.order.batch(f.Seen, f.settings.Batch)
	gamma := f.settings.Step.Gamma(f.T + 1)

	r := f.predict(x)
	if !f.p.residual(r, y) {
		return Progress{}, diverged(f.T + 1)
	}
	f.learnThreshold(gamma, f.p.Nu, r)
	n := 0 // rows of r that are kept
	for i, row := range rows {
		if slices.IndexFunc(r.Row(i), func(v float64) bool { return v != 0 }) >= 0 {
			copy(r.Row(n), r.Row(i))
			f.Rows = append(f.Rows, row)
			n++
		}
	}
	alpha := r.RowRange(0, n)
	alpha.Scale(-gamma / float64(len(rows)))

	f.grow(1-gamma*f.p.Nu, alpha, len(rows))
	return Progress{Seen: len(rows)}, nil
}

// SquaredNorms implements Normed.
func (f *norma) SquaredNorms() []float64 {
	z := f.support()
	return expansionNorms(f.p.Engine.Kernel(f.p.Kernel, z, z), f.matrix(f.Alpha, 0))
}

// Footprint implements Sizer: the coefficients and the points they belong to.
func (f *norma) Footprint() int64 {
	in, _ := f.p.Train.Dims()
	return 8 * int64(len(f.Alpha)+in*len(f.Rows))
}

// BatchSize implements Batcher.
func (a *NORMA) BatchSize() int { return a.Batch }

// Cost implements Coster: iteration t evaluates k at tB pairs for each of B examples, and keeps all
// tB points [dai2014 Table 2].
func (a *NORMA) Cost(s Size) Cost {
	train, eval := additiveCost(s, a.Batch, a.Batch)
	kept := 1.0
	if a.Average {
		kept = 2
	}
	terms := float64(a.Batch * s.Steps)
	return Cost{KernelEvals: train, EvalCost: eval, Bytes: terms * 8 * (float64(s.In) + 1 + kept*float64(s.Out))}
}
