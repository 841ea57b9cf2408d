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
// [Golub & Van Loan 2013, Sec. 8.3.1; blocked: Dongarra, Sorensen & Hammarling 1989]. It reads and overwrites the upper triangle of
// A: row k then holds v_k from column k+1 on, where Q = H_0 H_1 … H_{n-2} and H_k = I - τ_k v_k v_kᵀ.
//
// Half of the work is a product of the rest of A with a vector for each k, which reads a triangle once: n³/6 numbers in all, so
// that memory limits its speed. The other half is A - VᵀW - WᵀV for each panel of reflections.
func (e *Engine) sytrd(a Matrix) (t tridiagonal, tau []float64) {
	n, count := a.Rows, bricks(a.Rows)
	t = tridiagonal{make([]float64, n), make([]float64, max(n-1, 0))}
	tau = make([]float64, max(n-1, 0))
	space := e.Unset(1, max(n*n, sizeOfTriangle(n))) // stedc takes it afterwards, for n×n
	rest := e.triangle(a, space.Data)
	vs, ws := Rows{n, e.Unset(tridiagonalPanel, Whole(n)).Data}, Rows{n, e.Unset(tridiagonalPanel, Whole(n)).Data}
	defer func() {
		for _, data := range [][]float64{space.Data, vs.Data, ws.Data} {
			e.Reuse(Matrix{1, len(data), len(data), data})
		}
	}()
	row, v, w := make([]float64, Whole(n)), make([]float64, Whole(n)), make([]float64, Whole(n))
	var ofV, ofW [tridiagonalPanel]float64 // coefficients of the rows of V and W
	for start := 0; start < n; start += tridiagonalPanel {
		end := min(start+tridiagonalPanel, n)
		clear(vs.Data)
		clear(ws.Data)
		for k := start; k < end; k++ {
			j, first := k-start, k/simd.Brick
			before := Whole(j) // whole bricks of rows of V and W; those from row j on are 0
			gatherRow(row[first*simd.Brick:], rest.bricks(first)[k%simd.Brick*simd.Brick:])
			for i := range j {
				ofV[i], ofW[i] = -*ws.at(i, k), -*vs.at(i, k)
			}
			vs.addTo(row, first, ofV[:before])
			ws.addTo(row, first, ofW[:before])
			t.diagonal[k] = row[k]
			if k == n-1 {
				break
			}
			x := row[k+1 : n]
			t.off[k], tau[k] = reflection(x)
			copy(a.Row(k)[k+1:], x)
			v[k] = 0
			copy(v[k+1:], x)
			first = (k + 1) / simd.Brick
			if tau[k] != 0 {
				// w = τ(Av - Vᵀ(Wv) - Wᵀ(Vv)) - cv, with c = τ/2 of the inner product of the rest of it with v.
				e.symMul(w, rest, v, first, k%2 == 1)
				ws.dots(ofV[:before], first, v)
				vs.dots(ofW[:before], first, v)
				for i := range before {
					ofV[i], ofW[i] = -ofV[i], -ofW[i]
				}
				vs.addTo(w, first, ofV[:before])
				ws.addTo(w, first, ofW[:before])
				clear(w[first*simd.Brick : k+1])
				simd.Scale(w[k+1:n], tau[k])
				simd.AddScaled(w[k+1:n], x, -tau[k]/2*Dot(w[k+1:n], x))
				spreadRow(ws.from(j, first), w[first*simd.Brick:])
			}
			spreadRow(vs.from(j, first), v[first*simd.Brick:])
		}
		if end == n {
			break
		}
		first, stride := end/simd.Brick, simd.Brick*Whole(n)
		e.parallel(count-first, (n-end)*(n-end)*tridiagonalPanel, func(i int) {
			p := first + i
			c, ownV, ownW := rest.bricks(p), vs.Data[p*simd.BrickSize:], ws.Data[p*simd.BrickSize:]
			simd.BrickAddOuter(c, ownV, ownW, count-p, tridiagonalPanel/simd.Brick, stride, true)
			simd.BrickAddOuter(c, ownW, ownV, count-p, tridiagonalPanel/simd.Brick, stride, true)
		})
	}
	return t, tau
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
