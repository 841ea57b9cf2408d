package diaz2023

import (
	"fmt"
	"math"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

var _ = algos.Register[*pcg]("pcg", "kernel ridge regression by conjugate gradients with a Nyström preconditioner [Díaz et al. 2023]", func() algos.Algorithm {
	return &PCG{Preconditioner: rpcholesky, Rank: 500, Tolerance: 1e-9}
})

// PCG is kernel ridge regression on all training rows by preconditioned conjugate gradients [diaz2023]. It solves
//
//	(K + μI) β = y,  μ = nν
//
// from β = 0, an iteration a step and each output by itself, with the preconditioner
//
//	P = FFᵀ + μI,  P⁻¹r = (r - F (FᵀF + μI)⁻¹ Fᵀr)/μ
//
// where FFᵀ is an approximation of K of a rank k, from pivots that are chosen by randomly pivoted Cholesky, greedily, or uniformly. With
// "none" P is the identity. It is done once every residual is at most Tolerance times its targets.
//
// Departures. P⁻¹ is written with a Cholesky factor of FᵀF + μI in place of the singular value decomposition of F, which is the same
// matrix. Blocks are of min(100, ⌈k/10⌉) pivots unless Block says otherwise, as in the authors' code. The shift of uniform pivots is not
// subtracted from the squared singular values: it is near the square of the unit of rounding.
type PCG struct {
	Preconditioner string  `toml:"preconditioner" want:"none|uniform|greedy|rpcholesky" doc:"how pivots are chosen, or none for no preconditioner"`
	Rank           int     `toml:"rank" want:"> 0" doc:"number of pivots k"`
	Block          int     `toml:"block" want:">= 0" doc:"pivots drawn at a time; 0 for min(100, ⌈k/10⌉)"`
	Tolerance      float64 `toml:"tolerance" want:">= 0" doc:"relative residual that ends the iterations"`
	Spectrum       bool    `toml:"spectrum" doc:"also report condition and tail-rank, which takes all eigenvalues of K"`
}

// blocks returns how many pivots are drawn at a time.
func (a *PCG) blocks() int {
	if a.Block > 0 {
		return a.Block
	}
	return min(100, (a.Rank+9)/10)
}

// pcgState is all that a step changes.
type pcgState struct {
	parts.IterateState
	Conjugates
}

type pcg struct {
	pcgState
	parts.Expansion
	settings *PCG
	p        *algos.Problem
	mu       float64
	a        *approximation // nil without a preconditioner
	inner    compute.Matrix // upper Cholesky factor of FᵀF + μI
	report   map[string]float64
}

// Start implements algos.Algorithm. It needs the square loss and ν > 0.
func (a *PCG) Start(p *algos.Problem) (algos.Fit, error) {
	n := p.Train.Len()
	switch {
	case p.Loss != (losses.Square{}):
		return nil, fmt.Errorf("%w: pcg needs the square loss, not %s", algos.ErrUnsupported, p.Loss.Name())
	case !(p.Nu > 0):
		return nil, fmt.Errorf("%w: pcg needs ν > 0, got %g", algos.ErrUnsupported, p.Nu)
	case a.Preconditioner != none && a.Rank > n:
		return nil, fmt.Errorf("%w: pcg chooses %d pivots of %d training rows", algos.ErrUnsupported, a.Rank, n)
	}
	f := &pcg{settings: a, p: p, mu: float64(n) * p.Nu}
	f.Expansion = parts.NewExpansion(p, func() compute.Matrix { return f.Gram.LikeTargets(f.Alpha) })
	x, y := f.Gram.X, f.Gram.Y
	if a.Preconditioner != none {
		var err error
		s := compute.NewStream(p.Seed, "pivots", 0)
		if f.a, err = approximate(p.Engine, p.Kernel, x, a.Preconditioner, a.Rank, a.blocks(), s); err != nil {
			return nil, err
		}
		f.inner = compute.NewMatrix(f.a.f.Cols, f.a.f.Cols)
		p.Engine.Syrk(f.inner, 1, f.a.f, true, 0)
		raise(f.inner, f.mu)
		if !p.Engine.Cholesky(f.inner) {
			return nil, fmt.Errorf("FᵀF + μI is not positive definite to rounding errors with μ = nν = %g: raise nu", f.mu)
		}
	}
	f.Alpha = make([]float64, len(y.Data))
	f.begin(y, f.precondition(y), a.Tolerance)
	return f, nil
}

// precondition returns P⁻¹r.
func (f *pcg) precondition(r compute.Matrix) compute.Matrix {
	z := r.Clone()
	if f.a == nil {
		return z
	}
	e, w := f.p.Engine, compute.NewMatrix(f.a.f.Cols, r.Cols)
	e.Gemm(w, 1, f.a.f, true, r, false, 0)
	e.Trsm(f.inner, true, w)
	e.Trsm(f.inner, false, w)
	e.Gemm(z, -1/f.mu, f.a.f, false, w, false, 1/f.mu)
	return z
}

// system returns (K + μI)v.
func (f *pcg) system(v compute.Matrix) compute.Matrix {
	h := compute.NewMatrix(v.Rows, v.Cols)
	f.Gram.K.MulTo(h, v)
	h.AddScaled(f.mu, v)
	return h
}

// Step implements algos.Fit.
func (f *pcg) Step() (algos.Progress, error) {
	if !f.step(f.Alpha, f.Gram.Y.Cols, f.system, f.precondition) {
		return algos.Progress{Done: true}, nil
	}
	made := f.Stepped(f.Gram.Y.Rows)
	if !f.Coefficients().Finite() {
		return algos.Progress{}, parts.Diverged(f.T)
	}
	made.Done = f.solved()
	return made, nil
}

// State implements algos.Fit.
func (f *pcg) State() any { return &f.pcgState }

// RelativeGradient implements algos.Descender: ‖(K + μI)β - y‖/‖y‖ computed anew, the relative residual of the paper.
func (f *pcg) RelativeGradient() float64 {
	return parts.RelativeGradient(f.p, f.Fitted(), f.Gram.Y, f.Coefficients())
}

// Report implements algos.Reporter. trace-error is tr(K - FFᵀ)/tr K, 1 without a preconditioner; if the setting spectrum asks for
// them, condition is κ(P^(-1/2) (K + μI) P^(-1/2)) and tail-rank the smallest r with λ_{r+1} + … + λ_n ≤ μ.
func (f *pcg) Report() map[string]float64 {
	if f.report != nil {
		return f.report
	}
	f.report = map[string]float64{"trace-error": 1}
	if f.a != nil {
		f.report["trace-error"] = f.a.error
	}
	if f.settings.Spectrum {
		f.report["condition"], f.report["tail-rank"] = f.spectrum()
	}
	return f.report
}

// spectrum returns the condition number and the tail rank. P⁻¹(K + μI) has the eigenvalues of U⁻ᵀ(K + μI)U⁻¹ for the Cholesky factor
// UᵀU = P.
func (f *pcg) spectrum() (condition, tailRank float64) {
	e, x := f.p.Engine, f.Gram.X
	k := e.KernelMatrix(f.p.Kernel, x, x)
	values, _, ok := e.Syevd(k.Clone(), 0)
	if !ok {
		return math.NaN(), math.NaN()
	}
	r, tail := len(values), 0.0
	for r > 0 && tail+max(0, values[r-1]) <= f.mu {
		r--
		tail += max(0, values[r])
	}
	raise(k, f.mu)
	if f.a != nil {
		u := compute.NewMatrix(k.Rows, k.Rows)
		e.Syrk(u, 1, f.a.f, false, 0)
		raise(u, f.mu)
		if !e.Cholesky(u) {
			return math.NaN(), float64(r)
		}
		e.Trsm(u, true, k) // U⁻ᵀH; its transpose is HU⁻¹
		for i := range k.Rows {
			for j := range i {
				v, w := k.At(i, j), k.At(j, i)
				k.Set(i, j, w)
				k.Set(j, i, v)
			}
		}
		e.Trsm(u, true, k) // U⁻ᵀHU⁻¹
		for i := range k.Rows {
			for j := range i {
				v := (k.At(i, j) + k.At(j, i)) / 2
				k.Set(i, j, v)
				k.Set(j, i, v)
			}
		}
	}
	if values, _, ok = e.Syevd(k, 0); !ok {
		return math.NaN(), float64(r)
	}
	return values[0] / values[len(values)-1], float64(r)
}

// Footprint implements algos.Sizer: the coefficients and the points they belong to.
func (f *pcg) Footprint() int64 { return 8 * int64(len(f.Alpha)+len(f.Gram.X.Data)) }

// Cost implements algos.Coster: K once or once a step, n kernel values a pivot and the diagonal, and O(nk²) for F.
func (a *PCG) Cost(s algos.Size) algos.Cost {
	n, k := float64(s.N), float64(a.Rank)
	c := parts.GramCost(s, n)
	numbers := 4 * n * float64(s.Out)
	if a.Preconditioner != none {
		c.KernelEvals += n * k
		c.Flops += 2*n*k*k + float64(s.Steps)*4*n*k*float64(s.Out)
		numbers += n*k + k*k + n*float64(min(a.Rank, a.blocks()))
	}
	if a.Spectrum {
		c.EvalFlops += 4 * n * n * n
		numbers += 4 * n * n
	}
	c.Bytes += 8 * numbers
	return c
}
