// Package online has what online methods are compared with and what they play against: the regression on all examples so far, and
// an adversary that chooses the next example.
package online

import (
	"math"

	"repro/algos"
	"repro/algos/compute"
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

// An Adversary is the training rows of a cell, which it chooses while the cell's fit learns [jezequel2019 §5]: example t is
// one of [-1, 1]^d × [-1, 1] with a large regret
//
//	R_t(f_t) = Σ_{s≤t} (y_s - ŷ_s)² - (y_s - f_t(x_s))²
//
// of the fit against kernel ridge regression f_t on all t examples, which has no λ‖f‖² as in the authors' code. The adversary
// is greedy: it looks no further than the next example. It knows the fit and predicts with its Model.
//
// ŷ_t does not depend on y_t. With α = (K + λI)⁻¹y the residuals of f_t are λα, so that R_t is a quadratic of y_t with the
// coefficient 1 - λ²‖(K + λI)⁻¹e_t‖² ≥ 0 of y_t²: the largest R_t is at y_t = -1 or 1. For both, the adversary searches x from
// a number of random points, uniform in the box, and takes the best point that it has seen. The released code searches (x, y)
// together from one point, uniform in [0, 1]^{d+1}: joint.
type Adversary struct {
	State
	rows, in int
	seed     uint64
	starts   int
	joint    bool
	past     *Hindsight
}

// A State is the examples so far.
type State struct{ X, Y []float64 }

// NewAdversary returns the adversary of a problem whose rows are to be chosen, and puts it in their place. It searches from that
// many starts or, if joint, as the released code does.
func NewAdversary(p *algos.Problem, starts int, joint bool) *Adversary {
	in, _ := p.Train.Dims()
	a := &Adversary{rows: p.Train.Len(), in: in, seed: p.Seed, starts: starts, joint: joint}
	p.Train, p.FileOrder = a, true
	a.past = NewHindsight(p)
	return a
}

// Past returns the regression on the examples so far.
func (a *Adversary) Past() *Hindsight { return a.past }

// Len implements algos.Samples.
func (a *Adversary) Len() int { return a.rows }

// Dims implements algos.Samples.
func (a *Adversary) Dims() (in, out int) { return a.in, 1 }

// Gather implements algos.Samples. It panics for a row that is not chosen yet.
func (a *Adversary) Gather(rows []int, x, y compute.Matrix) {
	for k, i := range rows {
		copy(x.Row(k), a.X[i*a.in:(i+1)*a.in])
		y.Set(k, 0, a.Y[i])
	}
}

// Choose chooses the example after the first seen ones, if it is not chosen yet. The fit does not change.
func (a *Adversary) Choose(fit algos.Fit, seen int64) {
	if int64(len(a.Y)) > seen || len(a.Y) == a.rows {
		return
	}
	var starts [][]float64
	var targets []float64
	random := compute.NewStream(a.seed, "adversary", uint64(seen))
	for range a.starts {
		start := make([]float64, a.in)
		if a.joint {
			start = append(start, 0)
			for j := range start {
				start[j] = random.Float64()
			}
			starts = append(starts, start)
			continue
		}
		for j := range start {
			start[j] = 2*random.Float64() - 1
		}
		starts, targets = append(starts, start, start), append(targets, -1, 1)
	}
	target := func(z []float64, climber int) float64 {
		if a.joint {
			return z[a.in]
		}
		return targets[climber]
	}
	ridge, model := a.past.Follow(seen), fit.Model()
	found := climb(starts, -1, 1, func(points compute.Matrix, of []int) []float64 {
		x := points.ColRange(0, a.in)
		u, squares, gains := model.Predict(x), ridge.Next(x), make([]float64, x.Rows)
		for i := range gains { // the part of R_t that depends on the next example
			y := target(points.Row(i), of[i])
			d := u.At(i, 0) - y
			gains[i] = d*d - squares[i](y)
		}
		return gains
	})
	gain, x, y := math.Inf(-1), make([]float64, a.in), 1.0
	for i, c := range found {
		if c.value > gain {
			gain, x, y = c.value, c.x[:a.in], target(c.x, i)
		}
	}
	a.X, a.Y = append(a.X, x...), append(a.Y, y)
}
