package methods

import (
	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/algos/schedules"
)

type primal struct {
	parts.ExpansionState
	parts.Expansion
	p     *algos.Problem
	order parts.Order
	batch int // 0 for all rows
	gamma func(t int) float64
	leaps *leaps // nil for none
}

func startPrimal(method string, p *algos.Problem, batch int, step schedules.Schedule, subsample int, l *leaps) (algos.Fit, error) {
	if err := parts.NoThreshold(method, p); err != nil {
		return nil, err
	}
	f := &primal{p: p, order: parts.NewOrder(p), batch: batch, leaps: l}
	f.Expansion = parts.NewExpansion(p, func() compute.Matrix { return f.Gram.LikeTargets(f.Alpha) })
	f.Alpha = make([]float64, len(f.Gram.Y.Data))
	if step != nil {
		f.gamma = step.Gamma
		return f, nil
	}
	var err error
	f.gamma, err = parts.OwnStep(method, p, func() (float64, error) {
		s, err := f.Gram.Eigensystem(0, parts.SketchOfOne, subsample)
		return s.First() / float64(f.Gram.X.Rows), err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Step implements Fit.
func (f *primal) Step() (algos.Progress, error) {
	alpha, gamma := f.Coefficients(), f.gamma(f.T+1)
	var rows []int // nil for all
	k, y := f.Gram.K, f.Gram.Y
	if f.batch > 0 {
		rows = f.order.Rows(f.Seen, f.batch)
		k, y = f.Gram.K.Select(rows), f.Gram.Targets(rows)
	}
	r := compute.NewMatrix(y.Rows, alpha.Cols)
	k.MulTo(r, alpha)
	if !parts.Residual(f.p, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	if shrink := 1 - gamma*f.p.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	if rows == nil {
		alpha.AddScaled(-gamma/float64(r.Rows), r)
	} else {
		parts.AddRows(alpha, rows, -gamma/float64(r.Rows), r)
	}
	f.T++
	f.Seen += int64(r.Rows)
	return algos.Progress{Seen: r.Rows}, nil
}

// State implements Fit.
func (f *primal) State() any { return &f.ExpansionState }

// Footprint implements Sizer: the coefficients and the points they belong to.
func (f *primal) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.Gram.X.Data)) }
