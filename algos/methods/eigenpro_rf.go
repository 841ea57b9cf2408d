package methods

import (
	"errors"
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var (
	_ = algos.Register("eigenpro-rf", "EigenPro on random features [ma2017 Table 1]", func() algos.Algorithm {
		return &EigenProRF{
			EigenProSettings: EigenProSettings{Batch: 256, Directions: 160, Subsample: 4800, Decomposition: "rsvd", Tau: 0.25, Flatten: "sqrt", Rule: "code"},
			Features:         4096,
		}
	})
)

// EigenProRF is EigenPro iteration on r random features z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), ma2017
// Table 1. With E, Λ the top k eigenvectors and eigenvalues of the covariance Z_MᵀZ_M/M, by RSVD, or by NSVD,
// which is exact here,
//
//	P = I - E(I - C)Eᵀ,  C = diag(c_1, …, c_k)
//	g ← (1/m)(Z_mᵀ(Z_m α) - Z_mᵀ y_m),  α ← α - η P g
//
// Departures. As in EigenPro.
type EigenProRF struct {
	EigenProSettings
	Features int `toml:"features" want:"> 0" doc:"number of random features r"`
}

// eigenProRFState holds the weights of f(x) = ⟨α, z(x)⟩.
type eigenProRFState struct {
	T     int
	Seen  int64
	Alpha []float64 // r × outputs, row-major
}

// eigenProRF is a fit of EigenProRF or, without a preconditioner, of SGDRF.
type eigenProRF struct {
	eigenProRFState
	p     *algos.Problem
	order parts.Order
	z     *parts.FeatureOperator // √r Z
	r     int
	out   int
	batch int
	e     compute.Matrix // E, r×k; zero without a preconditioner
	d     []float64      // 1 - c_i; nil without a preconditioner
	gamma func(t int) float64
}

// Fits implements Declarer.
func (*EigenProRF) Fits() algos.Fit { return (*eigenProRF)(nil) }

// Start implements Algorithm. It needs a kernel with random features.
func (a *EigenProRF) Start(p *algos.Problem) (algos.Fit, error) {
	if err := errors.Join(preconditionable("eigenpro-rf", p), a.check("eigenpro-rf")); err != nil {
		return nil, err
	}
	f, err := newEigenProRF("eigenpro-rf", p, a.Features, a.Batch)
	if err != nil {
		return nil, err
	}
	s, err := f.z.Decompose(a.Decomposition, a.Directions, a.Subsample)
	if err != nil {
		return nil, fmt.Errorf("eigenpro-rf: %w", err)
	}
	f.e = s.Vectors
	for _, c := range a.scales(s.Values) {
		f.d = append(f.d, 1-c)
	}
	f.gamma = a.steps(p, s.Values, func() float64 { return f.z.Kappa(a.Batch) }, func(float64) float64 { return 2 * float64(a.Features) })
	return f, nil
}

// Step implements Fit.
func (f *eigenProRF) Step() (algos.Progress, error) {
	rows, x, y := f.order.Batch(f.Seen, f.batch)
	alpha, eta, root := parts.View(f.Alpha, f.out), f.gamma(f.T+1), 1/math.Sqrt(float64(f.r))
	z := f.z.At(x)
	defer f.p.Engine.Release(z)
	r := compute.NewMatrix(len(rows), f.out)
	z.MulTo(r, alpha)
	r.Scale(root)
	if !parts.Residual(f.p, r, y) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	g := compute.NewMatrix(f.r, f.out)
	z.MulTransTo(g, r)
	g.Scale(root / float64(len(rows)))
	if shrink := 1 - eta*f.p.Nu; shrink != 1 {
		alpha.Scale(shrink)
	}
	alpha.AddScaled(-eta, g)
	f.addPreconditioned(eta, alpha, g)
	f.T++
	f.Seen += int64(len(rows))
	return algos.Progress{Seen: len(rows)}, nil
}

// addPreconditioned sets α ← α + η E(I - C)Eᵀg.
func (f *eigenProRF) addPreconditioned(eta float64, alpha, g compute.Matrix) {
	if f.d == nil {
		return
	}
	h := f.p.Engine.Mul(f.e, g, true)
	for i, d := range f.d {
		h.RowRange(i, i+1).Scale(eta * d)
	}
	f.p.Engine.Gemm(alpha, 1, f.e, false, h, false, 1)
}

// newEigenProRF returns the fit of the named method without a preconditioner and without step sizes.
func newEigenProRF(method string, p *algos.Problem, r, batch int) (*eigenProRF, error) {
	if err := parts.NoThreshold(method, p); err != nil {
		return nil, err
	}
	z, err := parts.NewFeatureOperator(method, p, r)
	if err != nil {
		return nil, err
	}
	_, out := p.Train.Dims()
	f := &eigenProRF{p: p, order: parts.NewOrder(p), z: z, r: r, out: out, batch: batch}
	f.Alpha = make([]float64, r*out)
	return f, nil
}

// Model implements Fit.
func (f *eigenProRF) Model() algos.Model { return eigenProRFModel{f} }

// State implements Fit.
func (f *eigenProRF) State() any { return &f.eigenProRFState }

// SquaredNorms implements Normed.
func (f *eigenProRF) SquaredNorms() []float64 {
	return parts.ScaledSquares(1, parts.View(f.Alpha, f.out))
}

// Footprint implements Sizer: the weights and the eigenvectors.
func (f *eigenProRF) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.e.Data)) }

type eigenProRFModel struct{ f *eigenProRF }

func (m eigenProRFModel) Predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, m.f.out)
	m.f.z.Unstored(x).MulTo(u, parts.View(m.f.Alpha, m.f.out))
	u.Scale(1 / math.Sqrt(float64(m.f.r)))
	return u
}

// Cost implements Coster: r features at every example, and a product with the preconditioner in every step.
func (a *EigenProRF) Cost(s algos.Size) algos.Cost {
	r, k, m := float64(a.Features), float64(a.Directions), float64(min(a.Subsample, s.N))
	c := featuresCost(s, a.Features, a.Batch)
	if a.Decomposition == "nystrom" { // Z_M is evaluated as a matrix and as an operator
		c.FeatureEvals += 2 * m * r
		c.Bytes += 8*m*r + 16*m*m
	} else {
		c.FeatureEvals += s.Evaluated(m*r, 2)
		c.Bytes += s.StoredBytes(m * r)
	}
	parts.AddDecomposition(&c, a.Decomposition, k, m, r)
	c.Flops += 4 * r * k * float64(s.Steps) * float64(s.Out)
	c.Bytes += 8 * r * 3 * k
	return c
}

// featuresCost returns the cost of SGD on r random features. A step multiplies Z_m and Z_mᵀ.
func featuresCost(s algos.Size, features, batch int) algos.Cost {
	r, b, t := float64(features), float64(min(batch, s.N)), float64(s.Steps)
	return algos.Cost{
		FeatureEvals: t * s.Evaluated(b*r, 2),
		Together:     batch,
		Flops:        4 * r * b * t * float64(s.Out),
		EvalCost:     r * float64(s.Evals),
		Bytes:        8 * r * float64(s.Out),
	}
}
