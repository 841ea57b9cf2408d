package methods

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/algos/parts"
)

var _ = algos.Register[*askotch]("askotch", "kernel ridge regression by accelerated descent on blocks of coordinates [Rathore et al. 2024]",
	func() algos.Algorithm { return &ASkotch{Block: 100, Rank: 100, Accelerate: true} },
	algos.Known("relative-gradient", (*askotch).RelativeGradient))

// ASkotch is kernel ridge regression on all training rows by approximate block coordinate descent, with the acceleration of Nesterov
// [Rathore, Frangella, Yang, Derezinski & Udell, Have ASkotch: a neat solution for large-scale kernel ridge regression, 2024]. It solves
//
//	(K + λnI) w = y,  λn = nν
//
// from w = 0. A step draws a block B of b = n/Block coordinates uniformly without replacement, takes a Nyström approximation K̂ of K_BB
// of rank r from a Gaussian sketch, ρ = λn plus the smallest eigenvalue of K̂ that it keeps, and moves along
//
//	d = (K̂ + ρI)⁻¹ (K_B: z + λn z_B - y_B)
//	w' = z - d/L,  v' = βv + (1 - β)z - (γ/L) d,  z' = αv' + (1 - α)w'
//	β = 1 - √(μ/τ),  γ = 1/√(μτ),  α = 1/(1 + γτ),  μ = λn,  τ = n/b
//
// on the coordinates of the block, where L is the largest eigenvalue of (K̂ + ρI)^(-1/2) (K_BB + λnI) (K̂ + ρI)^(-1/2), found by power
// iterations. Without Accelerate, which the paper calls Skotch, z is w. The error falls by a factor a step, whose distance from 1 depends
// little on the conditioning of K.
//
// Departures. The letter τ is the paper's ν, which is the regulariser here. L is 1.1 times the estimate of ten power iterations, where
// the authors' code takes the estimate: it approaches the eigenvalue from below, and a smaller L may make steps too long. Every step is
// up to a tenth shorter for it. μ is at most 1/τ, so that μτ ≤ 1, as the analysis of the acceleration asks. μ and τ are the guesses of
// the authors' code for constants of that analysis. Where r comes near b and the block has eigenvalues far below λn, the constant that τ
// stands for is many times n/b, and accelerated iterates swing: experiment rathore2024/swings. The paper has r far below b. Where a block's residual becomes askotchSwing times as large as at w = 0, the iterates
// start again from 0, with twice the τ.
type ASkotch struct {
	Block      int  `toml:"block" want:"> 0" doc:"number of blocks that n is divided by: n/block coordinates a step"`
	Rank       int  `toml:"rank" want:"> 0" doc:"rank r of the approximation of a block"`
	Accelerate bool `toml:"accelerate" doc:"accelerate as Nesterov does; without it the method is Skotch"`
}

// askotchPowers is the number of power iterations for L, which the result exceeds by askotchMargin.
const (
	askotchPowers = 10
	askotchMargin = 1.1
)

// askotchSwing is how many times as large as at w = 0 a block's residual may become.
const askotchSwing = 10

// askotchState is what a step changes: w, and v, z and τ, which are empty without acceleration.
type askotchState struct {
	parts.SpanState
	V, Z []float64
	Tau  float64
}

type askotch struct {
	parts.Iterate
	*askotchState
	settings *ASkotch
	b        int // coordinates in a block
}

// size returns the number of coordinates of a block of n.
func (a *ASkotch) size(n int) int { return max(1, n/a.Block) }

// lambdaN returns λn = nν.
func (f *askotch) lambdaN() float64 { return f.P.Nu * float64(f.Gram.Y.Rows) }

func (a *ASkotch) Start(p *algos.Problem) (algos.Fit, error) {
	if err := parts.Solves("askotch", p, parts.SquareLoss, parts.PositiveNu); err != nil {
		return nil, err
	}
	f := &askotch{Iterate: parts.NewIterate(p), askotchState: new(askotchState), settings: a, b: a.size(p.Train.Len())}
	f.Keep(&f.askotchState.SpanState, f.askotchState)
	if a.Accelerate {
		f.V, f.Z = make([]float64, len(f.Alpha)), make([]float64, len(f.Alpha))
		f.Tau = float64(p.Train.Len()) / float64(f.b)
	}
	return f, nil
}

func (f *askotch) Step() (algos.Progress, error) {
	n, out := f.Gram.Y.Rows, f.Gram.Y.Cols
	s := compute.NewStream(f.P.Seed, "askotch", uint64(f.T))
	rows := s.Perm(n)[:f.b]
	w := f.Gram.LikeTargets(f.Alpha)
	z := w
	if f.settings.Accelerate {
		z = f.Gram.LikeTargets(f.Z)
	}
	d := compute.NewMatrix(f.b, out)
	f.Gram.K.Select(rows).MulTo(d, z)
	d.AddScaled(f.lambdaN(), z.Select(rows))
	d.AddScaled(-1, f.Gram.Targets(rows))
	swung := floats.Norm(d.Data, 2)*math.Sqrt(float64(n)/float64(f.b)) > askotchSwing*floats.Norm(f.Gram.Y.Data, 2)
	l, err := f.direct(d, rows, s)
	if err != nil {
		return algos.Progress{}, err
	}
	if !f.settings.Accelerate {
		parts.AddRows(w, rows, -1/l, d)
	} else {
		f.accelerate(rows, l, d)
		if swung {
			clear(f.Alpha)
			clear(f.V)
			clear(f.Z)
			f.Tau *= 2
		}
	}
	made := f.Stepped(f.b)
	if !w.Finite() {
		return algos.Progress{}, parts.Diverged(f.T)
	}
	return made, nil
}

// accelerate moves w, v and z along the direction d of a block.
func (f *askotch) accelerate(rows []int, l float64, d compute.Matrix) {
	w, v, z := f.Gram.LikeTargets(f.Alpha), f.Gram.LikeTargets(f.V), f.Gram.LikeTargets(f.Z)
	tau := f.Tau
	mu := min(f.lambdaN(), 1/tau)
	beta, gamma := 1-math.Sqrt(mu/tau), 1/math.Sqrt(mu*tau)
	alpha := 1 / (1 + gamma*tau)
	w.CopyFrom(z)
	parts.AddRows(w, rows, -1/l, d)
	v.Scale(beta)
	v.AddScaled(1-beta, z)
	parts.AddRows(v, rows, -gamma/l, d)
	z.CopyFrom(v)
	z.Scale(alpha)
	z.AddScaled(1-alpha, w)
}

// direct replaces the gradient g of a block by (K̂ + ρI)⁻¹g and returns L. With K̂ = US Uᵀ,
//
//	(K̂ + ρI)⁻¹ = U ((S + ρI)⁻¹ - I/ρ) Uᵀ + I/ρ.
func (f *askotch) direct(g compute.Matrix, rows []int, s *compute.Stream) (l float64, err error) {
	e, x := f.P.Engine, f.Gram.X.Select(rows)
	k := e.KernelMatrix(f.P.Kernel, x, x)
	defer e.Reuse(k)
	u, values, err := nystromOf(e, k, min(f.settings.Rank, len(rows)), s)
	if err != nil {
		return 0, err
	}
	rho := f.lambdaN()
	if len(values) > 0 {
		rho += values[len(values)-1]
	}
	// power applies (K̂ + ρI)^(-p) to the columns of a matrix.
	power := func(m compute.Matrix, p float64) {
		c := compute.NewMatrix(u.Cols, m.Cols)
		e.Gemm(c, 1, u, true, m, false, 0)
		rest := exact.Pow(rho, -p)
		for i, v := range values {
			floats.Scale(exact.Pow(v+rho, -p)-rest, c.Row(i))
		}
		e.Gemm(m, 1, u, false, c, false, rest)
	}
	q, r := compute.NewMatrix(len(rows), 1), compute.NewMatrix(len(rows), 1)
	for i := range q.Data {
		q.Data[i] = s.Normal()
	}
	for range askotchPowers {
		floats.Scale(1/floats.Norm(q.Data, 2), q.Data)
		power(q, 0.5)
		e.Gemm(r, 1, k, false, q, false, 0)
		r.AddScaled(f.lambdaN(), q)
		power(r, 0.5)
		l = floats.Norm(r.Data, 2)
		q, r = r, q
	}
	power(g, 1)
	return l * askotchMargin, nil
}

// nystromOf returns the eigenvectors and the eigenvalues, in descending order, of the Nyström approximation of rank r of a positive
// semidefinite matrix A from a Gaussian sketch Ω [Tropp, Yurtsever, Udell & Cevher, Fixed-rank approximation of a positive-semidefinite
// matrix from streaming data, 2017, Alg. 3]: with Y = (A + hI)Ω, C the Cholesky factor of ΩᵀY, and YC⁻¹ = U Σ Vᵀ, U and Σ² - h.
func nystromOf(e *compute.Engine, a compute.Matrix, r int, s *compute.Stream) (u compute.Matrix, values []float64, err error) {
	omega := compute.NewMatrix(a.Rows, r)
	for i := range omega.Data {
		omega.Data[i] = s.Normal()
	}
	e.Orthonormal(omega)
	trace := 0.0
	for i := range a.Rows {
		trace += a.At(i, i)
	}
	y := e.Mul(a, omega, false)
	h := trace * 0x1p-52
	y.AddScaled(h, omega)
	c, ok := factorOfSketch(e, omega, y, h, trace)
	if !ok {
		return u, nil, fmt.Errorf("a block of %d rows has no Nyström approximation of rank %d in floating point", a.Rows, r)
	}
	// t = (YC⁻¹)ᵀ has ttᵀ = VΣ²Vᵀ, and U = tᵀVΣ⁻¹.
	t := y.Transposed()
	e.Trsm(c, true, t)
	inner := compute.NewMatrix(r, r)
	e.Syrk(inner, 1, t, false, 0)
	squares, v, err := parts.Symmetric(e, inner, r)
	if err != nil {
		return u, nil, err
	}
	for len(values) < r && squares[len(values)] > squares[0]*0x1p-50 {
		values = append(values, max(0, squares[len(values)]-h))
	}
	u = compute.NewMatrix(a.Rows, len(values))
	e.Gemm(u, 1, t, true, v.ColRange(0, len(values)), false, 0)
	for i := range u.Rows {
		for j := range values {
			u.Set(i, j, u.At(i, j)/math.Sqrt(squares[j]))
		}
	}
	return u, values, nil
}

// factorOfSketch returns the upper Cholesky factor of the symmetric part of ΩᵀY, with h or more on its diagonal where rounding errors ask
// for it. ok is false where the trace of A does not suffice.
func factorOfSketch(e *compute.Engine, omega, y compute.Matrix, h, trace float64) (c compute.Matrix, ok bool) {
	whole := compute.NewMatrix(omega.Cols, omega.Cols)
	e.Gemm(whole, 0.5, omega, true, y, false, 0)
	e.Gemm(whole, 0.5, y, true, omega, false, 1)
	if c = whole.Clone(); e.Cholesky(c) {
		return c, true
	}
	return parts.Shifted(e, whole, h, trace)
}

// Report implements Reporter: tau is τ, 0 without acceleration.
func (f *askotch) Report() map[string]float64 { return map[string]float64{"tau": f.Tau} }

// Cost implements Coster: b rows of K and K_BB a step, and the approximation of the block.
func (a *ASkotch) Cost(s algos.Size) algos.Cost {
	b, steps := float64(a.size(s.N)), float64(s.Steps)
	r := min(float64(a.Rank), b)
	c := parts.GramCost(s, b)
	c.KernelEvals += steps * b * b
	c.Reads += steps * askotchPowers * (b*b + 4*b*r)
	c.Flops += steps * (6*b*b*r + 4*8*b*r*r) // an orthonormal basis takes four times as long as a product with as many operations
	c.Calls = steps * (20 + 6*askotchPowers)
	c.Eigen += steps * algos.EigenWork(r)
	c.Bytes += 8 * (2*b*b + 4*b*r + 4*r*r + 3*float64(s.N*s.Out))
	return c
}
