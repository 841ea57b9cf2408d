package methods

import (
	"errors"
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var (
	_ = algos.Register[*eigenProRF]("eigenpro-rf", "EigenPro on random features [ma2017 Table 1]", func() algos.Algorithm {
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

type eigenProRF struct {
	featureIterate
	e compute.Matrix // E, r×k
	d []float64      // 1 - c_i
}

// Start implements Algorithm. It needs a kernel with random features.
func (a *EigenProRF) Start(p *algos.Problem) (algos.Fit, error) {
	if err := errors.Join(preconditionable("eigenpro-rf", p), a.check("eigenpro-rf")); err != nil {
		return nil, err
	}
	iterate, err := newFeatureIterate("eigenpro-rf", p, a.Features, a.Batch)
	if err != nil {
		return nil, err
	}
	f := &eigenProRF{featureIterate: iterate}
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

func (f *eigenProRF) Step() (algos.Progress, error) { return f.step(f.addPreconditioned) }

// addPreconditioned sets α ← α + η E(I - C)Eᵀg.
func (f *eigenProRF) addPreconditioned(eta float64, alpha, g compute.Matrix) {
	h := f.p.Engine.Mul(f.e, g, true)
	for i, d := range f.d {
		h.RowRange(i, i+1).Scale(eta * d)
	}
	f.p.Engine.Gemm(alpha, 1, f.e, false, h, false, 1)
}

// Footprint implements Sizer: the weights and the eigenvectors.
func (f *eigenProRF) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.e.Data)) }

// Cost implements Coster: r features at every example, and a product with the preconditioner in every step.
func (a *EigenProRF) Cost(s algos.Size) algos.Cost {
	r, k, m := float64(a.Features), float64(a.Directions), float64(min(a.Subsample, s.N))
	c := featuresCost(s, a.Features, min(a.Batch, s.N))
	if a.Decomposition == "nystrom" { // Z_M is evaluated as a matrix and as an operator
		c.FeatureEvals += 2 * m * r
		c.Bytes += 8*m*r + 16*m*m
	} else {
		c.FeatureEvals += s.Evaluated(m*r, 2)
		c.Bytes += s.StoredBytes(m*r) + 16*m*k
	}
	parts.AddDecomposition(&c, a.Decomposition, k, m, r)
	c.Flops += 4 * r * k * float64(s.Steps) * float64(s.Out)
	c.Bytes += 8 * r * (3*k + float64(min(a.Batch, s.N))) // the batch for κ
	return c
}
