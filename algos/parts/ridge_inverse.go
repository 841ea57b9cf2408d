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
// The outer products of waitingRounds rounds wait and are subtracted in one pass over the triangle. Errors of rounding grow
// with the rounds, so A is kept too, updated every summedRounds rounds: every checkRounds rounds A⁻¹ is held against it, and
// computed anew from a Cholesky factor if it has drifted.
type RidgeInverse struct {
	*RidgeInverseState
	engine  *compute.Engine
	r       int
	v, p, t []float64
}

// RidgeInverseState is the state of a RidgeInverse.
type RidgeInverseState struct {
	Rounds  int64
	Inverse []float64 // of A without the waiting rounds, a compute.Symmetric
	A       []float64 // without the rounds of V, likewise
	Q, V    []float64 // compute.Rows: A⁻¹v/√(1 + vᵀA⁻¹v) of the last Rounds mod waitingRounds rounds, v of Rounds mod summedRounds
	Renewed int64     // times that A⁻¹ was computed anew
}

// Each number is a multiple of the one before.
const (
	waitingRounds = 16
	summedRounds  = 64
	checkRounds   = 4096

	// maxDrift is the Drift beyond which A⁻¹ is computed anew.
	maxDrift = 1e-11
)

// RidgeInverseNumbers returns how many numbers the state of a RidgeInverse of dimension r holds, but for those that fill bricks.
func RidgeInverseNumbers(r float64) float64 { return r*(r+1) + (waitingRounds+summedRounds)*r }

// NewRidgeInverse returns A_0⁻¹ = I/λ of dimension r, which it keeps in a state of the caller.
func NewRidgeInverse(e *compute.Engine, r int, lambda float64, state *RidgeInverseState) *RidgeInverse {
	*state = RidgeInverseState{
		Inverse: compute.NewSymmetric(r).Data,
		A:       compute.NewSymmetric(r).Data,
		Q:       compute.NewRows(waitingRounds, r).Data,
		V:       compute.NewRows(summedRounds, r).Data,
	}
	f := OpenRidgeInverse(e, r, state)
	for i := range r {
		f.inverse().Set(i, i, 1/lambda)
		f.a().Set(i, i, lambda)
	}
	return f
}

// OpenRidgeInverse returns the inverse of dimension r that a state holds.
func OpenRidgeInverse(e *compute.Engine, r int, state *RidgeInverseState) *RidgeInverse {
	n := compute.Whole(r)
	space := make([]float64, 2*n+waitingRounds)
	return &RidgeInverse{state, e, r, space[:n], space[n : 2*n], space[2*n:]}
}

func (f *RidgeInverse) inverse() compute.Symmetric { return compute.Symmetric{N: f.r, Data: f.Inverse} }
func (f *RidgeInverse) a() compute.Symmetric       { return compute.Symmetric{N: f.r, Data: f.A} }
func (f *RidgeInverse) q() compute.Rows            { return compute.Rows{N: f.r, Data: f.Q} }
func (f *RidgeInverse) vs() compute.Rows           { return compute.Rows{N: f.r, Data: f.V} }

// Apply writes A⁻¹ v to p.
func (f *RidgeInverse) Apply(p, v []float64) {
	copy(f.v, v)
	f.engine.SymMulVec(f.p, f.inverse(), f.v)
	if waiting := int(f.Rounds % waitingRounds); waiting > 0 {
		t := f.t[:compute.Whole(waiting)]
		f.engine.RowsMulVec(t, f.q(), f.v)
		clear(t[waiting:])
		floats.Scale(-1, t)
		f.engine.RowsAddTo(f.p, f.q(), t)
	}
	copy(p, f.p)
}

// Add adds v vᵀ to A, where p = A⁻¹ v before that.
func (f *RidgeInverse) Add(v, p []float64) {
	f.q().Set(int(f.Rounds%waitingRounds), 1/math.Sqrt(1+floats.Dot(v, p)), p)
	f.vs().Set(int(f.Rounds%summedRounds), 1, v)
	f.Rounds++
	if f.Rounds%waitingRounds == 0 {
		f.engine.SymAddOuter(f.inverse(), f.q(), true)
	}
	if f.Rounds%summedRounds == 0 {
		f.engine.SymAddOuter(f.a(), f.vs(), false)
	}
	if f.Rounds%checkRounds == 0 && f.drift(v) > maxDrift {
		f.renew()
	}
}

// drift returns |A A⁻¹ v - v|/|v|, the error of A⁻¹ at v. No rounds may wait.
func (f *RidgeInverse) drift(v []float64) float64 {
	copy(f.v, v)
	f.engine.SymMulVec(f.p, f.inverse(), f.v)
	f.engine.SymMulVec(f.v, f.a(), f.p)
	return floats.Distance(f.v[:f.r], v, 2) / floats.Norm(v, 2)
}

// renew computes A⁻¹ anew.
func (f *RidgeInverse) renew() {
	dense := mat.NewSymDense(f.r, nil)
	for i := range f.r {
		for j := i; j < f.r; j++ {
			dense.SetSym(i, j, f.a().At(i, j))
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
		for j := i; j < f.r; j++ {
			f.inverse().Set(i, j, inverse.At(i, j))
		}
	}
	f.Renewed++
}
