package methods

import (
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

// A featureIterate is f(x) = ⟨α, z(x)⟩ for r random features z(x) = s (φ_{ω_1}(x), …, φ_{ω_r}(x)), and its steps of stochastic
// gradient descent: the part that EigenProRF and SGDRF share. s is r^(-1/2) unless the method says otherwise.
type featureIterate struct {
	featureIterateState
	p     *algos.Problem
	order parts.Order
	z     *parts.FeatureOperator // Z/s
	s     float64
	r     int
	out   int
	batch int
	gamma func(t int) float64
}

// featureIterateState is what steps change.
type featureIterateState struct {
	T     int
	Seen  int64
	Alpha []float64 // r × outputs, row-major
}

// newFeatureIterate returns an iterate of the named method without step sizes, which visits every row once per epoch.
func newFeatureIterate(method string, p *algos.Problem, r, batch int) (featureIterate, error) {
	if err := parts.NoThreshold(method, p); err != nil {
		return featureIterate{}, err
	}
	z, err := parts.NewFeatureOperator(method, p, r)
	if err != nil {
		return featureIterate{}, err
	}
	_, out := p.Train.Dims()
	f := featureIterate{p: p, order: parts.NewOrder(p), z: z, s: 1 / math.Sqrt(float64(r)), r: r, out: out, batch: batch}
	f.Alpha = make([]float64, r*out)
	return f, nil
}

// step makes one iteration, α ← (1 - ην)α - ηg with g = (1/m) Z_mᵀ l'(Z_m α, y), and then calls also, if it is not
// nil, with η, α and g. It adds up g over as many rows at a time as have their features in the cache.
func (f *featureIterate) step(also func(eta float64, alpha, g compute.Matrix)) (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.batch)
	alpha, eta := parts.View(f.Alpha, f.out), f.gamma(f.T+1)
	g, part := compute.NewMatrix(f.r, f.out), compute.NewMatrix(f.r, f.out)
	for lo, most := 0, together(f.r)/featurePanel*featurePanel; lo < len(rows); lo += most {
		hi := min(lo+most, len(rows))
		if !f.gradient(part, x.RowRange(lo, hi), y.RowRange(lo, hi), alpha) {
			return algos.Progress{}, parts.Diverged(f.T + 1)
		}
		g.AddScaled(f.s/float64(len(rows)), part)
	}
	if shrink := 1 - eta*f.p.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	alpha.AddScaled(-eta, g)
	if also != nil {
		also(eta, alpha, g)
	}
	f.T++
	f.Seen += int64(len(rows))
	return algos.Progress{Seen: len(rows)}, nil
}

// gradient sets g to (Z/s)ᵀ l'(Zα, y) of some rows. It returns false if a prediction is not finite.
func (f *featureIterate) gradient(g, x, y, alpha compute.Matrix) bool {
	z, r := f.z.At(x), compute.NewMatrix(x.Rows, f.out)
	defer f.p.Engine.Release(z)
	z.MulTo(r, alpha)
	r.Scale(f.s)
	if !parts.Residual(f.p, r, y) {
		return false
	}
	z.MulTransTo(g, r)
	return true
}

// Model implements Fit.
func (f *featureIterate) Model() algos.Model { return featureModel{f} }

// State implements Fit.
func (f *featureIterate) State() any { return &f.featureIterateState }

// SquaredNorms implements Normed.
func (f *featureIterate) SquaredNorms() []float64 {
	return parts.ScaledSquares(1, parts.View(f.Alpha, f.out))
}

// Footprint implements Sizer: the weights.
func (f *featureIterate) Footprint() int64 { return 8 * int64(len(f.Alpha)) }

type featureModel struct{ f *featureIterate }

func (m featureModel) Predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, m.f.out)
	m.f.z.Unstored(x).MulTo(u, parts.View(m.f.Alpha, m.f.out))
	u.Scale(m.f.s)
	return u
}

// featuresCost returns the cost of SGD on r random features with full batches. A step multiplies Z_m and Z_mᵀ.
func featuresCost(s algos.Size, features, batch int) algos.Cost {
	r, b, t := float64(features), float64(batch), float64(s.Steps)
	return algos.Cost{
		FeatureEvals: t * s.Evaluated(b*r, 2),
		Together:     batch,
		Flops:        4 * r * b * t * float64(s.Out),
		EvalCost:     r * float64(s.Evals),
		Bytes:        8 * r * float64(s.Out),
	}
}
