package runner

import (
	"errors"

	"repro/algos"
	"repro/algos/parts"
	"repro/experiments"
)

// A hindsight follows the examples that a cell's method predicts with kernel ridge regression.
type hindsight struct {
	order parts.Order
	ridge *parts.GrowingRidge
}

// newHindsight returns the hindsight of the examples of a problem, in the order in which methods visit them.
func newHindsight(p *algos.Problem) *hindsight {
	return &hindsight{parts.NewOrder(p), parts.NewGrowingRidge(p)}
}

// follow adds the examples up to the given number.
func (h *hindsight) follow(rounds int64) *parts.GrowingRidge {
	const together = 256
	for h.ridge.Len() < int(rounds) {
		seen := int64(h.ridge.Len())
		_, x, y := h.order.Batch(seen, int(min(together, rounds-seen)))
		for i := range x.Rows {
			h.ridge.Add(x.Row(i), y.Row(i))
		}
	}
	return h.ridge
}

// tooLong returns an error if a metric compares with a regression on too many examples.
func tooLong(e experiments.Evaluate, rows int) error {
	if why := e.TooLong(rows); why != "" {
		return errors.New("evaluate.metrics: " + why)
	}
	return nil
}
