package parts

import (
	"repro/algos"
	"repro/algos/compute"
)

// A FeatureOperator gives √r Z as an operator, and the spectrum of the covariance of Z at the training rows. The rows of
// Z are r random features z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), the same as those of DrawFeatures. The operator
// need not be stored; DrawFeatures always stores the features of a batch.
type FeatureOperator struct {
	p *algos.Problem
	f compute.FeatureMap
	r int
}

// NewFeatureOperator returns r random features of the problem's kernel, for the named method.
func NewFeatureOperator(method string, p *algos.Problem, r int) (*FeatureOperator, error) {
	k, err := Featured(method, p)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	return &FeatureOperator{p, k.Features(p.Seed, in, r), r}, nil
}

// Unstored returns √r Z at the rows of x, evaluated in every product.
func (z *FeatureOperator) Unstored(x compute.Matrix) compute.Operator {
	return z.p.Engine.Features(z.f, x, compute.Range{Lo: 0, Hi: 1})
}

// At returns √r Z at the rows of x, stored if there is memory for it.
func (z *FeatureOperator) At(x compute.Matrix) compute.Operator {
	return z.p.Engine.Store(z.Unstored(x))
}

// subsample returns the inputs of m training rows.
func (z *FeatureOperator) subsample(m int) compute.Matrix {
	in, out := z.p.Train.Dims()
	rows := compute.NewStream(z.p.Seed, "subsample", 0).Perm(z.p.Train.Len())[:m]
	x, y := compute.NewMatrix(m, in), compute.NewMatrix(m, out)
	z.p.Train.Gather(rows, x, y)
	return x
}

// matrix returns √r Z at the rows of x in memory.
func (z *FeatureOperator) matrix(x compute.Matrix) compute.Matrix {
	return z.p.Engine.FeatureMatrix(z.f, x, compute.Range{Lo: 0, Hi: 1})
}

// Decompose approximates the leading eigensystem of the covariance Z_MᵀZ_M/M by the named decomposition. M is m training
// rows, or all if there are fewer. NSVD decomposes Z_M Z_Mᵀ/M, which has the same eigenvalues.
func (z *FeatureOperator) Decompose(decomposition string, k, m int) (Eigensystem, error) {
	if decomposition != "nystrom" {
		return z.Eigensystem(k, SketchOf(k), m)
	}
	m = min(m, z.p.Train.Len())
	x := z.subsample(m)
	gram := compute.NewMatrix(m, m)
	z.p.Engine.Syrk(gram, 1, z.matrix(x), false, 0)
	s, err := NSVD(z.p.Engine, gram, z.At(x), k, 1e-14) // of squares
	return z.ofCovariance(s, m), err
}

// Eigensystem approximates the leading eigensystem of the covariance Z_MᵀZ_M/M from a sketch of p columns. M is m
// training rows, or all if there are fewer.
func (z *FeatureOperator) Eigensystem(k, p, m int) (Eigensystem, error) {
	m = min(m, z.p.Train.Len())
	a := z.At(z.subsample(m))
	defer z.p.Engine.Release(a)
	s, err := RSVD(z.p.Engine, a, k, p, compute.NewStream(z.p.Seed, "sketch", 0))
	return z.ofCovariance(s, m), err
}

// ofCovariance turns the eigenvalues of r Z_MᵀZ_M into those of Z_MᵀZ_M/M.
func (z *FeatureOperator) ofCovariance(s Eigensystem, m int) Eigensystem {
	for i := range s.Values {
		s.Values[i] /= float64(m) * float64(z.r)
	}
	return s
}

// Kappa returns max_i ‖z(x_i)‖² over at most the given number of training rows.
func (z *FeatureOperator) Kappa(rows int) float64 {
	phi, largest := z.matrix(z.subsample(min(rows, z.p.Train.Len()))), 0.0
	for i := range phi.Rows {
		norm := 0.0
		for _, v := range phi.Row(i) {
			norm += v * v
		}
		largest = max(largest, norm/float64(z.r))
	}
	return largest
}
