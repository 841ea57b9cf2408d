package methods

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*krr]("krr", "exact kernel ridge regression, by Cholesky factorisation [dai2014 eq. (1), square loss]",
	func() algos.Algorithm { return &KRR{} })

// KRR is exact kernel ridge regression, the minimiser of dai2014 eq. (1) over the training sample for the square loss (u-y)²/2:
//
//	f(x) = k(x, X) α,  (K + nνI) α = y
//
// by Cholesky factorisation. It takes one step, n³/3 multiplications and 8n² bytes.
type KRR struct{}

func (*KRR) Traits() algos.Traits { return algos.Traits{Exact: true, Direct: true} }

type krr struct {
	parts.Span
	x, y compute.Matrix
}

func (*KRR) Start(p *algos.Problem) (algos.Fit, error) {
	if err := parts.Solves("krr", p, parts.SquareLoss); err != nil {
		return nil, err
	}
	x, y := p.Dense()
	f := &krr{x: x, y: y}
	f.Span = parts.NewSpan(p, parts.PointsAt(p, x), x.Rows, false)
	return f, nil
}

func (f *krr) Step() (algos.Progress, error) {
	n, e := f.y.Rows, f.P.Engine
	if f.T > 0 {
		return algos.Progress{Done: true}, nil
	}
	k := e.KernelMatrix(f.P.Kernel, f.x, f.x)
	k.AddToDiagonal(float64(n) * f.P.Nu)
	if err := f.factorise(k); err != nil {
		return algos.Progress{}, err
	}
	alpha := f.View(f.Alpha)
	copy(f.Alpha, f.y.Data)
	e.Trsm(k, true, alpha)
	e.Trsm(k, false, alpha)
	e.Reuse(k)
	return f.Finished(n), nil
}

// factorise replaces a = K + nνI by U with UᵀU = a.
func (f *krr) factorise(a compute.Matrix) error {
	norm := a.Norm1()
	if !f.P.Engine.Cholesky(a) {
		return fmt.Errorf("krr: K + nνI is not positive definite in float64 (n = %d, nν = %g); raise nu", a.Rows, float64(a.Rows)*f.P.Nu)
	}
	if inverse := f.P.Engine.Pocon(a, norm); inverse < 1/mat.ConditionTolerance {
		return fmt.Errorf("krr: K + nνI is too ill-conditioned to solve (%w); raise nu", mat.Condition(1/inverse))
	}
	return nil
}

// passes is how often a step goes through a matrix of n² numbers: it writes it, whose pages are new, computes its norm, estimates
// the condition number by five pairs of triangular solves, as it takes on most matrices, and solves by one pair.
const passes = 2 + 1 + 5 + 1

func (*KRR) Cost(s algos.Size) algos.Cost {
	n := float64(s.N)
	return algos.Cost{KernelEvals: n * n, Flops: n*n*n/3 + 2*n*n*float64(s.Out), Reads: passes * n * n, EvalCost: n * float64(s.Evals),
		Bytes: 8 * (n*(n+float64(s.In+s.Out)) + min(n*n/2, 8e6))} // panels of products in the factorisation
}

var _ = algos.Register[*nystromRidge]("nystrom-ridge", "kernel ridge regression on Nyström features in closed form [Rudi, Camoriano & Rosasco 2015]",
	func() algos.Algorithm { return &NystromRidge{Features: 256, NystromSettings: parts.UsualNystrom()} })

// NystromRidge is kernel ridge regression on r landmarks in closed form [Rudi, Camoriano & Rosasco, Less is more: Nyström
// computational regularization, 2015]: the minimiser of dai2014 eq. (1) for the square loss over f(x) = ⟨w, z(x)⟩, with
// z(x) = Λ^(-1/2) Uᵀ k(S, x) the Nyström features of NPegasos,
//
//	(ZᵀZ + nνI) w = Zᵀy
//
// by Cholesky factorisation. It takes one step, which goes through the training rows once. It is where falkon with these landmarks
// comes to, at n r² operations, which iterations save with many landmarks only.
//
// Departure. The paper solves for the coefficients of k(S, ·), whose system has the square of the condition number.
type NystromRidge struct {
	Features int `toml:"features" want:"> 0" doc:"number of landmarks r"`
	parts.NystromSettings
}

func (*NystromRidge) Traits() algos.Traits { return algos.Traits{Exact: true, Direct: true} }

type nystromRidge struct{ parts.Linear }

func (a *NystromRidge) Start(p *algos.Problem) (algos.Fit, error) {
	if err := parts.Solves("nystrom-ridge", p, parts.SquareLoss, parts.PositiveNu); err != nil {
		return nil, err
	}
	z, err := a.Draw("nystrom-ridge", p, a.Features)
	if err != nil {
		return nil, err
	}
	return &nystromRidge{parts.NewLinear(p, z, false)}, nil
}

func (f *nystromRidge) Step() (algos.Progress, error) {
	n := f.P.Train.Len()
	if f.T > 0 {
		return algos.Progress{Done: true}, nil
	}
	e, w := f.P.Engine, f.View(f.Alpha)
	gram := compute.NewMatrix(w.Rows, w.Rows)
	for lo := 0; lo < n; lo += chunkRows {
		x, y := algos.Between(f.P.Train, lo, min(lo+chunkRows, n))
		base := f.Z.At(x)
		z := f.Z.Explicit(base)
		e.Syrk(gram, 1, z, true, 1)
		e.Gemm(w, 1, z, true, y, false, 1)
		e.Reuse(base)
		e.Reuse(z)
	}
	gram.AddToDiagonal(float64(n) * f.P.Nu)
	if !e.Cholesky(gram) {
		return algos.Progress{}, fmt.Errorf("nystrom-ridge: ZᵀZ + nνI is not positive definite in float64 (nν = %g); raise nu", float64(n)*f.P.Nu)
	}
	e.Trsm(gram, true, w)
	e.Trsm(gram, false, w)
	return f.Finished(n), nil
}

// Cost implements Coster: r kernel values at every training row, an eigendecomposition and a factorisation.
func (a *NystromRidge) Cost(s algos.Size) algos.Cost {
	r, n := float64(a.Features), float64(s.N)
	c := a.FeaturesCost(s, r, n, min(chunkRows, s.N))
	c.Together, c.Flops = 0, c.Flops+n*r*(3*r+2*float64(s.Out))+r*r*r/3
	c.Bytes += 8 * (r*r + float64(min(chunkRows, s.N))*float64(s.In+s.Out))
	return c
}
