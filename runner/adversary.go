package runner

import (
	"bytes"
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
)

// An adversary is the training rows of a cell, which it chooses while the cell's fit learns [jezequel2019 §5]: example t is
// one of [-1, 1]^d × [-1, 1] with a large regret
//
//	R_t(f_t) = Σ_{s≤t} (y_s - ŷ_s)² - (y_s - f_t(x_s))²
//
// of the fit against kernel ridge regression f_t on all t examples, which has no λ‖f‖² as in the authors' code. The adversary
// is greedy: it looks no further than the next example. It knows the fit and predicts with its Model.
//
// ŷ_t does not depend on y_t. With α = (K + λI)⁻¹y the residuals of f_t are λα, so that R_t is a quadratic of y_t with the
// coefficient 1 - λ²‖(K + λI)⁻¹e_t‖² ≥ 0 of y_t²: the largest R_t is at y_t = -1 or 1. For both, the adversary searches x from
// a number of random points, uniform in the box, and takes the best point that it has seen.
type adversary struct {
	adversaryState
	rows, in int
	seed     uint64
	starts   int
	past     *hindsight
}

// adversaryState is the examples so far. A checkpoint stores it.
type adversaryState struct{ X, Y []float64 }

// newAdversary returns the adversary of a problem whose rows are to be chosen, and puts it in their place.
func newAdversary(p *algos.Problem, starts int) *adversary {
	in, _ := p.Train.Dims()
	a := &adversary{rows: p.Train.Len(), in: in, seed: p.Seed, starts: starts}
	p.Train, p.FileOrder = a, true
	a.past = newHindsight(p)
	return a
}

// Len implements algos.Samples.
func (a *adversary) Len() int { return a.rows }

// Dims implements algos.Samples.
func (a *adversary) Dims() (in, out int) { return a.in, 1 }

// Gather implements algos.Samples. It panics for a row that is not chosen yet.
func (a *adversary) Gather(rows []int, x, y compute.Matrix) {
	for k, i := range rows {
		copy(x.Row(k), a.X[i*a.in:(i+1)*a.in])
		y.Set(k, 0, a.Y[i])
	}
}

// choose chooses the example after the first seen ones, if it is not chosen yet. The fit does not change.
func (a *adversary) choose(fit algos.Fit, seen int64) {
	if int64(len(a.Y)) > seen || len(a.Y) == a.rows {
		return
	}
	ridge, model := a.past.follow(seen), fit.Model()
	random := compute.NewStream(a.seed, "adversary", uint64(seen))
	best, bestX, bestY := math.Inf(-1), make([]float64, a.in), 1.0
	for range a.starts {
		start := make([]float64, a.in)
		for j := range start {
			start[j] = 2*random.Float64() - 1
		}
		for _, y := range []float64{-1, 1} {
			x, gain := climb(start, -1, 1, func(points compute.Matrix) []float64 {
				u := model.Predict(points)
				gains := make([]float64, points.Rows)
				for i := range gains {
					d := u.At(i, 0) - y
					gains[i] = d*d - ridge.Next(points.Row(i))(y)
				}
				return gains
			})
			if gain > best {
				best, bestX, bestY = gain, x, y
			}
		}
	}
	a.X, a.Y = append(a.X, bestX...), append(a.Y, bestY)
}

// write returns the examples as a CSV file.
func (a *adversary) write() []byte {
	var b bytes.Buffer
	for j := range a.in {
		fmt.Fprintf(&b, "x%d,", j+1)
	}
	fmt.Fprintln(&b, "y")
	for t, y := range a.Y {
		for _, v := range a.X[t*a.in : (t+1)*a.in] {
			fmt.Fprintf(&b, "%s,", exact(v))
		}
		fmt.Fprintln(&b, exact(y))
	}
	return b.Bytes()
}
