package compute

import (
	"math"

	"repro/algos/compute/internal/simd"
)

// orthonormalPanel is the number of columns that Orthonormal reflects one by one before it reflects the others. The bits of
// results depend on it.
const orthonormalPanel = 32

// Orthonormal replaces the columns of y, n×k with n ≥ k, by the orthonormal columns of Q in y = QR, as LAPACK's dgeqrf and
// dorgqr do: blocks of Householder reflections [Golub & Van Loan 2013, Sec. 5.2.3]. It computes in float64 whatever the
// engine's precision. The counters do not include it. It panics if n < k.
func (e *Engine) Orthonormal(y Matrix) {
	n, k := y.Rows, y.Cols
	if n < k {
		panic("compute: Orthonormal: there must be at least as many rows as columns")
	}
	rows := e.Unset(k, n) // the columns of y
	e.transpose(rows, y)
	tau := e.geqrf(rows)
	q := e.Zeroed(k, n)
	for i := range k {
		q.Set(i, i, 1)
	}
	for start := (k - 1) / reflectionPanel * reflectionPanel; start >= 0 && k > 0; start -= reflectionPanel {
		end := min(start+reflectionPanel, k)
		e.reflect(q.RowRange(start, k).ColRange(start, n), rows.RowRange(start, end).ColRange(start, n), tau[start:end], true)
	}
	e.transpose(y, q)
	e.Reuse(rows)
	e.Reuse(q)
}

// geqrf replaces row j of a, from entry j on, by the reflection v_j that leaves nothing of column j of aᵀ below entry j, and
// returns their τ_j. What a then holds of R is before the v_j.
func (e *Engine) geqrf(a Matrix) (tau []float64) {
	k, n := a.Rows, a.Cols
	tau = make([]float64, k)
	x, dots := make([]float64, n+simd.Interleave), make([]float64, orthonormalPanel)
	for start := 0; start < k; start += orthonormalPanel {
		end := min(start+orthonormalPanel, k)
		for j := start; j < end; j++ {
			v := a.Row(j)[j:]
			_, tau[j] = reflection(v)
			if j+1 == end || tau[j] == 0 {
				continue
			}
			clear(x[copy(x, v):])
			e.rowDots(dots[:end-j-1], a.RowRange(j+1, end).ColRange(j, n), x)
			for i := j + 1; i < end; i++ {
				simd.AddScaled(a.Row(i)[j:], v, -tau[j]*dots[i-j-1])
			}
		}
		if end == k {
			break
		}
		e.reflect(a.RowRange(end, k).ColRange(start, n), a.RowRange(start, end).ColRange(start, n), tau[start:end], false)
	}
	return tau
}

// rowDots sets dst_i to the inner product of row i of a with v. Beyond a's columns v has simd.Interleave zeros.
func (e *Engine) rowDots(dst []float64, a Matrix, v []float64) {
	simd.RowDots(dst, 1, a.Data, a.Stride, nil, a.Rows, v, 1, a.Cols, e.double.sums.get(simd.Interleave*a.Rows))
}

// transpose sets dst to srcᵀ.
func (e *Engine) transpose(dst, src Matrix) {
	const rows = 48
	e.parallel((src.Rows+rows-1)/rows, src.Rows*src.Cols, func(job int) {
		lo, hi := job*rows, min((job+1)*rows, src.Rows)
		for j := 0; j < src.Cols; j += rows {
			simd.Transpose(dst.Data[j*dst.Stride+lo:], dst.Stride, src.Data[lo*src.Stride+j:], src.Stride, hi-lo, min(rows, src.Cols-j))
		}
	})
}

// reflectionPanel is the number of reflections that are applied together where all of them are known. The bits of results
// depend on it.
const reflectionPanel = 144

// leastSquares is the smallest sum of squares whose terms reflection does not scale.
const leastSquares = 0x1p-800

// reflection replaces x by v, v_0 = 1, such that (I - τvvᵀ)x = (β, 0, …, 0), and returns β and τ, as LAPACK's dlarfg does. τ is 0
// if x has that form already.
func reflection(x []float64) (beta, tau float64) {
	scale, rest := 1.0, 0.0
	for _, v := range x[1:] {
		rest += v * v
	}
	if rest < leastSquares { // squares lose digits
		largest := 0.0
		for _, v := range x[1:] {
			largest = max(largest, math.Abs(v))
		}
		if largest == 0 {
			beta, x[0] = x[0], 1
			return beta, 0
		}
		_, exponent := math.Frexp(max(largest, math.Abs(x[0])))
		scale, rest = math.Ldexp(1, exponent), 0
		for i, v := range x[1:] {
			x[1+i] = math.Ldexp(v, -exponent)
			rest += x[1+i] * x[1+i]
		}
	}
	alpha := x[0] / scale
	beta = -math.Copysign(math.Hypot(alpha, math.Sqrt(rest)), alpha)
	for i := range x[1:] {
		x[1+i] /= alpha - beta
	}
	x[0] = 1
	return beta * scale, (beta - alpha) / beta
}

// reflect replaces the rows of y by those of yQ, or of yQᵀ if transpose, for the product of reflections
//
//	Q = H_0 H_1 … H_{m-1} = I - VᵀTV,  H_i = I - τ_i v_i v_iᵀ,
//
// with v_i in row i of V, from entry i on, and T upper triangular [Schreiber & Van Loan 1989]. It does not read the entries
// before those.
func (e *Engine) reflect(y, vectors Matrix, tau []float64, transpose bool) {
	m := len(tau)
	v := e.Zeroed(m, vectors.Cols)
	for i := range m {
		copy(v.Row(i)[i:], vectors.Row(i)[i:])
	}
	gram, t := e.Unset(m, m), e.Zeroed(m, m)
	e.multiply(gram, 1, v, false, v, true, 0)
	for j := range m { // column j of T: τ_j in row j, above it -τ_j T (V v_j)
		for i := range j {
			s := 0.0
			for l := i; l < j; l++ {
				s += t.At(i, l) * gram.At(l, j)
			}
			t.Set(i, j, -tau[j]*s)
		}
		t.Set(j, j, tau[j])
	}
	products, weighted := e.Unset(y.Rows, m), e.Unset(y.Rows, m)
	e.multiply(products, 1, y, false, v, true, 0)
	e.multiply(weighted, 1, products, false, t, transpose, 0)
	e.multiply(y, -1, weighted, false, v, false, 1)
	for _, done := range []Matrix{v, gram, t, products, weighted} {
		e.Reuse(done)
	}
}
