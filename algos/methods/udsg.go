package methods

import (
	"math"

	"repro/algos"
	"repro/algos/compute"
)

var _ = algos.Register[*dsg]("udsg", "doubly stochastic gradients that use old features again, drawn uniformly [li2016 Algorithm 3]", func() algos.Algorithm {
	return &UDSG{DSGSettings: defaultDSG(), Grow: 1, Reuse: 1} // G = U = 1 [li2016 §5]
})

// UDSG is doubly stochastic gradient descent with uniform sampling of old features [li2016 Algorithm 3]. G
// iterations with a new block of F features each, as in DSG, alternate with U iterations that draw one of the m old
// blocks uniformly:
//
//	α_j = (1 - γ_i λ) α_j   for all features j drawn so far
//	α_k = α_k - γ_i (1/(BF)) Σ_b l'(f(x_b), y_b) φ_{ω_k}(x_b)   for the F features k of the drawn block
//
// li2016's λ is the ν of a problem. After t iterations about t·G/(G+U) blocks have been drawn. With U = 0 the method
// is DSG.
//
// Departures. Algorithm 3 prints mod(i, G+U) < G as the condition for a new feature, which for G = U = 1 asks the first
// iteration for an old one; here it is (i-1) mod (G+U) < G, as in the proof [li2016 §4.1.1]. The printed algorithm has
// B = F = 1; a block needs the factor 1/F, as in DSG. Examples are taken without replacement within an epoch.
//
// The state has the coefficients a_t^i ζ_i of every iteration i, F·t rows, so that running predictions can be updated; a
// prediction sums the coefficients of a block before it evaluates its features. Footprint counts the sums only.
type UDSG struct {
	DSGSettings
	Grow  int `toml:"grow" want:"> 0" doc:"iterations G in turn that draw a new block"`
	Reuse int `toml:"reuse" want:">= 0" doc:"iterations U in turn that draw one of the old blocks"`
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *UDSG) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := newDSG("udsg", p, a.DSGSettings)
	if err != nil {
		return nil, err
	}
	draws := compute.NewSource(p.Seed, "old blocks")
	f.next = func(gamma float64, _ compute.Matrix) (int, float64) {
		block := f.drawn()
		if f.T%(a.Grow+a.Reuse) >= a.Grow {
			block = draws.Stream(uint64(f.T)).IntN(block)
		}
		f.Blocks = append(f.Blocks, block)
		return block, gamma
	}
	return f, nil
}

// Cost implements Coster: iteration t evaluates the m features drawn so far and those of its block at B examples. An
// evaluation of the curve needs the blocks that were used since the last one. They are counted as if no block had been
// used twice between two evaluations.
func (a *UDSG) Cost(s algos.Size) algos.Cost {
	c := a.DSGSettings.Cost(s)
	t, evals := float64(s.Steps), float64(max(1, s.Evals))
	drawn, sum := a.blocksAfter(t)
	c.FeatureEvals = float64(a.Batch) * float64(a.Block) * (sum + t)
	c.EvalCost = float64(a.Block) * (drawn + (t-drawn)*(evals-1)/evals)
	c.Bytes += 8 * t
	return c
}

// blocksAfter returns the number of blocks m_t drawn in t iterations, and Σ_{i<t} m_i.
func (a *UDSG) blocksAfter(t float64) (drawn, sum float64) {
	g, period := float64(a.Grow), float64(a.Grow)+float64(a.Reuse)
	// sumOf returns Σ_{i<r} min(i, G), the blocks of the first r ≤ G+U iterations.
	sumOf := func(r float64) float64 { return min(r, g)*(min(r, g)-1)/2 + max(0, r-g)*g }
	cycles := math.Floor(t / period)
	rest := t - cycles*period
	drawn = cycles*g + min(rest, g)
	sum = period*g*cycles*(cycles-1)/2 + cycles*sumOf(period) + rest*cycles*g + sumOf(rest)
	return drawn, sum
}
