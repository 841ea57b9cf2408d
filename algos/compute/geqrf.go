package compute

import "repro/algos/compute/internal/simd"

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
	defer func(c Counters) { e.counters = c }(e.counters)
	e.InDouble(func() {
		rows := e.Unset(k, n) // the columns of y
		e.transpose(rows, y)
		tau := e.geqrf(rows)
		q := e.Zeroed(k, n)
		for i := range k {
			q.Set(i, i, 1)
		}
		for start := (k - 1) / reflectionPanel * reflectionPanel; start >= 0 && k > 0; start -= reflectionPanel {
			end := min(start+reflectionPanel, k)
			v := e.Zeroed(end-start, n-start)
			for j := start; j < end; j++ {
				copy(v.Row(j - start)[j-start:], rows.Row(j)[j:])
			}
			h := e.together(v, tau[start:end])
			h.apply(q.RowRange(start, k).ColRange(start, n), true)
			h.release()
		}
		e.transpose(y, q)
		e.Reuse(rows)
		e.Reuse(q)
	})
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
		v := e.Zeroed(end-start, n-start)
		for j := start; j < end; j++ {
			copy(v.Row(j - start)[j-start:], a.Row(j)[j:])
		}
		h := e.together(v, tau[start:end])
		h.apply(a.RowRange(end, k).ColRange(start, n), false)
		h.release()
	}
	return tau
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
