package methods

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

var _ = algos.Register[*nystromRidge]("nystrom-ridge", "kernel ridge regression on Nyström features in closed form [Rudi, Camoriano & Rosasco 2015]", func() algos.Algorithm {
	return &NystromRidge{Features: 256, NystromSettings: parts.UsualNystrom()}
})

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

type nystromRidge struct {
	parts.Linear
	p *algos.Problem
}

// Start implements Algorithm. It needs the square loss, ν > 0 and as many training rows as landmarks.
func (a *NystromRidge) Start(p *algos.Problem) (algos.Fit, error) {
	if p.Loss != (losses.Square{}) {
		return nil, fmt.Errorf("%w: nystrom-ridge needs the square loss, not %s", algos.ErrUnsupported, p.Loss.Name())
	}
	if !(p.Nu > 0) {
		return nil, fmt.Errorf("%w: nystrom-ridge needs ν > 0, got %g", algos.ErrUnsupported, p.Nu)
	}
	z, err := a.Draw("nystrom-ridge", p, a.Features)
	if err != nil {
		return nil, err
	}
	return &nystromRidge{parts.NewLinear(p, z, false), p}, nil
}

func (f *nystromRidge) Step() (algos.Progress, error) {
	n := f.p.Train.Len()
	if f.T > 0 {
		return algos.Progress{Done: true}, nil
	}
	e, w := f.p.Engine, f.Weights(f.W)
	gram := compute.NewMatrix(w.Rows, w.Rows)
	for lo := 0; lo < n; lo += chunkRows {
		x, y := algos.Between(f.p.Train, lo, min(lo+chunkRows, n))
		base := f.Z.At(x)
		z := f.Z.Explicit(base)
		e.Syrk(gram, 1, z, true, 1)
		e.Gemm(w, 1, z, true, y, false, 1)
		e.Reuse(base)
		e.Reuse(z)
	}
	gram.AddToDiagonal(float64(n) * f.p.Nu)
	if !e.Cholesky(gram) {
		return algos.Progress{}, fmt.Errorf("nystrom-ridge: ZᵀZ + nνI is not positive definite in float64 (nν = %g); raise nu", float64(n)*f.p.Nu)
	}
	e.Trsm(gram, true, w)
	e.Trsm(gram, false, w)
	p := f.Stepped(n)
	p.Done = true
	return p, nil
}

// Cost implements Coster: r kernel values at every training row, an eigendecomposition and a factorisation.
func (a *NystromRidge) Cost(s algos.Size) algos.Cost {
	r, n := float64(a.Features), float64(s.N)
	c := a.FeaturesCost(s, r, n, min(chunkRows, s.N))
	c.Together, c.Flops = 0, c.Flops+n*r*(3*r+2*float64(s.Out))+r*r*r/3
	c.Bytes += 8 * (r*r + float64(min(chunkRows, s.N))*float64(s.In+s.Out))
	return c
}
