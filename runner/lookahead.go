package runner

import (
	"repro/algos"
	"repro/algos/parts"
)

// A lookahead predicts the examples that a fit is about to learn from, in the order in which all methods visit them, so that
// a method of batches can be compared with online ones.
type lookahead struct {
	order parts.Order
	batch int
}

func newLookahead(name string, p *algos.Problem, a algos.Algorithm, s algos.Size) (*lookahead, error) {
	order, err := parts.NewSampling(name, p, algos.WithReplacement(a))
	return &lookahead{order, algos.BatchOf(a.(algos.Batcher), s)}, err
}

// predict adds the predictions for the batch after the first seen examples to the tally.
func (l *lookahead) predict(fit algos.Fit, seen int64, tally *algos.Tally) {
	_, x, y := l.order.Batch(seen, l.batch)
	u := fit.Model().Predict(x)
	for i := range u.Rows {
		tally.Add(u.Row(i), y.Row(i))
	}
}
