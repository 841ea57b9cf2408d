package parts

import (
	"fmt"
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
	// Predict returns Z·w for the rows of x. It takes as many rows at a time as have their base features in the cache.
	Predict(x, w compute.Matrix) compute.Matrix
	// Transpose returns Zᵀ·r.
	Transpose(base, r compute.Matrix) compute.Matrix
	// Block returns rows lo ≤ j < hi of Zᵀ·r.
	Block(base, r compute.Matrix, lo, hi int) compute.Matrix
	// Width returns the number of features.
	Width() int
	// Memory returns how many numbers the map stores.
	Memory() int
}

// A Draw returns r features for the named method: DrawFeatures, or DrawLandmarks with a jitter.
type Draw func(method string, p *algos.Problem, r int) (Features, error)

// Landmarks returns DrawLandmarks with a jitter.
func Landmarks(jitter float64) Draw {
	return func(method string, p *algos.Problem, r int) (Features, error) {
		return DrawLandmarks(method, p, r, jitter)
	}
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

// DrawPairs returns z(x) = D^(-1/2) (sin ω_1·x, …, sin ω_D·x, cos ω_1·x, …, cos ω_D·x), for the named method. The
// frequencies ω are those of the kernel's random features √2·cos(ω·x + b); the phases b are not used. A kernel with other
// features gives an error that wraps algos.ErrUnsupported.
func DrawPairs(method string, p *algos.Problem, frequencies int) (Features, error) {
	k, err := Featured(method, p)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	f := k.Features(p.Seed, in, frequencies)
	cosines, ok := f.(compute.ProjectionMap)
	if !ok || cosines.Activation().Amplitude == 0 {
		return nil, fmt.Errorf("%w: %s needs a kernel whose random features are cosines, not %s", algos.ErrUnsupported, method, p.Kernel.Name())
	}
	var z compute.FeatureMap = pairs{cosines}
	if m, ok := f.(compute.Mapped); ok {
		z = mappedPairs{pairs{cosines}, m}
	}
	return drawnFeatures{p.Engine, z, 2 * frequencies}, nil
}

// pairs are √2·sin(ω·x) and √2·cos(ω·x) for the frequencies of a map: its cosines with the phases -1/4 turn and 0.
type pairs struct{ compute.ProjectionMap }

// mappedPairs are pairs of a map that is a function of ψ(x).
type mappedPairs struct {
	pairs
	compute.Mapped
}

func (f pairs) Width() int  { return 2 * f.ProjectionMap.Width() }
func (f pairs) Stream() any { return struct{ pairsOf any }{f.ProjectionMap.Stream()} }

func (f pairs) Draw(i int, omega compute.Matrix, phase []float64) {
	n := f.ProjectionMap.Width()
	f.ProjectionMap.Draw(i, omega.ColRange(0, n), phase[:n])
	for l := range omega.Rows {
		row := omega.Row(l)
		copy(row[n:], row[:n])
	}
	for j := range n {
		phase[j], phase[n+j] = -0.25, 0
	}
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

func (z drawnFeatures) Predict(x, w compute.Matrix) compute.Matrix { return inParts(z.e, z.At, x, w) }

// inParts returns at(x)·v, with a few rows of x at a time. Their number does not change the bits.
func inParts(e *compute.Engine, at func(compute.Matrix) compute.Matrix, x, v compute.Matrix) compute.Matrix {
	most := max(partNumbers/v.Rows/predictedRows, 1) * predictedRows
	u := compute.NewMatrix(x.Rows, v.Cols)
	for lo := 0; lo < x.Rows; lo += most {
		hi := min(lo+most, x.Rows)
		base := at(x.RowRange(lo, hi))
		e.Gemm(u.RowRange(lo, hi), 1, base, false, v, false, 0)
		e.Reuse(base)
	}
	return u
}

// predictedRows is the least number of rows for which inParts computes features: a panel of the core.
const predictedRows = 48

// partNumbers is how many base features inParts computes at a time: in double precision they fill a usual L2 cache.
const partNumbers = 1 << 17

func (z drawnFeatures) Transpose(base, r compute.Matrix) compute.Matrix {
	return z.e.Mul(base, r, true)
}

func (z drawnFeatures) Block(base, r compute.Matrix, lo, hi int) compute.Matrix {
	return z.e.Mul(base.ColRange(lo, hi), r, true)
}
