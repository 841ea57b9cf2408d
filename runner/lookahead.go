package runner

import (
	"context"

	"repro/algos"
	"repro/algos/parts"
	"repro/experiments"
)

// A lookahead predicts the examples that a fit is about to learn from, in the order in which all methods visit them, so that
// a method of batches can be compared with online ones.
type lookahead struct {
	stepper
	fit   *fit
	order parts.Order
	batch int
}

func newLookahead(s stepper, f *fit, m experiments.Method, p *algos.Problem, size algos.Size) (*lookahead, error) {
	order, err := parts.NewSampling(m.Algorithm, p, algos.WithReplacement(m.Configured))
	return &lookahead{s, f, order, algos.BatchOf(m.Configured.(algos.Batcher), size)}, err
}

// advance implements stepper. It adds the predictions for the next batch to the tally.
func (l *lookahead) advance(ctx context.Context, so *progress, _ int) made {
	_, x, y := l.order.Batch(so.Seen, l.batch)
	u := l.fit.Model().Predict(x)
	if err := algos.Err(l.fit.Fit); err != nil {
		return made{Iterations: algos.Iterations{Made: 1, Err: err}}
	}
	for i := range u.Rows {
		so.Tally.Add(u.Row(i), y.Row(i))
	}
	return l.stepper.advance(ctx, so, 1)
}
