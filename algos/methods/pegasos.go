package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*pegasos]("pegasos", "stochastic gradient descent with the full kernel and a constant step, ma2017's Pegasos [ma2017 Table 2]", func() algos.Algorithm {
	return &Pegasos{Batch: 256, Subsample: 4800}
})

// Pegasos is stochastic gradient descent in the RKHS with a constant step, which ma2017 calls Pegasos. Its
// centres are all training rows. Iteration t draws m rows of K and sets the coefficients of these rows,
// ma2017 Table 2 without its preconditioner,
//
//	g_m ← (1/m) l'(K_m α, y_m),  α ← (1 - ην) α,  α_m ← α_m - η g_m
//
// The step is that of GD unless the spec gives one.
//
// Departures. Rows are drawn without replacement within an epoch. The paper has no ν, no projection and
// the square loss only.
type Pegasos struct {
	Batch     int                `toml:"batch" want:"> 0" doc:"examples m per iteration"`
	Step      schedules.Schedule `toml:"step" doc:"step sizes η; 0.75/λ_1 if left out"`
	Subsample int                `toml:"subsample" want:"> 0" doc:"rows M from which λ_1 is estimated"`
}

type pegasos struct {
	*parts.Iterate
	p     *algos.Problem
	order parts.Order
	batch int
	gamma func(t int) float64
}

// Start implements Algorithm. It needs a loss without a threshold to learn.
func (a *Pegasos) Start(p *algos.Problem) (algos.Fit, error) {
	i, gamma, err := parts.StartIterate("pegasos", p, a.Step, a.Subsample)
	if err != nil {
		return nil, err
	}
	return &pegasos{Iterate: i, p: p, order: parts.NewOrder(p), batch: a.Batch, gamma: gamma}, nil
}

func (f *pegasos) Step() (algos.Progress, error) {
	alpha, eta := f.Coefficients(), f.gamma(f.T+1)
	rows := f.order.Rows(f.Seen, f.batch)
	g := compute.NewMatrix(len(rows), alpha.Cols)
	f.Gram.K.Select(rows).MulTo(g, alpha)
	if !parts.Residual(f.p, g, f.Gram.Targets(rows)) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	if shrink := 1 - eta*f.p.Nu; shrink != 1 {
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
