// Package online has what online methods are compared with and what they play against: the regression on all examples so far, and
// an adversary that chooses the next example.
package online

import (
	"repro/algos"
	"repro/algos/parts"
)

// A Hindsight follows the examples that a method predicts with kernel ridge regression.
type Hindsight struct {
	order parts.Order
	ridge *parts.GrowingRidge
}

// NewHindsight returns the hindsight of the examples of a problem, in the order in which methods visit them.
func NewHindsight(p *algos.Problem) *Hindsight {
	return &Hindsight{parts.NewOrder(p), parts.NewGrowingRidge(p)}
}

// Follow adds the examples up to the given number.
func (h *Hindsight) Follow(rounds int64) *parts.GrowingRidge {
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
