package parts

import (
	"errors"
	"fmt"
	"math"

	"repro/algos/compute"
)

// An Eigensystem is the leading part of the spectrum of a positive semidefinite operator: the eigenvalues
// λ_1 ≥ … ≥ λ_{k+1} and the orthonormal eigenvectors of the first k. A preconditioner is made of it.
type Eigensystem struct {
	Values  []float64      // k+1 of them
	Vectors compute.Matrix // d×k
}

// First returns λ_1, or 0 for the zero Eigensystem.
func (s Eigensystem) First() float64 {
	if len(s.Values) == 0 {
		return 0
	}
	return s.Values[0]
}

// RSVD approximates the leading eigensystem of AᵀA for an operator A, M×d, from a Gaussian sketch of A: RSVD of ma2017 App. A. The caller
// applies its factor for the subsample. The sketch R has min(p, M, d) columns, and there are no power iterations:
//
//	Y = AR,  W = orth(Y),  B = WᵀA,  BBᵀ = UΣ²Uᵀ,  vectors BᵀUΣ⁻¹, eigenvalues Σ²
//
// [Halko, Martinsson & Tropp 2011]. The SVD of B is computed from the p×p eigenproblem of BBᵀ, which loses the singular
// values below 1e-8 of the first. No preconditioner needs them.
func RSVD(e *compute.Engine, a compute.Operator, k, p int, s *compute.Stream) (Eigensystem, error) {
	m, d := a.Dims()
	if p = min(p, m, d); p < k+1 {
		return Eigensystem{}, tooFew(k, m, d)
	}
	sketch, y, gram := e.Zeroed(d, p), e.Zeroed(m, p), e.Zeroed(p, p)
	defer func() {
		e.Reuse(sketch)
		e.Reuse(y)
		e.Reuse(gram)
	}()
	for i := range sketch.Data {
		sketch.Data[i] = s.Normal()
	}
	a.MulTo(y, sketch)
	if !y.Finite() {
		return Eigensystem{}, errors.New("a kernel value is not a finite number")
	}
	b := sketch // transposed; of the same size as R, which is no longer needed
	a.MulTransTo(b, orthonormal(e, y))

	e.Syrk(gram, 1, b, true, 0)
	values, u, err := leadingAndNext(e, gram, k, 1e-14) // where the rounding of squares begins
	if err != nil {
		return Eigensystem{}, err
	}
	for i := range u.Rows {
		for j, v := range u.Row(i) {
			u.Set(i, j, v/math.Sqrt(values[j]))
		}
	}
	return Eigensystem{values, e.Mul(b, u, false)}, nil
}

// NSVD approximates the leading eigensystem of AᵀA for an operator A, M×d, from G, M×M: NSVD of ma2017 App. A. The caller
// applies its factors for the subsample.
//
//	G = VΛVᵀ,  vectors orth(Aᵀv_1, …, Aᵀv_k), eigenvalues Λ
//
// [Williams & Seeger 2001]. For features G = AAᵀ, as in the paper: the result is exact, and orth only removes rounding
// errors. For a kernel A = K(X_M, X) and G = K(X_M, X_M): Aᵀv_i are the values at all rows X of eigenfunctions of the
// subsample, which are orthogonal as functions but not as vectors, and Λ(n/M) stands for the eigenvalues of K.
// Eigenvalues below the fraction least of the first are rounding errors.
func NSVD(e *compute.Engine, gram compute.Matrix, a compute.Operator, k int, least float64) (Eigensystem, error) {
	m, d := a.Dims()
	if min(m, d) < k+1 {
		return Eigensystem{}, tooFew(k, m, d)
	}
	values, v, err := leadingAndNext(e, gram, k, least)
	if err != nil {
		return Eigensystem{}, err
	}
	extended := compute.NewMatrix(d, k)
	a.MulTransTo(extended, v)
	return Eigensystem{values, orthonormal(e, extended)}, nil
}

// leadingAndNext returns the k+1 largest eigenvalues of a symmetric matrix and the eigenvectors of the first k. It returns
// an error if one of them is below the fraction least of the first, where rounding errors begin.
func leadingAndNext(e *compute.Engine, a compute.Matrix, k int, least float64) (values []float64, vectors compute.Matrix, err error) {
	values, vectors, err = Leading(e, a, k+1, least)
	if have := len(values); err == nil && have < k+1 {
		err = fmt.Errorf("eigenvalue %d is below 1e-7 of the first, where rounding errors begin: take fewer than %d eigenvectors", have+1, have)
	}
	if err != nil {
		return nil, compute.Matrix{}, err
	}
	return values, vectors.ColRange(0, k), nil
}

// Leading returns the k largest eigenvalues of a symmetric matrix in descending order, and their eigenvectors. Eigenvalues
// up to the fraction least of the first are left out.
func Leading(e *compute.Engine, a compute.Matrix, k int, least float64) (values []float64, vectors compute.Matrix, err error) {
	p := a.Rows
	if !a.Finite() {
		return nil, compute.Matrix{}, errors.New("a kernel value is not a finite number")
	}
	k = min(k, p)
	found := false
	if FewOf(p, k) {
		multiply := func(dst, v compute.Matrix) { e.Gemm(dst, 1, a, false, v, false, 0) }
		values, vectors, found = krylov(e, p, multiply, k, compute.NewStream(0, "krylov", 0))
	}
	if !found {
		if values, vectors, err = Symmetric(e, a.Clone(), k); err != nil {
			return nil, compute.Matrix{}, err
		}
		values = values[:k]
	}
	for j, l := range values {
		if !(l > least*values[0]) {
			values = values[:j]
			break
		}
	}
	return values, vectors.ColRange(0, len(values)), nil
}

// Symmetric returns all eigenvalues of a symmetric matrix in descending order and the eigenvectors of the first k, as
// compute.Engine.Syevd does. It overwrites a.
func Symmetric(e *compute.Engine, a compute.Matrix, k int) (values []float64, vectors compute.Matrix, err error) {
	values, vectors, ok := e.Syevd(a, k)
	if !ok {
		return nil, compute.Matrix{}, fmt.Errorf("the eigendecomposition of a %d×%d matrix did not converge", a.Rows, a.Rows)
	}
	return values, vectors, nil
}

// tooFew returns the error for an m×d matrix that has fewer than k+1 eigenvalues.
func tooFew(k, m, d int) error {
	return fmt.Errorf("%d eigenvectors and one eigenvalue more need as many rows and columns, of %d × %d", k, m, d)
}

// orthonormal replaces the columns of y by an orthonormal basis of their span. y has at least as many rows as columns.
func orthonormal(e *compute.Engine, y compute.Matrix) compute.Matrix {
	e.Orthonormal(y)
	return y
}

// SketchOf returns the number of columns of a sketch for k eigenvectors, as in the released code of ma2017.
func SketchOf(k int) int { return 2 * (k + 1) }

// SketchOfOne is the number of columns of a sketch for λ_1 only. The released code of ma2017 has 6.
const SketchOfOne = 20

// krylovBlock is the number of columns of a block of krylov: the largest for which the engine multiplies without copying
// the matrix. It is also the largest multiplicity of an eigenvalue that krylov finds. The other two say when krylov is
// used instead of a whole decomposition: its operations grow with p²k, those of a whole decomposition with p³.
const (
	krylovBlock = 12
	krylovRows  = 1000 // p at least
	krylovPart  = 6    // p/k at least
)

// FewOf says whether block Lanczos is used for k eigenvectors of a p×p matrix, instead of a whole decomposition.
func FewOf(p, k int) bool { return p >= krylovRows && p >= krylovPart*k }

// A product sets dst to Av, for a symmetric matrix A.
type product func(dst, v compute.Matrix)

// krylov returns the k largest eigenvalues of a symmetric p×p matrix A in descending order, and their eigenvectors,
// by block Lanczos with full reorthogonalisation [Golub & Underwood 1977; Parlett 1998, Sec. 13.10 to 13.12]:
//
//	Q_1 = orth(Gaussian),  AQ_j - Q(QᵀAQ_j) = Q_(j+1)R_j,  T = QᵀAQ = UΘUᵀ,  vectors QU, eigenvalues Θ
//
// with Q all blocks so far, until ‖Av - θv‖ ≤ 1e-13 θ_1 for all k of them. ok is false if an invariant subspace is met
// first, if p/2 columns do not suffice, or if A is not finite. Another stream s changes the result by rounding errors only.
func krylov(e *compute.Engine, p int, a product, k int, s *compute.Stream) (values []float64, vectors compute.Matrix, ok bool) {
	e.InDouble(func() { values, vectors, ok = growKrylov(e, p, a, k, s) })
	return values, vectors, ok
}

func growKrylov(e *compute.Engine, p int, a product, k int, s *compute.Stream) ([]float64, compute.Matrix, bool) {
	const b, tolerance = krylovBlock, 1e-13
	basis := compute.NewMatrix(p, b)
	for i := range basis.Data {
		basis.Data[i] = s.Normal()
	}
	orthonormal(e, basis)
	q := krylovSpace{p: p}
	q.add(basis)
	var t compute.Matrix // QᵀAQ without the columns of the last block
	w := compute.NewMatrix(p, b)
	for next := 2 * k; q.dim() <= p/2; {
		m := q.dim()
		t = roomFor(t, m)
		if a(w, basis); !w.Finite() {
			return nil, compute.Matrix{}, false
		}
		h := compute.NewMatrix(m, b)
		for range 2 { // the second pass removes what rounding left
			c := e.Mul(q.all(), w, false)
			e.Gemm(w, -1, q.all(), true, c, false, 1)
			h.AddScaled(1, c)
		}
		for i := range m {
			for j := range b {
				t.Set(i, m-b+j, h.At(i, j))
				t.Set(m-b+j, i, h.At(i, j))
			}
		}
		basis = orthonormal(e, w.Clone())
		r := e.Mul(basis, w, true) // R_j
		for i := range b {
			if math.Abs(r.At(i, i)) <= tolerance*math.Abs(t.At(0, 0)) {
				return nil, compute.Matrix{}, false
			}
		}
		if m >= next || m+b > p/2 {
			values, u, err := ritz(e, t, m, k)
			if err != nil {
				return nil, compute.Matrix{}, false
			}
			if residuals := e.Mul(r, u.RowRange(m-b, m), false); largestColumn(residuals) <= tolerance*values[0] {
				return values, e.Mul(q.all(), u, true), true
			}
			next = m + m/4
		}
		q.add(basis)
	}
	return nil, compute.Matrix{}, false
}

// A krylovSpace holds the columns of Q, orthonormal, as rows of p numbers.
type krylovSpace struct {
	p    int
	data []float64
}

func (q *krylovSpace) dim() int { return len(q.data) / q.p }

func (q *krylovSpace) all() compute.Matrix {
	return compute.Matrix{Rows: q.dim(), Cols: q.p, Stride: q.p, Data: q.data}
}

func (q *krylovSpace) add(columns compute.Matrix) {
	for j := range columns.Cols {
		for i := range q.p {
			q.data = append(q.data, columns.At(i, j))
		}
	}
}

// roomFor returns t, or if it has fewer than m rows and columns, a larger matrix that begins with it.
func roomFor(t compute.Matrix, m int) compute.Matrix {
	if m <= t.Rows {
		return t
	}
	larger := compute.NewMatrix(2*m, 2*m)
	for i := range t.Rows {
		copy(larger.Row(i), t.Row(i))
	}
	return larger
}

// ritz returns the k largest eigenvalues of the first m rows and columns of t in descending order, and their eigenvectors.
func ritz(e *compute.Engine, t compute.Matrix, m, k int) ([]float64, compute.Matrix, error) {
	values, vectors, err := Symmetric(e, t.RowRange(0, m).ColRange(0, m).Clone(), k)
	return values[:min(k, len(values))], vectors, err
}

// largestColumn returns the largest norm of a column.
func largestColumn(m compute.Matrix) float64 {
	largest := 0.0
	for j := range m.Cols {
		norm := 0.0
		for i := range m.Rows {
			norm = math.Hypot(norm, m.At(i, j))
		}
		largest = max(largest, norm)
	}
	return largest
}
