package methods

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*falkon]("falkon", "kernel ridge regression on M landmarks by preconditioned conjugate gradients [Rudi et al. 2017, Alg. 1]",
	func() algos.Algorithm { return &Falkon{Landmarks: 1024, Jitter: 1e-10, Selection: parts.Uniform} },
	algos.Known("relative-gradient", (*falkon).relativeGradient),
	algos.Computed("contraction", (*falkon).contraction))

// Falkon is kernel ridge regression on M landmarks Z, drawn uniformly from the training rows or as Selection says, by conjugate
// gradients with a preconditioner made of K_MM alone [Rudi, Carratino & Rosasco, FALKON: an optimal large scale
// kernel method, 2017, Alg. 1]: the minimiser of dai2014 eq. (1) for the square loss over f = Σ_j α_j k(z_j, ·),
//
//	(K_nMᵀ K_nM + nν K_MM) α = K_nMᵀ y,  α = Bβ,  B = n^(-1/2) T⁻¹ A⁻¹
//	TᵀT = K_MM,  AᵀA = TTᵀ/M + νI
//
// solved for β from 0, one step an iteration of conjugate gradients on Bᵀ(…)B β = Bᵀ K_nMᵀ y, each output
// by itself. It is done where rounding errors let the residual fall no further. It is a modern peer of EigenPro that ma2017 does not have.
//
// Departures. K_MM has Jitter·M on its diagonal within T, as the authors' code has it, because K_MM of smooth kernels, or of equal rows, is
// singular to rounding errors. In float32 these are larger, so Jitter counts as at least singleJitter times the mean of the diagonal. The
// ridge has a sixteenth of it, nν(K_MM + Jitter·M/16 I): without, Bᵀ(…)B has eigenvalues of zero, along which steps divide rounding errors by
// rounding errors. The authors' code has the whole Jitter there, which in float32 is too far from the problem.
type Falkon struct {
	Landmarks int     `toml:"landmarks" want:"> 0" doc:"number of landmarks M"`
	Jitter    float64 `toml:"jitter" want:">= 0" doc:"jitter·M is added to the diagonal of K_MM, the kernel matrix of the landmarks; in float32 it is at least 1e-5 times the mean of that diagonal"`
	Selection string  `toml:"selection" want:"uniform|rpcholesky" doc:"how landmarks are selected among the training rows: uniform, or rpcholesky by randomly pivoted Cholesky [Chen, Epperly, Tropp & Webber 2022]"`
}

// singleJitter bounds the rounding errors of K_MM in float32 from above, as shares of its diagonal and of M.
const singleJitter = 1e-5

// ridgeJitter is the share of the jitter that the ridge has.
const ridgeJitter = 1. / 16

// falkonState is what a step changes: β as Alpha, and that of conjugate gradients.
type falkonState struct {
	parts.SpanState
	parts.Conjugates
}

type falkon struct {
	parts.Span
	*parts.Conjugates
	z    compute.Matrix   // landmarks
	k    compute.Operator // K_nM
	kmm  compute.Matrix
	t, a compute.Matrix
	b    compute.Matrix // Bᵀ K_nMᵀ y

	jitter float64 // within T
	n      int
	bound  parts.Contraction
}

func (a *Falkon) Start(p *algos.Problem) (algos.Fit, error) {
	if err := parts.Solves("falkon", p, parts.SquareLoss, parts.PositiveNu); err != nil {
		return nil, err
	}
	n, m := p.Train.Len(), a.Landmarks
	landmarks, err := parts.SelectLandmarks("falkon", p, m, a.Selection)
	if err != nil {
		return nil, err
	}
	x, y := p.Dense()
	f, state := &falkon{z: x.Select(landmarks), n: n}, new(falkonState)
	f.Span, f.Conjugates = parts.NewSpan(p, parts.PointsAt(p, f.z), m, false), &state.Conjugates
	f.Keep(&state.SpanState, state)
	f.Form = f.alpha
	if err := f.precondition(a.Jitter); err != nil {
		return nil, err
	}
	f.k = p.Engine.Store(p.Engine.Kernel(p.Kernel, x, f.z))
	b := compute.NewMatrix(m, f.Out)
	f.k.MulTransTo(b, y)
	f.turnBack(b)
	f.b = b
	f.Begin(b, itself, 0)
	return f, nil
}

// itself is the preconditioner of conjugate gradients in β, whose system has one already.
func itself(r compute.Matrix) compute.Matrix { return r }

func (f *falkon) Step() (algos.Progress, error) {
	return f.Conjugates.Iterate(&f.Span, f.n, f.system, itself)
}

// system returns Hd = Bᵀ(K_nMᵀ K_nM + nν(K_MM + jitter·M/16 I))B d.
func (f *falkon) system(dir compute.Matrix) compute.Matrix {
	v := f.turn(dir)
	u, h := compute.NewMatrix(f.n, v.Cols), compute.NewMatrix(v.Rows, v.Cols)
	f.k.MulTo(u, v)
	f.k.MulTransTo(h, u)
	f.P.Engine.Gemm(h, float64(f.n)*f.P.Nu, f.kmm, false, v, false, 1)
	h.AddScaled(float64(f.n)*f.P.Nu*ridgeJitter*f.jitter, v)
	f.turnBack(h)
	h.Scale(1 / float64(f.n))
	return h
}

func (f *falkon) SquaredNorms() []float64 {
	alpha := f.alpha()
	return parts.ColumnProducts(alpha, f.P.Engine.Mul(f.kmm, alpha, false))
}

// relativeGradient returns ‖g‖/‖g_0‖, with the gradient g = Hβ - Bᵀ K_nMᵀ y in β and that of β = 0. It is computed anew: the residual of the steps
// falls on when rounding errors have stopped the iterates.
func (f *falkon) relativeGradient() float64 {
	h := f.system(f.View(f.Alpha))
	h.AddScaled(-1, f.b)
	return floats.Norm(h.Data, 2) / floats.Norm(f.b.Data, 2)
}

// contraction returns the bound of parts.Contraction, with the eigenvalues of H.
func (f *falkon) contraction() (float64, error) {
	return f.bound.OfConjugates(f.P.Engine, func() compute.Matrix {
		one := compute.NewMatrix(f.z.Rows, f.z.Rows)
		for i := range one.Rows {
			one.Set(i, i, 1)
		}
		return f.system(one)
	})
}

// alpha returns the coefficients of the landmarks.
func (f *falkon) alpha() compute.Matrix {
	alpha := f.turn(f.View(f.Alpha))
	alpha.Scale(1 / float64(f.n))
	return alpha
}

// precondition factorises K_MM, with jitter·M on its diagonal, and TTᵀ/M + νI.
func (f *falkon) precondition(jitter float64) error {
	e, m := f.P.Engine, f.z.Rows
	f.kmm = e.KernelMatrix(f.P.Kernel, f.z, f.z)
	if least := 0x1p-48 / (singleJitter * ridgeJitter) * meanDiagonal(f.kmm); e.Precision() == compute.Float32 && f.P.Nu < least {
		return fmt.Errorf("falkon: the ridge of nu = %g is lost in the rounding errors of float32; raise nu to %.1g, or set precision = \"float64\"", f.P.Nu, least)
	}
	f.jitter = jitterOf(e, f.kmm, jitter)
	f.t = f.kmm.Clone()
	f.t.AddToDiagonal(f.jitter)
	var err error
	if f.t, err = cholesky(e, f.t, "K_MM, raise jitter"); err != nil {
		return err
	}
	t := compute.NewMatrix(m, m)
	for i := range m {
		copy(t.Row(i)[i:], f.t.Row(i)[i:])
	}
	inner := compute.NewMatrix(m, m)
	e.Syrk(inner, 1/float64(m), t, false, 0)
	inner.AddToDiagonal(f.P.Nu)
	f.a, err = cholesky(e, inner, "TTᵀ/M + νI, raise nu")
	return err
}

// jitterOf returns jitter·M for K_MM.
func jitterOf(e *compute.Engine, k compute.Matrix, jitter float64) float64 {
	if e.Precision() == compute.Float32 {
		jitter = max(jitter, singleJitter*meanDiagonal(k))
	}
	return jitter * float64(k.Rows)
}

func meanDiagonal(k compute.Matrix) float64 {
	mean := 0.0
	for i := range k.Rows {
		mean += k.At(i, i) / float64(k.Rows)
	}
	return mean
}

// cholesky returns the upper triangular factor of a symmetric matrix. Errors call the matrix what.
func cholesky(e *compute.Engine, s compute.Matrix, what string) (compute.Matrix, error) {
	if !e.Cholesky(s) {
		return compute.Matrix{}, fmt.Errorf("falkon: the matrix is not positive definite in float64: %s", what)
	}
	return s, nil
}

// turn returns √n·Bv = T⁻¹A⁻¹v.
func (f *falkon) turn(v compute.Matrix) compute.Matrix {
	u := v.Clone()
	f.P.Engine.Trsm(f.a, false, u)
	f.P.Engine.Trsm(f.t, false, u)
	return u
}

// turnBack replaces v by √n·Bᵀv.
func (f *falkon) turnBack(v compute.Matrix) {
	f.P.Engine.Trsm(f.t, true, v)
	f.P.Engine.Trsm(f.a, true, v)
}

// Cost implements Coster: K_nM is evaluated once if it is stored, else once per product with it.
func (a *Falkon) Cost(s algos.Size) algos.Cost {
	n, m, out := float64(s.N), float64(min(a.Landmarks, s.N)), float64(s.Out)
	c := algos.Cost{
		KernelEvals: s.Evaluated(n*m, 1+2*float64(s.Steps)) + m*m,
		Flops:       4*m*m*m/3 + float64(s.Steps)*out*(4*n*m+6*m*m),
		EvalCost:    m * float64(s.Evals),
		Bytes:       s.StoredBytes(n*m) + 8*(3*m*m+n*float64(s.In)),
	}
	parts.AddSelection(&c, s, a.Selection, m)
	return c
}
