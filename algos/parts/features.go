package parts

import (
	"math"

	"repro/algos"
	"repro/algos/compute"
)

// Features are a fixed map z of points to R^r. At computes base features of some points once. The products with Z, the
// matrix whose rows are z(x) of these points, are computed from the base features.
type Features interface {
	// At returns the base features of the rows of x.
	At(x compute.Matrix) compute.Matrix
	// Explicit returns Z.
	Explicit(base compute.Matrix) compute.Matrix
	// Apply returns Z·w.
	Apply(base, w compute.Matrix) compute.Matrix
	// Transpose returns Zᵀ·r.
	Transpose(base, r compute.Matrix) compute.Matrix
	// Block returns rows lo ≤ j < hi of Zᵀ·r.
	Block(base, r compute.Matrix, lo, hi int) compute.Matrix
	// Width returns the number of features.
	Width() int
	// Memory returns how many numbers the map stores.
	Memory() int
}

// drawnFeatures are z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)). z(x) is its own base features.
type drawnFeatures struct {
	e *compute.Engine
	f compute.FeatureMap
	r int
}

// DrawFeatures returns r random features, for the named method. They depend on the problem's seed only, so that all
// methods of a comparison share them.
func DrawFeatures(method string, p *algos.Problem, r int) (Features, error) {
	k, err := Featured(method, p)
	if err != nil {
		return nil, err
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
