package methods

import (
	"math"

	"repro/algos"
)

var _ = algos.Register[*spectral]("gd-spectral", "gradient descent for the square loss in closed form, from the eigenvectors of K [ma2017 eq. (8)]", func() algos.Algorithm {
	return &GDSpectral{}
})

// GDSpectral is gradient descent on the whole training sample, as GD, for the square loss and a constant step,
// in the eigenbasis of K: after t steps
//
//	α = Σ_i e_i (1 - (1 - ηλ_i/n)^t)/λ_i ⟨e_i, y⟩
//
// [ma2017 eq. (8)]. After one eigendecomposition, about 10n³ operations, any number of steps costs
// the same, so the iterate after 10⁶ steps can be computed. The step is η = 0.75n/λ_1 unless the
// spec gives one; eigenvalues below the rounding errors of λ_1 count as zero.
type GDSpectral struct {
	Eta float64 `toml:"eta" want:">= 0" doc:"step size η; 0.75/λ_1 if left out, λ_1 the largest eigenvalue of K/n"`
}

func (*GDSpectral) Exact() {}

// Start implements Algorithm. It needs the square loss and ν = 0.
func (a *GDSpectral) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := startSpectral("gd-spectral", p, p.Train.Len())
	if err != nil {
		return nil, err
	}
	n := float64(f.g.X.Rows)
	eta := a.Eta
	if eta == 0 {
		eta = 0.75 * n / f.values[0]
	}
	f.factor = func(lambda float64, _, t int) float64 {
		x := eta * lambda / n
		switch {
		case lambda == 0:
			return eta / n * float64(t)
		case x < 1:
			return -math.Expm1(float64(t)*math.Log1p(-x)) / lambda
		}
		return (1 - math.Pow(1-x, float64(t))) / lambda
	}
	return f, nil
}

func (*GDSpectral) Cost(s algos.Size) algos.Cost { return spectralCost(s) }
