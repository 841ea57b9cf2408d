package algos

import (
	"errors"
	"fmt"
	"math"
	"slices"

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
		return eigensystem{}, tooFew(k, m, d)
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
	values, u, err := leading(e, gram, k, 1e-14) // where the rounding of squares begins
	if err != nil {
		return eigensystem{}, err
	}
	for i := range u.Rows {
		for j, v := range u.Row(i) {
			u.Set(i, j, v/math.Sqrt(values[j]))
		}
	}
	return eigensystem{values, e.Mul(b, u, false)}, nil
}

// nsvd approximates the leading eigensystem of AᵀA for an operator A, M×d, from G, M×M: NSVD of ma2017 App. A,
// without its factors for the subsample,
//
//	G = VΛVᵀ,  vectors orth(Aᵀv_1, …, Aᵀv_k), eigenvalues Λ
//
// [Williams & Seeger 2001]. With G = AAᵀ, as the paper has it for features, that is exact, and orth only mends
// rounding errors. For a kernel A = K(X_M, X) and G = K(X_M, X_M): then Aᵀv_i are the values at all rows X of
// eigenfunctions of the subsample, which are orthogonal only as functions, and Λ(n/M) stands for the eigenvalues of K.
// Eigenvalues are good to the fraction least of the first.
func nsvd(e *compute.Engine, gram compute.Matrix, a compute.Operator, k int, least float64) (eigensystem, error) {
	m, d := a.Dims()
	if min(m, d) < k+1 {
		return eigensystem{}, tooFew(k, m, d)
	}
	values, v, err := leading(e, gram, k, least)
	if err != nil {
		return eigensystem{}, err
	}
	extended := compute.NewMatrix(d, k)
	a.MulTransTo(extended, v)
	return eigensystem{values, orthonormal(extended)}, nil
}

// leading returns the k+1 largest eigenvalues of a symmetric matrix and the eigenvectors of the first k. None of them
// may be below the fraction least of the first, where rounding errors begin.
func leading(e *compute.Engine, a compute.Matrix, k int, least float64) (values []float64, vectors compute.Matrix, err error) {
	values, vectors, err = aboveRounding(e, a, k+1, least)
	if have := len(values); err == nil && have < k+1 {
		err = fmt.Errorf("eigenvalue %d is below 1e-7 of the first, where rounding errors begin: take fewer than %d eigenvectors", have+1, have)
	}
	if err != nil {
		return nil, compute.Matrix{}, err
	}
	return values, vectors.ColRange(0, k), nil
}

// aboveRounding returns those of the first k eigenvalues of a symmetric matrix that are above the fraction least of
// the first, in descending order, and their eigenvectors.
func aboveRounding(e *compute.Engine, a compute.Matrix, k int, least float64) (values []float64, vectors compute.Matrix, err error) {
	p := a.Rows
	if !a.Finite() {
		return nil, compute.Matrix{}, errors.New("a kernel value is not a finite number")
	}
	k = min(k, p)
	found := false
	if fewOf(p, k) {
		values, vectors, found = krylov(e, a, k, compute.NewStream(0, "krylov", 0))
	}
	if !found {
		values, vectors, found = descending(mat.NewSymDense(p, a.Data), k)
	}
	if !found {
		return nil, compute.Matrix{}, fmt.Errorf("the eigendecomposition of a %d×%d matrix did not converge", p, p)
	}
	for j, l := range values {
		if !(l > least*values[0]) {
			values = values[:j]
			break
		}
	}
	return values, vectors.ColRange(0, len(values)), nil
}

// descending returns the k largest eigenvalues of a symmetric matrix, in descending order, and their eigenvectors.
func descending(a *mat.SymDense, k int) (values []float64, vectors compute.Matrix, ok bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, true) {
		return nil, compute.Matrix{}, false
	}
	values = eigen.Values(nil)
	slices.Reverse(values)
	var u mat.Dense
	eigen.VectorsTo(&u)
	p := len(values)
	vectors = compute.NewMatrix(p, k)
	for i := range p {
		for j := range k {
			vectors.Set(i, j, u.At(i, p-1-j))
		}
	}
	return values[:k], vectors, true
}

// leadingCost is the arithmetic of the k largest eigenvalues of a p×p matrix and their eigenvectors. Spaces of krylov
// have four times as many columns on matrices of smooth kernels.
func leadingCost(p, k float64) float64 {
	if fewOf(int(p), int(k)) {
		return 2*p*p*(4*k) + 6*p*(4*k)*(4*k) + 20*(4*k)*(4*k)*(4*k)
	}
	return 10 * p * p * p
}

// tooFew says that an m×d matrix has not k+1 eigenvalues.
func tooFew(k, m, d int) error {
	return fmt.Errorf("%d eigenvectors and one eigenvalue more need as many rows and columns, of %d × %d", k, m, d)
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

// decompose approximates the leading eigensystem of K, k eigenvectors, by the named decomposition of m of its rows.
func (g *gram) decompose(decomposition string, k, m int) (eigensystem, error) {
	if decomposition == "nystrom" {
		return g.nsvd(k, m)
	}
	return g.eigensystem(k, sketchOf(k), m)
}

// eigensystem approximates the leading eigensystem of K from m of its rows and a sketch of p columns: those of
// K(X_M, X) have the right singular vectors of K, and its singular values times √(m/n) [ma2017 App. A].
func (g *gram) eigensystem(k, p, m int) (eigensystem, error) {
	n := g.x.Rows
	rows := g.subsample(m)
	a := g.rows(rows)
	defer g.p.Engine.Release(a)
	s, err := rsvd(g.p.Engine, a, k, p, compute.NewStream(g.p.Seed, "sketch", 0))
	for i, v := range s.values {
		s.values[i] = math.Sqrt(v * float64(n) / float64(len(rows)))
	}
	return s, err
}

// nsvd approximates the leading eigensystem of K from k(X_M, X_M) of m rows, whose eigenvalues are those of K times
// m/n: NSVD of ma2017 App. A as the authors' TensorFlow code has it, which takes it for 1e5 rows and more.
func (g *gram) nsvd(k, m int) (eigensystem, error) {
	rows := g.subsample(m)
	x := g.x.Select(rows)
	s, err := nsvd(g.p.Engine, g.p.Engine.KernelMatrix(g.p.Kernel, x, x), g.k.(compute.Selectable).Select(rows), k, 1e-7)
	for i := range s.values {
		s.values[i] *= float64(g.x.Rows) / float64(len(rows))
	}
	return s, err
}

// subsample returns m rows, all of them if m is larger or zero, drawn without replacement.
func (g *gram) subsample(m int) []int {
	n := g.x.Rows
	if m == 0 {
		m = n
	}
	return compute.NewStream(g.p.Seed, "subsample", 0).Perm(n)[:min(m, n)]
}

// decompositionCost is the arithmetic of the named decomposition of m rows of d columns.
func decompositionCost(decomposition string, k, m, d float64) float64 {
	if decomposition == "nystrom" {
		return leadingCost(m, k+1) + 2*m*d*k + 4*d*k*k
	}
	return 8*m*d*(k+1) + 12*d*(k+1)*(k+1)
}
