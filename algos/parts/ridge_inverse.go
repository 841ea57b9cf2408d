package parts

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"repro/algos/compute"
)

// A RidgeInverse is the inverse of A_t = λI + Σ_{s≤t} v_s v_sᵀ, updated by the formula of Sherman and Morrison,
//
//	A_t⁻¹ = A_{t-1}⁻¹ - (A_{t-1}⁻¹ v_t)(A_{t-1}⁻¹ v_t)ᵀ/(1 + v_tᵀ A_{t-1}⁻¹ v_t).
//
// The outer products of a few rounds wait and are subtracted in one pass over the triangle. Errors of rounding grow with the
// rounds, so A is kept too: every checkRounds rounds A⁻¹ is held against it, and computed anew from a Cholesky factor if it
// has drifted.
type RidgeInverse struct {
	*RidgeInverseState
	engine *compute.Engine
	r      int
}

// RidgeInverseState is the state of a RidgeInverse.
type RidgeInverseState struct {
	Rounds  int64
	Inverse []float64 // of A without the waiting rounds, a packed triangle
	A       []float64 // likewise
	Q, V    []float64 // of the waiting rounds, row by row: A⁻¹v/√(1 + vᵀA⁻¹v), and v
	Renewed int64     // times that A⁻¹ was computed anew
}

const (
	waitingRounds = 16
	checkRounds   = 4096

	// maxDrift is the Drift beyond which A⁻¹ is computed anew.
	maxDrift = 1e-11
)

// NewRidgeInverse returns A_0⁻¹ = I/λ of dimension r, which it keeps in a state of the caller.
func NewRidgeInverse(e *compute.Engine, r int, lambda float64, state *RidgeInverseState) *RidgeInverse {
	f := &RidgeInverse{state, e, r}
	inverse, a := compute.NewSymmetric(r), compute.NewSymmetric(r)
	for i := range r {
		inverse.Row(i)[0], a.Row(i)[0] = 1/lambda, lambda
	}
	f.Inverse, f.A = inverse.Data, a.Data
	return f
}

// OpenRidgeInverse returns the inverse of dimension r that a state holds.
func OpenRidgeInverse(e *compute.Engine, r int, state *RidgeInverseState) *RidgeInverse {
	return &RidgeInverse{state, e, r}
}

func (f *RidgeInverse) inverse() compute.Symmetric { return compute.Symmetric{N: f.r, Data: f.Inverse} }
func (f *RidgeInverse) a() compute.Symmetric       { return compute.Symmetric{N: f.r, Data: f.A} }

// Apply writes A⁻¹ v to p.
func (f *RidgeInverse) Apply(p, v []float64) {
	f.engine.SymMulVec(p, f.inverse(), v)
	q := f.waiting(f.Q)
	for j := range q.Rows {
		floats.AddScaled(p, -floats.Dot(q.Row(j), v), q.Row(j))
	}
}

func (f *RidgeInverse) waiting(data []float64) compute.Matrix { return View(data, f.r) }

// Add adds v vᵀ to A, where p = A⁻¹ v before that.
func (f *RidgeInverse) Add(v, p []float64) {
	scale := 1 / math.Sqrt(1+floats.Dot(v, p))
	f.V = append(f.V, v...)
	for _, x := range p {
		f.Q = append(f.Q, scale*x)
	}
	f.Rounds++
	if len(f.V) < waitingRounds*f.r {
		return
	}
	f.engine.SymAddOuter(f.inverse(), -1, f.waiting(f.Q))
	f.engine.SymAddOuter(f.a(), 1, f.waiting(f.V))
	f.Q, f.V = f.Q[:0], f.V[:0]
	if f.Rounds%checkRounds == 0 && f.Drift(v) > maxDrift {
		f.renew()
	}
}

// Drift returns |A A⁻¹ v - v|/|v|, the error of A⁻¹ at v. No rounds may wait.
func (f *RidgeInverse) Drift(v []float64) float64 {
	p, back := make([]float64, f.r), make([]float64, f.r)
	f.engine.SymMulVec(p, f.inverse(), v)
	f.engine.SymMulVec(back, f.a(), p)
	floats.Sub(back, v)
	return floats.Norm(back, 2) / floats.Norm(v, 2)
}

// renew computes A⁻¹ anew.
func (f *RidgeInverse) renew() {
	dense := mat.NewSymDense(f.r, nil)
	for i := range f.r {
		for j, v := range f.a().Row(i) {
			dense.SetSym(i, i+j, v)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(dense) {
		return // A is singular to rounding: its inverse so far is as good as any
	}
	var inverse mat.SymDense
	if chol.InverseTo(&inverse) != nil {
		return
	}
	for i := range f.r {
		row := f.inverse().Row(i)
		for j := range row {
			row[j] = inverse.At(i, i+j)
		}
	}
	f.Renewed++
}
