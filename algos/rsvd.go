package algos

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

// An eigensystem is what a preconditioner needs of a positive semidefinite operator: its leading
// eigenvalues λ_1 ≥ … ≥ λ_{k+1} and the eigenvectors of the first k, orthonormal columns.
type eigensystem struct {
	values  []float64      // k+1 of them
	vectors compute.Matrix // d×k
}

// first returns λ_1, zero if nothing is known.
func (s eigensystem) first() float64 {
	if len(s.values) == 0 {
		return 0
	}
	return s.values[0]
}

// rsvd approximates the leading eigensystem of AᵀA for an operator A, M×d, from a Gaussian sketch of A:
// RSVD of ma2017 App. A, without its factor for the subsample, which the caller knows. The sketch R has
// min(p, M, d) columns, and there are no power iterations:
//
//	Y = AR,  W = orth(Y),  B = WᵀA,  BBᵀ = UΣ²Uᵀ,  vectors BᵀUΣ⁻¹, eigenvalues Σ²
//
// [Halko, Martinsson & Tropp 2011]. The eigenproblem of BBᵀ, p×p, stands for the SVD of B: it loses the
// singular values below 1e-8 of the first, which no preconditioner has a use for.
func rsvd(e *compute.Engine, a compute.Operator, k, p int, s *compute.Stream) (eigensystem, error) {
	m, d := a.Dims()
	if p = min(p, m, d); p < k+1 {
		return eigensystem{}, fmt.Errorf("%d eigenvectors and one eigenvalue more need as many rows and columns, of %d × %d", k, m, d)
	}
	sketch, y := compute.NewMatrix(d, p), compute.NewMatrix(m, p)
	for i := range sketch.Data {
		sketch.Data[i] = s.Normal()
	}
	a.MulTo(y, sketch)
	if !y.Finite() {
		return eigensystem{}, errors.New("a kernel value is not a finite number")
	}
	b := sketch // transposed; of the same size as R, which is no longer needed
	a.MulTransTo(b, orthonormal(y))

	gram := compute.NewMatrix(p, p)
	e.Syrk(gram, 1, b, true, 0)
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(p, gram.Data), true) {
		return eigensystem{}, fmt.Errorf("the eigendecomposition of a %d×%d matrix did not converge", p, p)
	}
	ascending := eigen.Values(nil)
	var u mat.Dense
	eigen.VectorsTo(&u)
	values, turn := make([]float64, k+1), compute.NewMatrix(p, k)
	for j := range values {
		values[j] = ascending[p-1-j]
		if !(values[j] > 1e-14*values[0]) { // where the rounding of squares begins
			return eigensystem{}, fmt.Errorf("eigenvalue %d is below 1e-7 of the first, where rounding errors begin: take fewer than %d eigenvectors", j+1, j)
		}
		if j < k {
			for i := range p {
				turn.Set(i, j, u.At(i, p-1-j)/math.Sqrt(values[j]))
			}
		}
	}
	return eigensystem{values, e.Mul(b, turn, false)}, nil
}

// orthonormal replaces the columns of y, at most as many as its rows, by an orthonormal basis of them.
func orthonormal(y compute.Matrix) compute.Matrix {
	a := blas64.General{Rows: y.Rows, Cols: y.Cols, Stride: y.Stride, Data: y.Data}
	tau, work := make([]float64, y.Cols), make([]float64, 1)
	lapack64.Geqrf(a, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(a, tau, work, len(work))
	lapack64.Orgqr(a, tau, work[:1], -1)
	work = make([]float64, int(work[0]))
	lapack64.Orgqr(a, tau, work, len(work))
	return y
}

// sketchOf is the number of columns of the sketch for k eigenvectors, as in the authors' released code.
func sketchOf(k int) int { return 2 * (k + 1) }

// sketchOfOne is that for λ_1 alone; the authors' code has six.
const sketchOfOne = 20

// eigensystem approximates the leading eigensystem of K from m of its rows and a sketch of p columns: those of
// K(X_M, X) have the right singular vectors of K, and its singular values times √(m/n) [ma2017 App. A].
func (g *gram) eigensystem(k, p, m int) (eigensystem, error) {
	n := g.x.Rows
	m = min(m, n)
	rows := compute.NewStream(g.p.Seed, "subsample", 0).Perm(n)[:m]
	a := g.rows(rows)
	defer g.p.Engine.Release(a)
	s, err := rsvd(g.p.Engine, a, k, p, compute.NewStream(g.p.Seed, "sketch", 0))
	for i, v := range s.values {
		s.values[i] = math.Sqrt(v * float64(n) / float64(m))
	}
	return s, err
}
