package methods

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

var _ = algos.Register("falkon", "kernel ridge regression on M landmarks by preconditioned conjugate gradients [Rudi et al. 2017, Alg. 1]", func() algos.Algorithm {
	return &Falkon{Landmarks: 1024, Jitter: 1e-10}
})

// Falkon is kernel ridge regression on M landmarks Z drawn uniformly from the training rows, by conjugate
// gradients with a preconditioner made of K_MM alone [Rudi, Carratino & Rosasco, FALKON: an optimal large scale
// kernel method, 2017, Alg. 1]: the minimiser of dai2014 eq. (1) for the square loss over f = Σ_j α_j k(z_j, ·),
//
//	(K_nMᵀ K_nM + nν K_MM) α = K_nMᵀ y,  α = Bβ,  B = n^(-1/2) T⁻¹ A⁻¹
//	TᵀT = K_MM,  AᵀA = TTᵀ/M + νI
//
// solved for β from 0, one step an iteration of conjugate gradients on Bᵀ(…)B β = Bᵀ K_nMᵀ y, each output
// by itself. It is a modern peer of EigenPro that ma2017 does not have.
//
// Departures. K_MM has Jitter·M on its diagonal within T, as the authors' code has it, because K_MM of smooth kernels is
// singular to rounding errors.
type Falkon struct {
	Landmarks int     `toml:"landmarks" want:"> 0" doc:"number of landmarks M"`
	Jitter    float64 `toml:"jitter" want:">= 0" doc:"jitter·M is added to the diagonal of K_MM, the kernel matrix of the landmarks"`
}

// falkonState is that of conjugate gradients: β, the residual, the direction, M×outputs each, and the squared
// norms of the residual, one an output.
type falkonState struct {
	T                   int
	Beta, Residual, Dir []float64
	Norms               []float64
}

type falkon struct {
	falkonState
	p    *algos.Problem
	z    compute.Matrix   // landmarks
	k    compute.Operator // K_nM
	kmm  compute.Matrix
	t, a blas64.Triangular
	n    int
	out  int
}

// Fits implements Declarer.
func (*Falkon) Fits() algos.Fit { return (*falkon)(nil) }

// Start implements Algorithm. It needs the square loss, ν > 0 and as many training rows as landmarks.
func (a *Falkon) Start(p *algos.Problem) (algos.Fit, error) {
	n, m := p.Train.Len(), a.Landmarks
	switch {
	case p.Loss != (losses.Square{}):
		return nil, fmt.Errorf("%w: falkon needs the square loss, not %s", algos.ErrUnsupported, p.Loss.Name())
	case !(p.Nu > 0):
		return nil, fmt.Errorf("%w: falkon needs ν > 0, got %g", algos.ErrUnsupported, p.Nu)
	case m > n:
		return nil, fmt.Errorf("%w: falkon draws %d landmarks from %d training rows", algos.ErrUnsupported, m, n)
	}
	x, y := p.Dense()
	f := &falkon{p: p, z: x.Select(compute.NewStream(p.Seed, "landmarks", 0).Perm(n)[:m]), n: n, out: y.Cols}
	f.kmm = p.Engine.KernelMatrix(p.Kernel, f.z, f.z)
	jittered := f.kmm.Clone()
	for i := range m {
		jittered.Data[i*m+i] += a.Jitter * float64(m)
	}
	var err error
	if f.t, err = cholesky(p.Engine, jittered, "K_MM, raise jitter"); err != nil {
		return nil, err
	}
	t := compute.NewMatrix(m, m)
	for i := range m {
		copy(t.Row(i)[i:], f.t.Data[i*f.t.Stride+i:i*f.t.Stride+m])
	}
	inner := compute.NewMatrix(m, m)
	p.Engine.Syrk(inner, 1/float64(m), t, false, 0)
	for i := range m {
		inner.Data[i*m+i] += p.Nu
	}
	if f.a, err = cholesky(p.Engine, inner, "TTᵀ/M + νI, raise nu"); err != nil {
		return nil, err
	}
	f.k = p.Engine.Store(p.Engine.Kernel(p.Kernel, x, f.z))
	b := compute.NewMatrix(m, f.out)
	f.k.MulTransTo(b, y)
	f.turnBack(b)
	f.Residual, f.Dir = b.Data, append([]float64(nil), b.Data...)
	f.Beta, f.Norms = make([]float64, len(b.Data)), parts.ScaledSquares(1, b)
	return f, nil
}

// cholesky returns the upper triangular factor of a symmetric matrix, called what in errors.
func cholesky(e *compute.Engine, s compute.Matrix, what string) (blas64.Triangular, error) {
	if !e.Cholesky(s) {
		return blas64.Triangular{}, fmt.Errorf("falkon: the matrix is not positive definite in float64: %s", what)
	}
	return blas64.Triangular{N: s.Rows, Stride: s.Stride, Data: s.Data, Uplo: blas.Upper, Diag: blas.NonUnit}, nil
}

func (f *falkon) matrix(data []float64) compute.Matrix {
	return compute.Matrix{Rows: f.z.Rows, Cols: f.out, Stride: f.out, Data: data}
}

// turn returns T⁻¹A⁻¹v, B but for a factor.
func (f *falkon) turn(v compute.Matrix) compute.Matrix {
	u := v.Clone()
	parts.SolveTriangular(f.a, blas.NoTrans, u)
	parts.SolveTriangular(f.t, blas.NoTrans, u)
	return u
}

// turnBack replaces v by its product with the transpose of that.
func (f *falkon) turnBack(v compute.Matrix) {
	parts.SolveTriangular(f.t, blas.Trans, v)
	parts.SolveTriangular(f.a, blas.Trans, v)
}

// Step implements Fit.
func (f *falkon) Step() (algos.Progress, error) {
	dir := f.matrix(f.Dir)
	v := f.turn(dir)
	u, h := compute.NewMatrix(f.n, f.out), compute.NewMatrix(v.Rows, f.out)
	f.k.MulTo(u, v)
	f.k.MulTransTo(h, u)
	f.p.Engine.Gemm(h, float64(f.n)*f.p.Nu, f.kmm, false, v, false, 1)
	f.turnBack(h)
	h.Scale(1 / float64(f.n))

	for j := range f.out {
		curvature := 0.0
		for i := range dir.Rows {
			curvature += dir.At(i, j) * h.At(i, j)
		}
		if !(curvature > 0) {
			continue // nothing is left of this output
		}
		step, norm := f.Norms[j]/curvature, 0.0
		for i := range dir.Rows {
			at := i*f.out + j
			f.Beta[at] += step * f.Dir[at]
			f.Residual[at] -= step * h.Data[at]
			norm += f.Residual[at] * f.Residual[at]
		}
		turn := norm / f.Norms[j]
		f.Norms[j] = norm
		for i := range dir.Rows {
			at := i*f.out + j
			f.Dir[at] = f.Residual[at] + turn*f.Dir[at]
		}
	}
	f.T++
	if !f.matrix(f.Beta).Finite() {
		return algos.Progress{}, parts.Diverged(f.T)
	}
	return algos.Progress{Seen: f.n}, nil
}

// Model implements Fit.
func (f *falkon) Model() algos.Model { return falkonModel{f} }

// State implements Fit.
func (f *falkon) State() any { return &f.falkonState }

// SquaredNorms implements Normed.
func (f *falkon) SquaredNorms() []float64 {
	alpha := f.alpha()
	return parts.ColumnProducts(alpha, f.p.Engine.Mul(f.kmm, alpha, false))
}

// alpha returns the coefficients of the landmarks.
func (f *falkon) alpha() compute.Matrix {
	alpha := f.turn(f.matrix(f.Beta))
	alpha.Scale(1 / float64(f.n))
	return alpha
}

// Footprint implements Sizer: the landmarks and their coefficients.
func (f *falkon) Footprint() int64 { return 8 * int64(len(f.z.Data)+len(f.Beta)) }

type falkonModel struct{ f *falkon }

func (m falkonModel) Predict(x compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, m.f.out)
	m.f.p.Engine.Kernel(m.f.p.Kernel, x, m.f.z).MulTo(u, m.f.alpha())
	return u
}

// Cost implements Coster: k at all rows and landmarks once if K_nM is stored, else for every product with it.
func (a *Falkon) Cost(s algos.Size) algos.Cost {
	n, m, out := float64(s.N), float64(min(a.Landmarks, s.N)), float64(s.Out)
	return algos.Cost{
		KernelEvals: s.Evaluated(n*m, 1+2*float64(s.Steps)) + m*m,
		Flops:       4*m*m*m/3 + float64(s.Steps)*out*(4*n*m+6*m*m),
		EvalCost:    m * float64(s.Evals),
		Bytes:       s.StoredBytes(n*m) + 8*(3*m*m+n*float64(s.In)),
	}
}
