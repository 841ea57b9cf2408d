package methods

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*pcg]("pcg", "kernel ridge regression on all rows by preconditioned conjugate gradients [Díaz et al. 2023]",
	func() algos.Algorithm { return &PCG{Preconditioner: parts.RPCholesky, Rank: 500, Tolerance: 1e-9} },
	algos.Known("relative-gradient", (*pcg).RelativeGradient))

// PCG is kernel ridge regression on all training rows by preconditioned conjugate gradients [Díaz, Epperly, Frangella, Tropp & Webber, Robust,
// randomized preconditioning for kernel ridge regression, 2023]. It solves
//
//	(K + μI) β = y,  μ = nν
//
// from β = 0, an iteration a step and each output by itself, with the preconditioner
//
//	P = FFᵀ + μI,  P⁻¹r = (r - F (FᵀF + μI)⁻¹ Fᵀr)/μ
//
// where FFᵀ is an approximation of K from k pivots: parts.Approximate. With "none" P is the identity. It is done once every residual is at
// most Tolerance times its targets. K is stored if there is memory for it; else every step evaluates it.
//
// Departures. P⁻¹ is written with a Cholesky factor of FᵀF + μI in place of the singular value decomposition of F, which is the same
// matrix, and is computed in float64. The shift of uniform pivots is not subtracted from the squared singular values: it is near the square
// of the unit of rounding. With fewer rows than k, all of them are pivots.
type PCG struct {
	Preconditioner string  `toml:"preconditioner" want:"none|uniform|greedy|rpcholesky" doc:"how pivots are chosen, or none for no preconditioner"`
	Rank           int     `toml:"rank" want:"> 0" doc:"number of pivots k"`
	Block          int     `toml:"block" want:">= 0" doc:"pivots drawn at a time; 0 for min(100, ⌈k/10⌉)"`
	Tolerance      float64 `toml:"tolerance" want:">= 0" doc:"relative residual that ends the iterations"`
	Spectrum       bool    `toml:"spectrum" doc:"also report condition and tail-rank, which takes all eigenvalues of K"`
}

// pcgState is all that a step changes.
type pcgState struct {
	parts.SpanState
	parts.Conjugates
}

type pcg struct {
	parts.Iterate
	*parts.Conjugates
	settings *PCG
	mu       float64
	a        parts.Approximation // without pivots where there is no preconditioner
	inner    compute.Matrix      // upper Cholesky factor of FᵀF + μI
	report   map[string]float64
}

func (a *PCG) Start(p *algos.Problem) (algos.Fit, error) {
	if err := parts.Solves("pcg", p, parts.SquareLoss, parts.PositiveNu); err != nil {
		return nil, err
	}
	n, state := p.Train.Len(), new(pcgState)
	f := &pcg{Iterate: parts.NewIterate(p), Conjugates: &state.Conjugates, settings: a, mu: float64(n) * p.Nu, a: parts.Approximation{Left: 1}}
	f.Keep(&state.SpanState, state)
	if a.Preconditioner != "none" {
		f.a = parts.Approximate(p, f.Gram.X, a.Preconditioner, min(a.Rank, n), a.Block)
		k := len(f.a.Rows)
		f.inner = compute.NewMatrix(k, k)
		p.Engine.InDouble(func() { p.Engine.Syrk(f.inner, 1, f.a.F, true, 0) })
		f.inner.AddToDiagonal(f.mu)
		if !p.Engine.Cholesky(f.inner) {
			return nil, fmt.Errorf("pcg: FᵀF + μI is not positive definite in float64 with μ = nν = %g: raise nu", f.mu)
		}
	}
	f.Begin(f.Gram.Y, f.precondition, a.Tolerance)
	return f, nil
}

// precondition returns P⁻¹r.
func (f *pcg) precondition(r compute.Matrix) compute.Matrix {
	if f.settings.Preconditioner == "none" {
		return r
	}
	e, z, w := f.P.Engine, r.Clone(), compute.NewMatrix(f.inner.Rows, r.Cols)
	e.InDouble(func() {
		e.Gemm(w, 1, f.a.F, true, r, false, 0)
		e.Trsm(f.inner, true, w)
		e.Trsm(f.inner, false, w)
		e.Gemm(z, -1/f.mu, f.a.F, false, w, false, 1/f.mu)
	})
	return z
}

// system returns (K + μI)v.
func (f *pcg) system(v compute.Matrix) compute.Matrix {
	h := f.Gram.Fitted(v)
	h.AddScaled(f.mu, v)
	return h
}

func (f *pcg) Step() (algos.Progress, error) {
	return f.Conjugates.Iterate(&f.Span, f.Gram.Y.Rows, f.system, f.precondition)
}

// Report implements Reporter. trace-error is tr(K - FFᵀ)/tr K, 1 without a preconditioner; if the setting spectrum asks for
// them, condition is κ(P^(-1/2) (K + μI) P^(-1/2)) and tail-rank the smallest r with λ_{r+1} + … + λ_n ≤ μ.
func (f *pcg) Report() map[string]float64 {
	if f.report == nil {
		f.report = map[string]float64{"trace-error": f.a.Left}
		if f.settings.Spectrum {
			f.report["condition"], f.report["tail-rank"] = f.spectrum()
		}
	}
	return f.report
}

// spectrum returns the condition number and the tail rank. With UᵀU = K + μI, P⁻¹(K + μI) has the eigenvalues of UP⁻¹Uᵀ.
func (f *pcg) spectrum() (condition, tailRank float64) {
	e, x := f.P.Engine, f.Gram.X
	u := e.KernelMatrix(f.P.Kernel, x, x)
	values, _, ok := e.Syevd(u.Clone(), 0)
	if !ok {
		return math.NaN(), math.NaN()
	}
	r, tail := len(values), 0.0
	for r > 0 && tail+max(0, values[r-1]) <= f.mu {
		r--
		tail += max(0, values[r])
	}
	u.AddToDiagonal(f.mu)
	if !e.Cholesky(u) {
		return math.NaN(), float64(r)
	}
	lower := compute.NewMatrix(u.Rows, u.Rows)
	for i := range u.Rows {
		for j := i; j < u.Rows; j++ {
			lower.Set(j, i, u.At(i, j))
		}
	}
	z, h := f.precondition(lower), compute.NewMatrix(u.Rows, u.Rows)
	e.InDouble(func() { e.Gemm(h, 1, lower, true, z, false, 0) })
	if values, _, ok = e.Syevd(h, 0); !ok {
		return math.NaN(), float64(r)
	}
	return values[0] / values[len(values)-1], float64(r)
}

// Cost implements Coster: K once or once a step, k rows of it for F, and the preconditioner.
func (a *PCG) Cost(s algos.Size) algos.Cost {
	n, k, out := float64(s.N), float64(min(a.Rank, s.N)), float64(s.Out)
	c := parts.GramCost(s, n)
	c.Bytes += 8 * 5 * n * out
	if a.Preconditioner != "none" {
		parts.AddApproximation(&c, s, a.Preconditioner, k, float64(a.Block))
		c.Flops += n*k*k + k*k*k/3 + float64(s.Steps)*out*(4*n*k+2*k*k)
		c.Bytes += 8 * k * k
	}
	if a.Spectrum {
		c.EvalFlops += 4 * n * n * n
		c.Bytes += 8 * 4 * n * n
	}
	return c
}
