package methods

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/algos/parts"
)

var _ = algos.Register[*cdsg]("cdsg", "doubly stochastic gradients that use an old feature again if a check allows a larger step [li2016 Algorithm 4]", func() algos.Algorithm {
	return &CDSG{DSGSettings: defaultDSG(), Noise: 1, NoisePower: 1, Cap: 2}
})

// CDSG is doubly stochastic gradient descent with checking [li2016 Algorithm 4]. With the mean g = (1/B) Σ_b l'(f(x_b),
// y_b) of the batch, an old block k may be used with a step -η < -γ_t if [li2016 eq. (9)]
//
//	2|β_k - η g|² + 2η² s² ≤ |β_k|² + γ_t²|g|²,   s² = (Mσ)²/B
//
// which bounds the error of its features by that of a new block and a step γ_t. η_k is the largest such η ≤ c·γ_t. If
// the block k with the largest η_k has η_k > γ_t, the iteration uses block k and η = η_k; else it draws a new block k and
// uses η = γ_t:
//
//	α_j = (1 - ηλ) α_j,  β_j = (1 - ηλ) β_j               for all older features and blocks
//	α_k = α_k - η (1/(BF)) Σ_b l'(f(x_b), y_b) φ_{ω_k}(x_b)   for the F features k of the block
//	β_k = β_k - η g
//
// where a new block starts at zero. So β_k is the sum of the steps of block k times their slopes g, and a block is used
// again if the new slope partly cancels the old ones: for s = 0 and one output, η_k > γ_t if β_k/g ≥ (2 - √3)γ_t. li2016's λ
// is the ν of a problem. The check takes O(m) operations for m blocks. If it never accepts a block, the method is DSG.
//
// Corrections of the printed algorithm:
//
//   - (a) The last line sets β_k from β_k; Algorithm 4 prints α_k.
//   - (b) Equation (9) looks for a negative step, but Algorithm 4 subtracts η_k l' φ; here η_k > 0, the step's length.
//   - (c) The condition for a new feature is |η_k| ≤ γ_t for the best k; Algorithm 4 prints |η_j|, and γ_i for γ_t.
//   - (d) A new feature is drawn with its own seed; Algorithm 4 leaves out the line.
//   - (e) The variance of a mean over B examples is 1/B of one example's [li2016 §4.2.1]; equation (9) prints B². noise_power
//     = 2 gives the printed one.
//
// Departures. The paper gives neither M, σ nor a cap. M bounds |l'|; unless the spec gives it, it is the largest |l'| of
// the batch. σ² = E_ω Var_y φ_ω(x)φ_ω(y) is at most 3/2 for a Gaussian kernel; the default is 1. The cap is θ'/θ of
// Theorem 14, whose constant grows with it; "setting an upper bound on θ' leads to better performance" [li2016 App. A.2].
// Its default, 2, is the smallest whole number that leaves room for a line search. Where η_k would be larger, c·γ_t must
// satisfy equation (9) too; of several blocks with this η_k the one whose own η_k is the largest is used. For several
// outputs g and β_k are vectors, M is the largest |l'| in the Euclidean norm, and β_k g stands for an inner product. The
// printed algorithm has B = F = 1; blocks are as in DSG. Examples are taken without replacement within an epoch.
type CDSG struct {
	DSGSettings
	Noise      float64 `toml:"noise" want:">= 0" doc:"standard deviation σ of φ_ω(x)φ_ω(y) over y, in the check; a large σ accepts no old block"`
	NoisePower float64 `toml:"noise_power" want:">= 0" doc:"power p of the batch size in s² = (Mσ)²/B^p; li2016 prints 2"`
	Bound      float64 `toml:"bound" want:">= 0" doc:"bound M of |l'|; 0 for the largest |l'| of the batch"`
	Cap        float64 `toml:"cap" want:">= 0" doc:"largest step c of an old block, in units of γ_t; 0 for no cap"`
}

// cdsgState adds the sums β to the coefficients.
type cdsgState struct {
	parts.AdditiveState
	Beta []float64 // one row of outputs per block
}

type cdsg struct {
	*dsg
	settings *CDSG
	state    cdsgState
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *CDSG) Start(p *algos.Problem) (algos.Fit, error) {
	base, err := newDSG("cdsg", p, a.DSGSettings)
	if err != nil {
		return nil, err
	}
	f := &cdsg{dsg: base, settings: a}
	f.AdditiveState = &f.state.AdditiveState
	f.next = f.check
	return f, nil
}

func (f *cdsg) State() any { return &f.state }

// check returns the block of the next step and its step size η, given l' of the batch, and updates β.
func (f *cdsg) check(gamma float64, r compute.Matrix) (block int, eta float64) {
	g, s2 := make([]float64, f.Out), f.noise(r)
	for b := range r.Rows {
		compute.AddScaled(g, 1/float64(r.Rows), r.Row(b))
	}
	block, eta = len(f.state.Beta)/f.Out, gamma
	largest := gamma // of the η_k before the cap
	for k := range block {
		own, capped := f.settings.largestStep(f.beta(k), g, s2, gamma)
		if own > largest {
			block, eta, largest = k, capped, own
		}
	}
	if block*f.Out == len(f.state.Beta) {
		f.state.Beta = append(f.state.Beta, make([]float64, f.Out)...)
	}
	floats.Scale(1-eta*f.p.Nu, f.state.Beta)
	compute.AddScaled(f.beta(block), -eta, g)
	f.Blocks = append(f.Blocks, block)
	return block, eta
}

// beta views β_k.
func (f *cdsg) beta(k int) []float64 { return f.state.Beta[k*f.Out : (k+1)*f.Out] }

// noise returns s² = (Mσ)²/B^p.
func (f *cdsg) noise(r compute.Matrix) float64 {
	m2 := f.settings.Bound * f.settings.Bound
	if f.settings.Bound == 0 {
		for b := range r.Rows {
			m2 = max(m2, compute.Dot(r.Row(b), r.Row(b)))
		}
	}
	return m2 * f.settings.Noise * f.settings.Noise / exact.Pow(float64(r.Rows), f.settings.NoisePower)
}

// largestStep returns the largest η that satisfies equation (9), and the largest η ≤ c·γ that does. Both are NaN or at
// most γ if the block must not be used.
func (a *CDSG) largestStep(beta, g []float64, s2, gamma float64) (own, capped float64) {
	// (|g|² + s²) η² - 2⟨β, g⟩ η + (|β|² - γ²|g|²)/2 ≤ 0
	g2, bg, b2 := compute.Dot(g, g), compute.Dot(beta, g), compute.Dot(beta, beta)
	root := math.Sqrt(bg*bg - (g2+s2)*(b2-gamma*gamma*g2)/2)
	smallest, own := (bg-root)/(g2+s2), (bg+root)/(g2+s2)
	limit := a.Cap * gamma
	if a.Cap == 0 || own <= limit {
		return own, own
	}
	if smallest > limit {
		return math.NaN(), math.NaN()
	}
	return own, limit
}

// Cost implements Coster: that of DSG, which is an upper bound, as if no block were used again, and the checks of m blocks
// in iteration m.
func (a *CDSG) Cost(s algos.Size) algos.Cost {
	c := a.DSGSettings.Cost(s)
	t, out := float64(s.Steps), float64(s.Out)
	c.Flops = 4 * out * t * (t - 1) / 2
	c.Bytes += 8 * t * (1 + out)
	return c
}
