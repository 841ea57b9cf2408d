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
	parts.Count
	Alpha []float64 // r × outputs, row-major
	Mean  []float64 // of the averaged iterate; empty if it is not kept
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
// nil, with η, α and g.
func (f *featureIterate) step(also func(eta float64, alpha, g compute.Matrix)) (algos.Progress, error) {
	p := stepTogether([]*featureIterate{f}, also)[0]
	return p.Progress, p.Err
}

// stepTogether makes one iteration of several iterates at the same examples. It adds up g over as many rows at a time as have
// their features in the cache.
func stepTogether(all []*featureIterate, also func(eta float64, alpha, g compute.Matrix)) []algos.Iterations {
	first := all[0]
	rows, x, y := first.order.Batch(first.Seen, first.batch)
	done, sums := make([]algos.Iterations, len(all)), make([]compute.Matrix, len(all))
	for k := range all {
		sums[k] = compute.NewMatrix(first.r, first.out)
	}
	part := compute.NewMatrix(first.r, first.out)
	for lo, most := 0, together(first.r)/featurePanel*featurePanel; lo < len(rows); lo += most {
		hi := min(lo+most, len(rows))
		z := sharedFeatures{x: x.RowRange(lo, hi)}
		for k, f := range all {
			if done[k].Err != nil {
				continue
			}
			if !f.gradient(part, z.of(f), y.RowRange(lo, hi)) {
				done[k] = algos.Iterations{Made: 1, Err: parts.Diverged(f.T + 1)}
				continue
			}
			sums[k].AddScaled(f.s/float64(len(rows)), part)
		}
		z.release()
	}
	for k, f := range all {
		if done[k].Err == nil {
			f.descend(sums[k], also)
			done[k] = algos.Iterations{Made: 1, Progress: f.Stepped(len(rows))}
			if len(f.Mean) > 0 {
				parts.MoveMean(f.Mean, f.Alpha, 1, f.T)
			}
		}
	}
	return done
}

// sharedFeatures are the features of the rows of x, which the first iterate that asks for them evaluates.
type sharedFeatures struct {
	x     compute.Matrix
	z     compute.Operator // √r Z
	owner *compute.Engine
}

// of returns √r Z as an operator of f.
func (s *sharedFeatures) of(f *featureIterate) compute.Operator {
	switch {
	case s.z == nil:
		s.z, s.owner = f.z.At(s.x), f.p.Engine
		return s.z
	case compute.IsStored(s.z):
		return f.p.Engine.Borrow(s.z)
	}
	return f.z.Unstored(s.x)
}

func (s *sharedFeatures) release() {
	if s.z != nil {
		s.owner.Release(s.z)
	}
}

// descend sets α to (1 - ην)α - ηg.
func (f *featureIterate) descend(g compute.Matrix, also func(eta float64, alpha, g compute.Matrix)) {
	alpha, eta := parts.View(f.Alpha, f.out), f.gamma(f.T+1)
	if shrink := 1 - eta*f.p.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	alpha.AddScaled(-eta, g)
	if also != nil {
		also(eta, alpha, g)
	}
}

// gradient sets g to (Z/s)ᵀ l'(Zα, y) of the rows of z. It returns false if a prediction is not finite.
func (f *featureIterate) gradient(g compute.Matrix, z compute.Operator, y compute.Matrix) bool {
	r := compute.NewMatrix(y.Rows, f.out)
	z.MulTo(r, parts.View(f.Alpha, f.out))
	r.Scale(f.s)
	if !parts.Residual(f.p, r, y) {
		return false
	}
	z.MulTransTo(g, r)
	return true
}

func (f *featureIterate) Model() algos.Model { return algos.Predictor(f.predict) }
func (f *featureIterate) State() any         { return &f.featureIterateState }

func (f *featureIterate) SquaredNorms() []float64 {
	return parts.ScaledSquares(1, parts.View(f.Alpha, f.out))
}

// Footprint implements Sizer: the weights.
func (f *featureIterate) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.Mean)) }

func (f *featureIterate) predict(x compute.Matrix) compute.Matrix { return f.sum(x, f.Alpha) }

// sum returns ⟨w, z(x)⟩ for the rows of x.
func (f *featureIterate) sum(x compute.Matrix, w []float64) compute.Matrix {
	u := compute.NewMatrix(x.Rows, f.out)
	f.z.Unstored(x).MulTo(u, parts.View(w, f.out))
	u.Scale(f.s)
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
		Bytes:        8 * r * 3 * float64(s.Out),
	}
}
