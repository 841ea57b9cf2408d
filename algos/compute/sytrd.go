package compute

import (
	"math"
	"slices"

	lapackgonum "gonum.org/v1/gonum/lapack/gonum"

	"repro/algos/compute/internal/simd"
)

// tridiagonalPanel is the number of reflections that sytrd collects before it applies them to the rest of the matrix. The bits
// of results depend on it.
const tridiagonalPanel = 32

// A tridiagonal is a symmetric tridiagonal matrix: its diagonal, and the n-1 entries next to it.
type tridiagonal struct{ diagonal, off []float64 }

// sytrd reduces the symmetric n×n matrix A = QTQᵀ to tridiagonal form, as LAPACK's dsytrd does
// [Golub & Van Loan 2013, Sec. 8.3.1; blocked: Dongarra, Sorensen & Hammarling 1989]. It reads and overwrites A: row k of the
// upper triangle then holds v_k from column k+1 on, where Q = H_0 H_1 … H_{n-2} and H_k = I - τ_k v_k v_kᵀ.
//
// Half of the work is a product of the rest of A with a vector for each k, which reads its upper triangle once. The other
// half is A - VWᵀ - WVᵀ for each panel of reflections.
func (e *Engine) sytrd(a Matrix) (t tridiagonal, tau []float64) {
	n := a.Rows
	t = tridiagonal{make([]float64, n), make([]float64, max(n-1, 0))}
	tau = make([]float64, max(n-1, 0))
	vw, wv := e.Unset(2*tridiagonalPanel, n), e.Unset(2*tridiagonalPanel, n) // V over W, and W over V
	defer func() {
		e.Reuse(vw)
		e.Reuse(wv)
	}()
	coefficients := make([]float64, 2*tridiagonalPanel)
	v := make([]float64, n+simd.Interleave)
	for start := 0; start < n; start += tridiagonalPanel {
		end := min(start+tridiagonalPanel, n)
		size := end - start
		panel, turned := vw.RowRange(0, 2*size), wv.RowRange(0, 2*size)
		panel.Zero()
		for k := start; k < end; k++ {
			row, j := a.Row(k)[k:], k-start
			for i := range j {
				simd.AddScaled(row, panel.Row(size + i)[k:], -panel.At(i, k))
				simd.AddScaled(row, panel.Row(i)[k:], -panel.At(size+i, k))
			}
			t.diagonal[k] = row[0]
			if k == n-1 {
				break
			}
			x := row[1:]
			t.off[k], tau[k] = reflection(x)
			copy(panel.Row(j)[k+1:], x)
			w := panel.Row(size + j)[k+1:]
			if tau[k] == 0 {
				continue
			}
			e.reflected(w, a.RowRange(k+1, n).ColRange(k+1, n), panel.RowRange(0, j).ColRange(k+1, n), panel.RowRange(size, size+j).ColRange(k+1, n), x, tau[k], v, coefficients)
		}
		if end == n {
			break
		}
		for i := range size {
			copy(turned.Row(i), panel.Row(size+i))
			copy(turned.Row(size+i), panel.Row(i))
		}
		rest := a.RowRange(end, n).ColRange(end, n)
		e.gemm(Float64, rest, -1, operandOf(panel.ColRange(end, n), false), operandOf(turned.ColRange(end, n), false), 1, true)
	}
	return t, tau
}

// reflected sets w to what the reflection I - τxxᵀ of A - VWᵀ - WVᵀ adds to W, for the rows vs of V and ws of W so far. v and
// coefficients are scratch; v has simd.Interleave numbers more than x.
func (e *Engine) reflected(w []float64, a, vs, ws Matrix, x []float64, tau float64, v, coefficients []float64) {
	clear(v[copy(v, x):][:simd.Interleave])
	e.symv(w, a, v)
	if j := vs.Rows; j > 0 {
		// w = τ(Av - V(Wᵀv) - W(Vᵀv)): coefficients of V come from W, and the other way round.
		e.rowDots(coefficients[:j], ws, v)
		e.rowDots(coefficients[j:2*j], vs, v)
		for i := range j {
			simd.AddScaled(w, vs.Row(i), -coefficients[i])
			simd.AddScaled(w, ws.Row(i), -coefficients[j+i])
		}
	}
	for i := range w {
		w[i] *= tau
	}
	e.rowDots(coefficients[:1], Matrix{1, len(w), len(w), w}, v)
	simd.AddScaled(w, x, -tau/2*coefficients[0])
}

// rowDots sets dst_i to the inner product of row i of a with v. Beyond a's columns v has simd.Interleave zeros.
func (e *Engine) rowDots(dst []float64, a Matrix, v []float64) {
	simd.RowDots(dst, 1, a.Data, a.Stride, nil, a.Rows, v, 1, a.Cols, e.double.sums.get(simd.Interleave*a.Rows))
}

// Of symv: rows that are read together, the number of rows from which on they are divided among jobs, and the number of
// these. The bits of results depend on them.
const (
	symvRows   = 8
	symvShared = 384
	symvJobs   = 4
)

// symv sets y to Ax for the symmetric matrix A, of which it reads the upper triangle, once. Beyond A's columns x has
// simd.Interleave zeros.
func (e *Engine) symv(y []float64, a Matrix, x []float64) {
	n := a.Rows
	jobs := symvJobs
	if n < symvShared {
		jobs = 1
	}
	size := n + simd.Interleave*symvRows
	space := e.double.evaluated.get(jobs * size)
	e.parallel(jobs, n*n, func(job int) {
		sum, scratch := space[job*size:][:n], space[job*size+n:][:size-n]
		clear(sum)
		for lo := job * symvRows; lo < n; lo += jobs * symvRows {
			hi := min(lo+symvRows, n)
			var dots [symvRows]float64
			if right := a.RowRange(lo, hi).ColRange(hi, n); hi < n {
				simd.RowDots(dots[:], 1, right.Data, a.Stride, nil, right.Rows, x[hi:], 1, right.Cols, scratch)
			}
			for i := lo; i < hi; i++ {
				row := a.Row(i)
				sum[i] += dots[i-lo] + row[i]*x[i]
				for j := i + 1; j < hi; j++ {
					sum[i] += row[j] * x[j]
					sum[j] += row[j] * x[i]
				}
				if hi < n {
					simd.AddScaled(sum[hi:], row[hi:], x[i])
				}
			}
		}
	})
	copy(y, space[:n])
	for job := 1; job < jobs; job++ {
		simd.AddScaled(y, space[job*size:][:n], 1)
	}
}

// ormtr replaces the rows of y, r×n, by yQᵀ, for the Q of sytrd in a and tau: eigenvectors of T in rows become eigenvectors of
// A.
func (e *Engine) ormtr(y, a Matrix, tau []float64) {
	n := a.Rows
	for start := (len(tau) - 1) / reflectionPanel * reflectionPanel; start >= 0 && len(tau) > 0; start -= reflectionPanel {
		end := min(start+reflectionPanel, len(tau))
		e.reflect(y.ColRange(start+1, n), a.RowRange(start, end).ColRange(start+1, n), tau[start:end], true)
	}
}

// Syevd returns all eigenvalues λ_1 ≥ … ≥ λ_n of a symmetric matrix, n×n, and the eigenvectors of the first k in the columns of a
// matrix. It computes in float64 whatever the engine's precision, and overwrites a. With k = 0 it computes no eigenvectors.
// It is LAPACK's dsyevd with a dsytrd before and a dormtr after it: reduction to tridiagonal form, divide and conquer, and the
// reflections backwards.
//
// With ε = 2⁻⁵³ the entries of AV - VΛ and of VᵀV - I are below 4√n ε‖A‖₁ and 8√n ε in all cases tested: LAPACK's own families
// of hard matrices.
//
// ok is false if the matrix has an entry that is not finite, or if the QL iteration of a small part does not converge. The
// counters do not include a factorisation. Syevd panics unless 0 ≤ k ≤ n.
func (e *Engine) Syevd(a Matrix, k int) (values []float64, vectors Matrix, ok bool) {
	n := a.Rows
	mustShape("Syevd", a, n, n)
	if k < 0 || k > n {
		panic("compute: Syevd: the number of eigenvectors must be between 0 and that of rows")
	}
	if !a.Finite() {
		return nil, Matrix{}, false
	}
	return e.device.Syevd(a, k)
}

// Syevd implements Device.
func (h *host) Syevd(a Matrix, k int) (values []float64, vectors Matrix, ok bool) {
	return (*Engine)(h).syevd(a, k)
}

func (e *Engine) syevd(a Matrix, k int) (values []float64, vectors Matrix, ok bool) {
	n := a.Rows
	scale := normalise(a)
	t, tau := e.sytrd(a)
	var rows Matrix
	if k == 0 {
		values = t.diagonal
		ok = n == 0 || lapackgonum.Implementation{}.Dsterf(n, values, t.off)
	} else if values, rows, ok = e.stedc(t); ok {
		slices.Reverse(values)
		last := e.Unset(k, n)
		for i := range k {
			copy(last.Row(i), rows.Row(n-1-i))
		}
		e.Reuse(rows)
		e.ormtr(last, a, tau)
		vectors = e.Unset(n, k)
		e.transpose(vectors, last)
		e.Reuse(last)
	}
	if k == 0 {
		slices.Reverse(values)
	}
	for i := range values {
		values[i] *= scale
	}
	return values, vectors, ok
}

// normalise divides a by a power of two, so that its largest entry is between 1/2 and 1, and returns the power. It leaves a
// matrix of zeros as it is.
func normalise(a Matrix) float64 {
	largest := 0.0
	for i := range a.Rows {
		for _, v := range a.Row(i) {
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		return 1
	}
	_, exponent := math.Frexp(largest)
	// In two steps, because 2^-exponent may not be a number.
	half := exponent / 2
	for _, s := range []float64{math.Ldexp(1, -half), math.Ldexp(1, half-exponent)} {
		a.Scale(s)
	}
	return math.Ldexp(1, exponent)
}
