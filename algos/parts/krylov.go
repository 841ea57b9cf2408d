package parts

import (
	"math"

	"repro/algos/compute"
)

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

// ritz returns the k largest eigenvalues of the first m rows and columns of t in descending order, and their
// eigenvectors.
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
