package compute

import "gonum.org/v1/gonum/floats"

// A Symmetric is a symmetric matrix of which the upper triangle is stored, row after row without gaps: half the memory of a
// Matrix, and half the reading in a product with a vector.
type Symmetric struct {
	N    int
	Data []float64 // N(N+1)/2 numbers: row i begins with the diagonal
}

// NewSymmetric returns a symmetric matrix of zeros.
func NewSymmetric(n int) Symmetric { return Symmetric{n, make([]float64, n*(n+1)/2)} }

// Row returns row i from the diagonal on.
func (a Symmetric) Row(i int) []float64 {
	start := i*a.N - i*(i-1)/2
	return a.Data[start : start+a.N-i]
}

// SymMulVec computes y = A x. It reads the triangle once.
func (e *Engine) SymMulVec(y []float64, a Symmetric, x []float64) {
	clear(y)
	for i := range a.N {
		row := a.Row(i)
		y[i] += row[0]*x[i] + floats.Dot(row[1:], x[i+1:])
		floats.AddScaled(y[i+1:], x[i], row[1:])
	}
	e.countSymmetric(a, 1, 1)
}

// SymAddOuter adds alpha·Σ_j v_j v_jᵀ over the rows v_j of v to A. It reads and writes the triangle once, however many rows
// there are.
func (e *Engine) SymAddOuter(a Symmetric, alpha float64, v Matrix) {
	for i := range a.N {
		row := a.Row(i)
		for j := range v.Rows {
			u := v.Row(j)
			floats.AddScaled(row, alpha*u[i], u[i:])
		}
	}
	e.countSymmetric(a, v.Rows, 2)
}

// countSymmetric counts operations with every number of the triangle and its transpose, and passes over it.
func (e *Engine) countSymmetric(a Symmetric, columns, passes int) {
	n := int64(a.N)
	e.counters.Flops += 2 * n * n * int64(columns)
	e.counters.Bytes += 8*int64(passes)*int64(len(a.Data)) + 16*n*int64(columns)
}
