package runner

import (
	"fmt"

	"repro/algos"
	"repro/algos/metrics"
	"repro/algos/parts"
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

// tooLong returns an error if a metric compares with the regression on so many examples that it is not computed.
func tooLong(rows int, names []string) error {
	for _, name := range names {
		if metrics.Lookup(name).Hindsight && rows > metrics.MostInHindsight {
			return fmt.Errorf("evaluate.metrics: %q compares with a regression on all examples so far, and %d are more than %d; set data.train to fewer, or remove the metric",
				name, rows, metrics.MostInHindsight)
		}
	}
	return nil
}
