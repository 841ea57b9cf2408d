package parts

import (
	"math"

	"repro/algos"
	"repro/algos/compute"
)

// A Features turns points into products with a fixed feature matrix Z (one row z(x) a point).
type Features interface {
	// At returns the base features of x, from which the others follow.
	At(x compute.Matrix) compute.Matrix
	Explicit(base compute.Matrix) compute.Matrix     // Z
	Apply(base, w compute.Matrix) compute.Matrix     // Z·w
	Transpose(base, r compute.Matrix) compute.Matrix // Zᵀ·r
	// Block returns rows lo ≤ j < hi of Zᵀ·r.
	Block(base, r compute.Matrix, lo, hi int) compute.Matrix
	Width() int
	Memory() int // floats kept besides w
}

// drawnFeatures are z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), their own base features.
type drawnFeatures struct {
	e *compute.Engine
	f compute.FeatureMap
	r int
}

// DrawFeatures returns the r random features that all methods with the problem's seed share, for
// the named method.
func DrawFeatures(method string, p *algos.Problem, r int) (drawnFeatures, error) {
	k, err := Featured(method, p)
	if err != nil {
		return drawnFeatures{}, err
	}
	in, _ := p.Train.Dims()
	return drawnFeatures{p.Engine, k.Features(p.Seed, in, r), r}, nil
}

func (z drawnFeatures) Width() int { return z.r }

func (z drawnFeatures) Memory() int { return 0 }

func (z drawnFeatures) At(x compute.Matrix) compute.Matrix {
	phi := z.e.FeatureMatrix(z.f, x, compute.Range{Lo: 0, Hi: 1})
	phi.Scale(1 / math.Sqrt(float64(z.r)))
	return phi
}

func (z drawnFeatures) Explicit(base compute.Matrix) compute.Matrix { return base }

func (z drawnFeatures) Apply(base, w compute.Matrix) compute.Matrix { return z.e.Mul(base, w, false) }

func (z drawnFeatures) Transpose(base, r compute.Matrix) compute.Matrix {
	return z.e.Mul(base, r, true)
}

func (z drawnFeatures) Block(base, r compute.Matrix, lo, hi int) compute.Matrix {
	return z.e.Mul(base.ColRange(lo, hi), r, true)
}
