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
// computed anew from a Cholesky factor if its drift |A A⁻¹v - v|/|v| is too large. A prediction bᵀA⁻¹v/(1 + vᵀA⁻¹v) is off by
// at most |w||v| times the drift, with w = A⁻¹b the weights of ridge regression. After 10⁶ rounds of smooth data with λ = 1 the
// drift is 6·10⁻¹³ for r = 45 and 5·10⁻¹³ for r = 190; the predictions of phi-awv are then off by 3·10⁻⁷ on inputs collinear up to 0.001
// with λ = 10⁻⁶, where A is singular to rounding (BenchmarkRidgeInverseDrift).
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

// Each number of rounds is a multiple of the one before.
const (
	waitingRounds = 16
	summedRounds  = 64
	checkRounds   = 4096

	// A⁻¹ is computed anew if |A A⁻¹v - v| exceeds allowedDrift·|v|, and allowedRounding roundings of a number of the size of
	// |A||A⁻¹v|. A direct solve leaves a few of these: a nearly singular A has no better inverse.
	allowedDrift    = 1e-11
	allowedRounding = 100
)

// RidgeInverseNumbers returns how many numbers the state of a RidgeInverse of dimension r holds, but for those that fill bricks.
func RidgeInverseNumbers(r float64) float64 { return r*(r+1) + (waitingRounds+summedRounds)*r }

// NewRidgeInverse returns A_0⁻¹ = I/λ of dimension r, which it keeps in a state of the caller. What the state holds of a dimension
// that fills as many bricks is written over. Without an engine, as algos.Unsupported starts methods, it panics before it takes memory.
func NewRidgeInverse(e *compute.Engine, r int, lambda float64, state *RidgeInverseState) *RidgeInverse {
	if e == nil {
		panic("parts: a ridge inverse needs an engine")
	}
	if old := *state; len(old.V) == summedRounds*compute.Whole(r) {
		for _, v := range [][]float64{old.Inverse, old.A, old.Q, old.V} {
			clear(v)
		}
		*state = RidgeInverseState{Inverse: old.Inverse, A: old.A, Q: old.Q, V: old.V}
	} else {
		*state = RidgeInverseState{
			Inverse: compute.NewSymmetric(r).Data,
			A:       compute.NewSymmetric(r).Data,
			Q:       compute.NewRows(waitingRounds, r).Data,
			V:       compute.NewRows(summedRounds, r).Data,
		}
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
	q := f.p[:f.r]
	floats.ScaleTo(q, 1/math.Sqrt(1+compute.Dot(v, p)), p)
	f.q().Set(int(f.Rounds%waitingRounds), q)
	f.vs().Set(int(f.Rounds%summedRounds), v)
	f.Rounds++
	if f.Rounds%waitingRounds == 0 {
		f.engine.SymAddOuter(f.inverse(), f.q(), true)
	}
	if f.Rounds%summedRounds == 0 {
		f.engine.SymAddOuter(f.a(), f.vs(), false)
	}
	if f.checked() && f.drifted(v) {
		f.renew()
	}
}

// checked says whether A⁻¹ is held against A after this round: every checkRounds rounds, and before that after summedRounds
// and twice, four, … times as many, because most of the drift of a small λ is that of the first rounds.
func (f *RidgeInverse) checked() bool {
	early := f.Rounds/summedRounds&(f.Rounds/summedRounds-1) == 0
	return f.Rounds%checkRounds == 0 || f.Rounds < checkRounds && f.Rounds%summedRounds == 0 && f.Rounds > 0 && early
}

// drifted says whether A⁻¹ must be computed anew.
func (f *RidgeInverse) drifted(v []float64) bool {
	drift, roundings := f.drift(v)
	return drift > allowedDrift && roundings > allowedRounding
}

// drift returns |A A⁻¹v - v|/|v|, and |A A⁻¹v - v| in roundings of |A||A⁻¹v|, for the trace |A|. No rounds may wait.
func (f *RidgeInverse) drift(v []float64) (drift, roundings float64) {
	copy(f.v, v)
	f.engine.SymMulVec(f.p, f.inverse(), f.v)
	f.engine.SymMulVec(f.v, f.a(), f.p)
	off, trace := floats.Distance(f.v[:f.r], v, 2), 0.0
	for i := range f.r {
		trace += f.a().At(i, i)
	}
	return off / floats.Norm(v, 2), off / (0x1p-53 * trace * floats.Norm(f.p, 2))
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
